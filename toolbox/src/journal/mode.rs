//! Which calls are recorded, and whether reads of earlier attempts are given again: two keys of the settings file. (calls.md §7)

use serde_json::Value;
use tool_cli::{OwnKey, Settings};
use tool_core::JournalMode;

/// The keys.
pub(crate) const KEYS: [OwnKey; 2] = [
    OwnKey { name: "journal", words: &["off", "effects", "all"] },
    OwnKey { name: "replay_reads", words: &[] },
];

/// The calls that are recorded; `None` for none. Where nothing is said they are those with a side effect: a command line that
/// only reads opens no journal.
pub(crate) fn calls(settings: &Settings) -> Option<JournalMode> {
    match settings.key("journal").and_then(Value::as_str) {
        Some("off") => None,
        Some("all") => Some(JournalMode::All),
        _ if replays_reads(settings) => Some(JournalMode::All),
        _ => Some(JournalMode::Effects),
    }
}

/// Whether a run that is started over sees what it saw.
pub(crate) fn replays_reads(settings: &Settings) -> bool {
    settings.key("replay_reads") == Some(&Value::Bool(true))
}
