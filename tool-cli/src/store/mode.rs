//! Which calls are recorded, and whether reads of earlier attempts are given again: two keys of the settings file. (calls.md §7)

use serde_json::Value;
use tool_core::JournalMode;

use crate::settings::{OwnKey, Settings};

/// The keys.
pub(crate) const KEYS: [OwnKey; 2] = [
    OwnKey { name: "journal", words: &["off", "effects", "all"] },
    OwnKey { name: "replay_reads", words: &[] },
];

/// The calls that are recorded; `None` for none. Where nothing is said it is all of them: reads without waiting for it.
pub(crate) fn calls(settings: &Settings) -> Option<JournalMode> {
    match settings.key("journal").and_then(Value::as_str) {
        Some("off") => None,
        Some("effects") if !replays_reads(settings) => Some(JournalMode::Effects),
        _ => Some(JournalMode::All),
    }
}

/// Whether a run that is started over sees what it saw.
pub(crate) fn replays_reads(settings: &Settings) -> bool {
    settings.key("replay_reads") == Some(&Value::Bool(true))
}
