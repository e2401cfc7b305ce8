//! The words of rows: each enumeration with its text, in one table.

use schemars::JsonSchema;
use serde::Deserialize;

use super::class::Class;
use crate::error::{Effect, ErrorKind};

/// A value that is one of a few words.
pub trait Word: Sized + Copy + PartialEq + 'static {
    /// Every value with its word.
    const WORDS: &'static [(Self, &'static str)];

    /// The word.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The value of a word.
    fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|row| row.1 == word).map(|row| row.0)
    }
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It may start; for recovery, it may have happened.
    #[default]
    Intent,
    /// It has started.
    Running,
    /// It succeeded.
    Ok,
    /// It failed, and what it did is known or does not matter.
    Error,
    /// It was given up, and that does not matter.
    Cancelled,
    /// Nobody knows whether it happened.
    InDoubt,
    /// Somebody found out.
    Reconciled,
}

impl Status {
    /// Whether its outcome is still to come.
    pub fn is_open(self) -> bool {
        matches!(self, Status::Intent | Status::Running)
    }
}

/// What was found out about a call in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// It had succeeded.
    Ok,
    /// It had failed.
    Error,
    /// It had not happened.
    NotDone,
    /// Finding out was given up.
    Abandoned,
}

/// Who settled a call in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResolvedBy {
    /// The tool's handler.
    Reconcile,
    /// The call's own outcome, which came late.
    Late,
    /// A person.
    Person,
    /// Recovery, which gave up.
    Recovery,
}

/// Where an undoing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RevertStatus {
    /// It has begun.
    Reverting,
    /// The effect is undone.
    Reverted,
    /// It failed.
    Failed,
    /// The definition has changed since.
    Stale,
}

/// How the key of a call came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyForm {
    /// From run, place and arguments.
    #[default]
    Call,
    /// From the call's id, where there is no run.
    CallId,
    /// The caller gave it.
    Explicit,
    /// One text per task, for systems that store such keys.
    Legacy,
}

impl Word for Class {
    const WORDS: &'static [(Class, &'static str)] = &[
        (Class::Pure, "pure"),
        (Class::Idempotent, "idempotent"),
        (Class::Reconcile, "reconcile"),
        (Class::Keyed, "keyed"),
        (Class::Manual, "manual"),
    ];
}

impl Word for Status {
    const WORDS: &'static [(Status, &'static str)] = &[
        (Status::Intent, "intent"),
        (Status::Running, "running"),
        (Status::Ok, "ok"),
        (Status::Error, "error"),
        (Status::Cancelled, "cancelled"),
        (Status::InDoubt, "in_doubt"),
        (Status::Reconciled, "reconciled"),
    ];
}

impl Word for Resolution {
    const WORDS: &'static [(Resolution, &'static str)] = &[
        (Resolution::Ok, "ok"),
        (Resolution::Error, "error"),
        (Resolution::NotDone, "not_done"),
        (Resolution::Abandoned, "abandoned"),
    ];
}

impl Word for ResolvedBy {
    const WORDS: &'static [(ResolvedBy, &'static str)] = &[
        (ResolvedBy::Reconcile, "reconcile"),
        (ResolvedBy::Late, "late"),
        (ResolvedBy::Person, "person"),
        (ResolvedBy::Recovery, "recovery"),
    ];
}

impl Word for RevertStatus {
    const WORDS: &'static [(RevertStatus, &'static str)] = &[
        (RevertStatus::Reverting, "reverting"),
        (RevertStatus::Reverted, "reverted"),
        (RevertStatus::Failed, "failed"),
        (RevertStatus::Stale, "stale"),
    ];
}

impl Word for KeyForm {
    const WORDS: &'static [(KeyForm, &'static str)] = &[
        (KeyForm::Call, "call"),
        (KeyForm::CallId, "call_id"),
        (KeyForm::Explicit, "explicit"),
        (KeyForm::Legacy, "legacy"),
    ];
}

impl Word for Effect {
    const WORDS: &'static [(Effect, &'static str)] =
        &[(Effect::None, "none"), (Effect::Done, "done"), (Effect::Unknown, "unknown")];
}

/// The kind of an error by its word.
pub(crate) fn kind_of(word: &str) -> Option<ErrorKind> {
    ErrorKind::all().find(|kind| kind.as_str() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_by_its_word() {
        for (status, word) in Status::WORDS {
            assert_eq!(serde_json::from_value::<Status>((*word).into()).ok(), Some(*status), "{word}");
        }
    }
}
