//! The table `[journal]` of the settings file: which calls are recorded, and what the journal waits and leaves free.
//! (journal.md §4, §10)
//!
//! `journal = "all"` alone is its shorter form.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tool_core::{ArgIssue, IssueCode, JOURNAL_WAIT, ToolError, args};
use tool_store::sqlite::MIN_FREE;

use crate::doctor::Limit;
use crate::duration;
use crate::settings::{Settings, Source};

/// Its name.
pub(crate) const JOURNAL: &str = "journal";

/// What the table says.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct JournalTable {
    /// Which calls are recorded.
    pub(crate) mode: Option<Mode>,
    /// Whether reads of earlier attempts are given again.
    pub(crate) replay_reads: Option<bool>,
    /// How long a call waits for an equal one that runs.
    wait: Option<String>,
    /// Free bytes below which no new calls are taken on.
    min_free: Option<u64>,
}

/// Which calls are recorded.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// None.
    Off,
    /// Those with side effects.
    Effects,
    /// All.
    All,
}

impl JournalTable {
    /// The table of a settings file; nothing where it is not there, or is refused.
    pub(crate) fn of(settings: &Settings) -> JournalTable {
        let table = settings.table(JOURNAL).filter(|value| value.is_object());
        table.and_then(|table| JournalTable::deserialize(table).ok()).unwrap_or_default()
    }

    /// How long a call waits for an equal one that runs.
    pub(crate) fn wait(&self) -> Duration {
        self.wait.as_deref().and_then(duration::parse).unwrap_or(JOURNAL_WAIT)
    }

    /// Free bytes below which no new calls are taken on.
    pub(crate) fn min_free(&self) -> u64 {
        self.min_free.unwrap_or(MIN_FREE)
    }

    /// Both as `doctor` tells them.
    pub(crate) fn limits(&self, settings: &Settings) -> Vec<Limit> {
        let millis = |length: Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let (wait, free) = (millis(self.wait()), self.min_free());
        let told = |name, key: &str, value, default, meaning| {
            let set = settings.source_of_member(JOURNAL, key);
            let from = set.as_ref().map_or_else(|| Source::Default.to_string(), Source::to_string);
            Limit { value, from, ..Limit::fixed(name, default, meaning) }
        };
        let waits = "Milliseconds that a call waits for an equal one that runs.";
        let frees = "Free bytes below which the journal takes on no new calls.";
        vec![
            told("journal_wait_ms", "wait", wait, millis(JOURNAL_WAIT), waits),
            told("journal_min_free", "min_free", free, MIN_FREE, frees),
        ]
    }
}

/// Everything that is wrong with the table.
///
/// # Errors
/// None that a table could cause.
pub(crate) fn misfits(table: &Value) -> Result<Vec<ArgIssue>, ToolError> {
    let mut issues = args::misfits::<JournalTable>(table)?;
    let wait = table.get("wait").and_then(Value::as_str).filter(|text| duration::parse(text).is_none());
    issues.extend(wait.map(|text| ArgIssue {
        path: "/wait".to_owned(),
        code: IssueCode::Invalid,
        expected: "a whole number with ms, s, m or h, of 1h at most, such as 30s".to_owned(),
        got: crate::fault::text(text),
        hint: None,
    }));
    Ok(issues)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_wrong_with_the_table_is_told() {
        assert_eq!(misfits(&json!({"mode": "effects", "wait": "10s", "min_free": 0})).unwrap(), []);
        let told = |table: Value| -> Vec<String> {
            misfits(&table).unwrap().into_iter().map(|issue| issue.path).collect()
        };
        let wrong = json!({"mode": "some", "wait": "10", "min_free": -1, "replay_reads": "yes", "fre": 1});
        let mut paths = told(wrong);
        paths.sort();
        assert_eq!(paths, ["/fre", "/min_free", "/mode", "/replay_reads", "/wait"]);
        assert_eq!(told(json!({"wait": "2h"})), ["/wait"]);
    }
}
