//! The resume warning: what a task that starts over is told about the effects of its earlier attempts. (journal.md §6)

use super::row::Row;
use super::words::{Status, Word};
use crate::registry::Registry;

/// What a warning begins with.
pub const MARKER: &str = "[toolbox:resume-warning]";

/// How many calls are listed.
const ITEMS: usize = 5;

/// How many characters of a name are shown.
const NAME: usize = 64;

/// The fixed lines, behind the marker.
const HEAD: &str = " Earlier attempts at this task already ran tools whose side effects must not be repeated blindly.
The effects may have happened even where the status is error, cancelled or in_doubt.
Check the outside state first, or continue from the earlier result.
The same call with the same arguments keeps its idempotency key; if its outcome was recorded, that outcome is returned and nothing runs again.
Calls so far:";

/// The calls that the next attempt is warned about, in order: `rows` are those of one run, node and iteration.
pub fn selected<'r>(rows: &'r [Row], attempt: u32, registry: Option<&Registry>) -> Vec<&'r Row> {
    let mut selected: Vec<&Row> = rows
        .iter()
        .filter(|row| attempt > 1 && row.attempt < attempt && row.replay_of.is_none())
        .filter(|row| !row.is_reverted() && !row.did_nothing() && repeats_do_harm(row, registry))
        .collect();
    selected.sort_by_key(|row| (row.attempt, row.seq));
    selected
}

/// By the row's own flags, else by the tool of its name or alias; an unknown tool may do harm.
fn repeats_do_harm(row: &Row, registry: Option<&Registry>) -> bool {
    let now = registry.and_then(|registry| registry.get(&row.tool_name)).map(|tool| tool.def().behavior);
    let side_effect = row.side_effect.or(now.map(|behavior| behavior.side_effect)).unwrap_or(true);
    let idempotent = row.idempotent.or(now.map(|behavior| behavior.idempotent)).unwrap_or(false);
    side_effect && !idempotent
}

/// The warning for an attempt; `None` when there is nothing to warn about.
pub fn warning(rows: &[Row], attempt: u32, registry: Option<&Registry>) -> Option<String> {
    let calls = selected(rows, attempt, registry);
    if calls.is_empty() {
        return None;
    }
    let mut text = format!("{MARKER}{HEAD}");
    for row in calls.iter().take(ITEMS) {
        let (attempt, seq) = (row.attempt, row.seq);
        text.push_str(&format!(
            "\n- {} (attempt {attempt}, seq {seq}, status {})",
            shown(&row.tool_name),
            status(row)
        ));
    }
    if let Some(more) = calls.len().checked_sub(ITEMS).filter(|more| *more > 0) {
        text.push_str(&format!("\n- ...and {more} more"));
    }
    Some(text)
}

/// A name that cannot forge a line: what is not printable ASCII is escaped, what is long is cut.
fn shown(name: &str) -> String {
    let printable = |c: char| c == ' ' || c.is_ascii_graphic();
    name.chars()
        .take(NAME)
        .map(|c| if printable(c) { c.to_string() } else { format!("\\u{{{:x}}}", u32::from(c)) })
        .collect()
}

fn status(row: &Row) -> String {
    match row.resolution.filter(|_| row.status == Status::Reconciled) {
        Some(resolution) => format!("{}/{}", row.status.word(), resolution.word()),
        None => row.status.word().to_owned(),
    }
}

/// Who said something in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user, in text.
    User,
    /// Anybody else, or a result of a tool.
    Other,
}

/// What becomes of a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// There is none.
    None,
    /// It is there already.
    Present,
    /// The prompt is now this; it had an older warning.
    Replaced(String),
    /// The prompt is now this.
    Prepended(String),
    /// This user message goes behind the last message (and behind the results of its calls).
    Appended(String),
}

/// Where a warning goes: into the conversation where there is one, else before the prompt.
///
/// Only user text counts as an earlier warning: a result or the assistant may quote one without hiding it.
pub fn deliver<'m>(
    prompt: &str,
    messages: impl IntoIterator<Item = (Role, &'m str)>,
    warning: Option<&str>,
) -> Delivery {
    let Some(warning) = warning else { return Delivery::None };
    let mut messages = messages.into_iter().peekable();
    if messages.peek().is_some() {
        let present = messages.any(|(role, text)| role == Role::User && text == warning);
        return if present { Delivery::Present } else { Delivery::Appended(warning.to_owned()) };
    }
    let behind = |text: &str| text.is_empty() || text.starts_with("\n\n");
    if prompt.strip_prefix(warning).is_some_and(behind) {
        return Delivery::Present;
    }
    if prompt.starts_with(MARKER) {
        let rest = prompt.split_once("\n\n").map_or("", |(_, rest)| rest);
        return Delivery::Replaced(joined(warning, rest));
    }
    Delivery::Prepended(joined(warning, prompt))
}

fn joined(warning: &str, prompt: &str) -> String {
    if prompt.is_empty() { warning.to_owned() } else { format!("{warning}\n\n{prompt}") }
}
