//! Lengths of time on the command line: the grammar of `#[tool(timeout)]`.

use std::time::Duration;

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
