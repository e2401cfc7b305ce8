//! The plan of undoing a run: newest first, and what stands in the way. (journal.md §8)

use super::row::Row;
use super::words::{Resolution, RevertStatus, Status};
use crate::error::Effect;

/// What is done about one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undo {
    /// Its handler is asked to undo it.
    Revert,
    /// Its tool has no handler.
    NoHandler,
    /// The definition has changed since: `--force`.
    Stale,
    /// Nobody knows whether it happened, or whether it is undone: `--confirm CALL`.
    NeedsConfirmation,
}

impl Undo {
    /// Every word of a plan.
    pub const WORDS: [(Undo, &'static str); 4] = [
        (Undo::Revert, "revert"),
        (Undo::NoHandler, "no_handler"),
        (Undo::Stale, "stale"),
        (Undo::NeedsConfirmation, "needs_confirmation"),
    ];

    /// The word of the plan.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

/// The plan for the rows of a run, newest first; `definition` is the fingerprint of a row's tool as it is now.
pub fn plan(rows: &[Row], definition: impl Fn(&Row) -> Option<String>) -> Vec<(&Row, Undo)> {
    let mut plan: Vec<(&Row, Undo)> =
        rows.iter().filter_map(|row| undo(row, definition(row)).map(|undo| (row, undo))).collect();
    plan.sort_by_key(|(row, _)| std::cmp::Reverse((row.started_at_ms, row.attempt, row.seq)));
    plan
}

fn undo(row: &Row, definition: Option<String>) -> Option<Undo> {
    let happened = match row.status {
        Status::Ok => true,
        Status::Reconciled => row.resolution == Some(Resolution::Ok),
        Status::Error => row.effect == Some(Effect::Done),
        Status::InDoubt => true,
        Status::Intent | Status::Running | Status::Cancelled => false,
    };
    let open = row.is_live() && happened && !row.is_reverted();
    let doubtful = row.status == Status::InDoubt || row.revert_status == Some(RevertStatus::Reverting);
    open.then_some(match row {
        _ if !row.has_revert => Undo::NoHandler,
        _ if doubtful => Undo::NeedsConfirmation,
        _ if row.definition.is_some() && definition.is_some() && row.definition != definition => Undo::Stale,
        _ => Undo::Revert,
    })
}
