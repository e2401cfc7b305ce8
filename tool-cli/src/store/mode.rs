//! Which calls are recorded, and whether reads of earlier attempts are given again: two keys of the settings file, or members of
//! its table `[journal]`. (calls.md §7)

use serde_json::Value;
use tool_core::JournalMode;

use super::table::{JournalTable, Mode};
use crate::settings::{OwnKey, Settings};

/// The keys.
pub(crate) const KEYS: [OwnKey; 2] = [
    OwnKey { name: "journal", words: &["off", "effects", "all"] },
    OwnKey { name: "replay_reads", words: &[] },
];

/// The calls that are recorded; `None` for none. Where nothing is said it is all of them: reads without waiting for it.
pub(crate) fn calls(settings: &Settings) -> Option<JournalMode> {
    let mode = match settings.key("journal").and_then(Value::as_str) {
        Some("off") => Some(Mode::Off),
        Some("effects") => Some(Mode::Effects),
        _ => JournalTable::of(settings).mode,
    };
    match mode {
        Some(Mode::Off) => None,
        Some(Mode::Effects) if !replays_reads(settings) => Some(JournalMode::Effects),
        _ => Some(JournalMode::All),
    }
}

/// Whether a run that is started over sees what it saw.
pub(crate) fn replays_reads(settings: &Settings) -> bool {
    let own = JournalTable::of(settings).replay_reads;
    own.unwrap_or_else(|| settings.key("replay_reads") == Some(&Value::Bool(true)))
}
