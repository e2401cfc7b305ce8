//! What `doctor` tells of the journal: where it is, and how many calls nobody knows the outcome of.

use serde_json::json;
use tool_core::ToolError;

use super::mode;
use super::table::JournalTable;
use crate::doctor::{Check, Probe};
use crate::session::Session;
use crate::settings::Settings;
use crate::store::Store;

/// What goes wrong without a journal.
const WITHOUT: &str = "without a journal a retry after a crash may repeat effects";

impl Session<'_> {
    /// What is found out about the journal. One that is not there yet is not made.
    pub(crate) fn journal_probe(&self, settings: &Settings) -> Result<Probe, ToolError> {
        let place = settings.journal();
        let Some(path) = place.path().filter(|_| mode::calls(settings).is_some()) else {
            let advice = match (place.path(), place.is_named()) {
                (Some(_), _) => format!("set journal to effects or all: {WITHOUT}"),
                (None, true) => format!("unset {}: {WITHOUT}", place.variable("JOURNAL")),
                (None, false) => format!("set HOME or {}: {WITHOUT}", place.variable("JOURNAL")),
            };
            return Ok(Probe { checks: vec![Check::warn("journal", "off", advice)], ..Probe::default() });
        };
        let shown = path.display().to_string();
        let in_doubt = in_doubt(&self.cli.store, settings)?;
        let check = match in_doubt {
            0 => Check::ok("journal", format!("{shown}, no calls in doubt")),
            some => {
                let name = &self.cli.name;
                let advice = format!(
                    "settle them: {name} journal list --status in_doubt, {name} journal recover --run"
                );
                let calls = if some == 1 { "call" } else { "calls" };
                Check::warn("journal", format!("{shown}, {some} {calls} in doubt"), advice)
            }
        };
        let section = json!({"path": shown, "in_doubt": in_doubt});
        Ok(Probe { section, checks: vec![check], limits: JournalTable::of(settings).limits(settings) })
    }
}

/// How many calls are in doubt, where calls can be recorded. A journal that is not there has none, but must be one that can
/// be made.
fn in_doubt(store: &Store, settings: &Settings) -> Result<u64, ToolError> {
    match store.recording_outside(settings)? {
        Some(journal) if journal.exists() => Ok(journal.open()?.in_doubt()?),
        Some(journal) => Ok(journal.could_open().map(|()| 0)?),
        None => Ok(0),
    }
}
