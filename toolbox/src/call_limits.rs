//! The limits of calls that `[limits]` of the settings file sets, beside those of the standard tools: one row each, with what it
//! changes. (calls.md §6, §9, §10, §13)

use std::ops::RangeInclusive;

use tool_cli::Settings;
use tool_cli::doctor::Limit;
use tool_core::{INLINE_LIMIT, LimitSettings, MAX_OUTPUT_BYTES, RETRIES, ToolError};

/// What holds for calls.
#[derive(Clone, Debug)]
pub(crate) struct CallLimits {
    /// Places, budgets and repetitions.
    pub(crate) limit: LimitSettings,
    /// Further tries.
    pub(crate) retries: u32,
    /// Characters of a result that a model gets whole.
    pub(crate) inline_limit: usize,
    /// Bytes of a result.
    pub(crate) max_output_bytes: usize,
}

impl Default for CallLimits {
    fn default() -> Self {
        CallLimits {
            limit: LimitSettings::default(),
            retries: RETRIES,
            inline_limit: INLINE_LIMIT,
            max_output_bytes: MAX_OUTPUT_BYTES,
        }
    }
}

/// One limit.
struct Row {
    name: &'static str,
    range: RangeInclusive<u64>,
    meaning: &'static str,
    get: fn(&CallLimits) -> u64,
    set: fn(&mut CallLimits, u64),
}

/// A number of things, as far as this machine can count.
fn count(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The greatest number of places: each waiting call takes memory.
const PLACES: RangeInclusive<u64> = 1..=100_000;

/// Every limit.
const ROWS: [Row; 8] = [
    Row {
        name: "calls_per_run",
        range: 1..=u64::MAX,
        meaning: "Calls of one run.",
        get: |limits| limits.limit.calls_per_run,
        set: |limits, value| limits.limit.calls_per_run = value,
    },
    Row {
        name: "reads_per_agent",
        range: PLACES,
        meaning: "Reads of one agent that run at once.",
        get: |limits| limits.limit.reads_per_agent as u64,
        set: |limits, value| limits.limit.reads_per_agent = count(value),
    },
    Row {
        name: "calls_at_once",
        range: PLACES,
        meaning: "Calls that run at once.",
        get: |limits| limits.limit.calls_at_once as u64,
        set: |limits, value| limits.limit.calls_at_once = count(value),
    },
    Row {
        name: "waiting_calls",
        range: 0..=100_000,
        meaning: "Calls that wait for a place.",
        get: |limits| limits.limit.waiting as u64,
        set: |limits, value| limits.limit.waiting = count(value),
    },
    Row {
        name: "repeat_limit",
        range: 0..=1_000_000,
        meaning: "Equal side effects in a row of one run; 0 is any number.",
        get: |limits| u64::from(limits.limit.repeat_limit),
        set: |limits, value| limits.limit.repeat_limit = u32::try_from(value).unwrap_or(u32::MAX),
    },
    Row {
        name: "retries",
        range: 0..=10,
        meaning: "Further tries of a read, or of an idempotent change.",
        get: |limits| u64::from(limits.retries),
        set: |limits, value| limits.retries = u32::try_from(value).unwrap_or(u32::MAX),
    },
    Row {
        name: "inline_limit",
        range: 9_000..=10_000_000,
        meaning: "Characters of a result that a model gets whole; longer ones are parked.",
        get: |limits| limits.inline_limit as u64,
        set: |limits, value| limits.inline_limit = count(value),
    },
    Row {
        name: "max_output_bytes",
        range: 1_000..=1 << 30,
        meaning: "Bytes of a result.",
        get: |limits| limits.max_output_bytes as u64,
        set: |limits, value| limits.max_output_bytes = count(value),
    },
];

impl CallLimits {
    /// The limits as the settings file has them.
    pub(crate) fn of(settings: &Settings) -> CallLimits {
        let mut limits = CallLimits::default();
        for set in settings.limits() {
            if let Some(row) = ROWS.iter().find(|row| row.name == set.name) {
                (row.set)(&mut limits, set.value);
            }
        }
        limits
    }

    /// Each as `doctor` tells it.
    pub(crate) fn rows(&self) -> Vec<Limit> {
        let default = CallLimits::default();
        let told = |row: &Row| Limit {
            value: (row.get)(self),
            ..Limit::fixed(row.name, (row.get)(&default), row.meaning)
        };
        ROWS.iter().map(told).collect()
    }
}

/// The names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Whether a limit is one of these, and can be set to a value.
///
/// # Errors
/// `not_configured`, code `limit_out_of_range`.
pub(crate) fn judge(name: &str, value: u64) -> Option<Result<(), ToolError>> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    if row.range.contains(&value) {
        return Some(Ok(()));
    }
    let (least, greatest) = (row.range.start(), row.range.end());
    let text = format!("{name} is {value}, outside {least} to {greatest}.");
    Some(Err(ToolError::not_configured(text).code("limit_out_of_range")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_set_by_its_row_and_read_from_it() {
        for row in &ROWS {
            let default = (row.get)(&CallLimits::default());
            assert!(row.range.contains(&default), "{}", row.name);
            for value in [*row.range.start(), (*row.range.end()).min(u64::from(u32::MAX))] {
                let mut limits = CallLimits::default();
                (row.set)(&mut limits, value);
                assert_eq!((row.get)(&limits), value, "{}", row.name);
                let others = |limits: &CallLimits| -> Vec<u64> {
                    ROWS.iter()
                        .filter(|other| other.name != row.name)
                        .map(|other| (other.get)(limits))
                        .collect()
                };
                assert_eq!(others(&limits), others(&CallLimits::default()), "{}", row.name);
                assert!(judge(row.name, value).is_some_and(|judged| judged.is_ok()));
            }
            if let Some(over) = row.range.end().checked_add(1) {
                let refused = judge(row.name, over).and_then(Result::err);
                assert_eq!(
                    refused.map(|error| error.code_str().to_owned()).as_deref(),
                    Some("limit_out_of_range")
                );
            }
        }
        assert!(judge("max_read_bytes", 1).is_none());
    }
}
