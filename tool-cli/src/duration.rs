//! Lengths of time on the command line: the grammar of `#[tool(timeout)]`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

/// Units with their milliseconds; a longer one first where one ends like another.
const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// The longest time that can be asked for.
const LONGEST: Duration = Duration::from_secs(3_600);

/// A whole number with a unit, from 1 ms to 1 h; a bare number is refused.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(tool_cli::duration::parse("30s"), Some(Duration::from_secs(30)));
/// assert_eq!(tool_cli::duration::parse("30"), None);
/// ```
pub fn parse(text: &str) -> Option<Duration> {
    let (number, unit) = UNITS.iter().find_map(|(unit, ms)| Some((text.strip_suffix(unit)?, ms)))?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let length = Duration::from_millis(number.parse::<u64>().ok()?.checked_mul(*unit)?);
    (!length.is_zero() && length <= LONGEST).then_some(length)
}

/// How long ago, of days at most: a whole number with s, m, h or d. The type of a parameter that takes one.
///
/// ```
/// use std::time::Duration;
/// use tool_cli::duration::Ago;
///
/// assert_eq!(Ago::try_from("7d".to_owned())?.0, Duration::from_secs(7 * 24 * 3_600));
/// assert!(Ago::try_from("soon".to_owned()).is_err());
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Ago(pub Duration);

impl TryFrom<String> for Ago {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Ago, Self::Error> {
        const UNITS: [(&str, u64); 4] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)];
        let read = UNITS.iter().find_map(|(unit, seconds)| {
            let number = text.strip_suffix(unit)?;
            let whole = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            let number: u64 = number.parse().ok().filter(|_| whole)?;
            // As milliseconds it must be a time of the journal.
            let seconds =
                number.checked_mul(*seconds).filter(|seconds| *seconds <= i64::MAX as u64 / 1_000)?;
            Some(Ago(Duration::from_secs(seconds)))
        });
        read.ok_or("a whole number and s, m, h or d, such as 24h")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_with_a_unit_is_a_length_of_time() {
        for (text, ms) in [("1ms", 1), ("30s", 30_000), ("2m", 120_000), ("1h", 3_600_000), ("060s", 60_000)]
        {
            assert_eq!(parse(text), Some(Duration::from_millis(ms)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for text in
            ["", "s", "5", "0s", "1m30s", ".5s", "+5s", "5 s", "3600001ms", "61m", "99999999999999999999h"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
