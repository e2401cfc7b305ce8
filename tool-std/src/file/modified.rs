//! Times of files as results show them: RFC 3339, UTC, milliseconds.

use jiff::Timestamp;
use rustix::fs::Stat;

/// When a file was modified last.
pub(crate) fn modified(stat: &Stat) -> String {
    shown(stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or_default())
}

/// A time since 1970.
pub(crate) fn shown(seconds: i64, nanoseconds: i64) -> String {
    let milliseconds = i128::from(seconds) * 1_000 + i128::from(nanoseconds) / 1_000_000;
    let time = i64::try_from(milliseconds).ok().and_then(|time| Timestamp::from_millisecond(time).ok());
    let clamped = if seconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    time.unwrap_or(clamped).strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_to_milliseconds() {
        assert_eq!(shown(1_000_000_000, 0), "2001-09-09T01:46:40.000Z");
        assert_eq!(shown(0, 999_999_999), "1970-01-01T00:00:00.999Z");
        assert_eq!(shown(-1, 500_000_000), "1969-12-31T23:59:59.500Z");
        assert!(shown(i64::MAX, 0).starts_with("9999-"));
    }
}
