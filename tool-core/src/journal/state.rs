//! The state machine of a recorded call, as pure functions: what an outcome means, which transition is allowed, what an
//! equal call meets, what recovery does. (journal.md §4, §5)

use super::class::Class;
use super::row::Row;
use super::words::{Resolution, ResolvedBy, Status, kind_of};
use crate::error::{Effect, ErrorKind};

/// How often settling a row is tried before it is given up.
pub const MAX_RECOVERIES: u32 = 3;

/// How a run ended, as far as its record is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It succeeded.
    Ok,
    /// It failed.
    Error {
        /// The kind of error.
        kind: ErrorKind,
        /// The effect that the tool itself reported.
        says: Option<Effect>,
    },
}

/// What each kind of error tells of the effect.
const EFFECTS: [(ErrorKind, Effect); 11] = [
    (ErrorKind::InvalidArgs, Effect::None),
    (ErrorKind::NotFound, Effect::None),
    (ErrorKind::Conflict, Effect::None),
    (ErrorKind::Denied, Effect::None),
    (ErrorKind::NotConfigured, Effect::None),
    (ErrorKind::RateLimited, Effect::None),
    (ErrorKind::Failed, Effect::Done),
    (ErrorKind::Unavailable, Effect::Unknown),
    (ErrorKind::Timeout, Effect::Unknown),
    (ErrorKind::Cancelled, Effect::Unknown),
    (ErrorKind::Internal, Effect::Unknown),
];

/// What an outcome is recorded as: status and effect.
pub fn finish(class: Class, ended: Ended) -> (Status, Effect) {
    let Ended::Error { kind, says } = ended else { return (Status::Ok, Effect::Done) };
    let told = EFFECTS.iter().find(|row| row.0 == kind).map_or(Effect::Unknown, |row| row.1);
    let effect = says.unwrap_or(told);
    let status = match kind {
        _ if class.is_unsafe() && effect == Effect::Unknown => Status::InDoubt,
        ErrorKind::Cancelled => Status::Cancelled,
        _ => Status::Error,
    };
    (status, effect)
}

/// What may happen to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The tool starts.
    Start,
    /// The call is given up before it starts.
    CancelBeforeStart,
    /// The owner is dead.
    OwnerLost,
    /// The outcome is here.
    Finish(Ended),
    /// Somebody found out what happened; `None` when that cannot be known.
    Reconcile(Option<Resolution>),
    /// Somebody is about to run it again, or to ask.
    Try,
}

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a status.
    To(Status),
    /// To `reconciled`.
    Settled(Resolution, ResolvedBy),
    /// One more try is counted.
    Counted,
    /// Nowhere.
    Unchanged,
}

/// Why a transition is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The caller does not own the row, or not any more.
    Fenced,
    /// There is nothing to settle.
    NotInDoubt,
}

/// One transition of a row; `holds` says whether the caller has the row's lease.
///
/// # Errors
/// Why it is refused.
pub fn step(row: &Row, holds: bool, event: Event) -> Result<Step, Refusal> {
    match (event, row.status) {
        (Event::Start, Status::Intent) if holds => Ok(Step::To(Status::Running)),
        (Event::CancelBeforeStart, Status::Intent) if holds => Ok(Step::To(Status::Cancelled)),
        (Event::OwnerLost, status) if status.is_open() => Ok(Step::To(Status::InDoubt)),
        (Event::OwnerLost, _) => Ok(Step::Unchanged),
        (Event::Finish(ended), status) if holds && status.is_open() => {
            Ok(Step::To(finish(row.class, ended).0))
        }
        (Event::Finish(ended), Status::InDoubt) if holds => Ok(match finish(row.class, ended).0 {
            Status::InDoubt => Step::To(Status::InDoubt),
            Status::Ok => Step::Settled(Resolution::Ok, ResolvedBy::Late),
            _ => Step::Settled(Resolution::Error, ResolvedBy::Late),
        }),
        (Event::Start | Event::CancelBeforeStart | Event::Finish(_), _) => Err(Refusal::Fenced),
        (Event::Reconcile(Some(resolution)), Status::InDoubt) => {
            Ok(Step::Settled(resolution, ResolvedBy::Reconcile))
        }
        (Event::Reconcile(None), Status::InDoubt) => Ok(Step::To(Status::InDoubt)),
        (Event::Try, Status::InDoubt) => Ok(Step::Counted),
        (Event::Reconcile(_) | Event::Try, _) => Err(Refusal::NotInDoubt),
    }
}

/// A call that comes with a key.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    /// The class of its tool.
    pub class: Class,
    /// Its attempt.
    pub attempt: u32,
    /// The digest of its canonical arguments.
    pub args_sha256: &'a str,
}

/// What a call does about the row that has its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// There is none: run.
    Run,
    /// Run again in the row's place.
    Rerun,
    /// Give the recorded outcome.
    Replay,
    /// Somebody runs it: wait.
    Wait,
    /// Ask the outside world.
    Reconcile,
    /// Ask a person.
    Ask,
    /// The key came with other arguments before.
    OtherArguments,
    /// Settling it was given up.
    Abandoned,
}

/// What a call meets, and whether the row is marked in doubt first.
pub fn begin(row: Option<&Row>, call: Incoming<'_>, owner_alive: bool) -> (bool, Decision) {
    let Some(row) = row.filter(|_| call.class != Class::Pure) else { return (false, Decision::Run) };
    if row.args_sha256 != call.args_sha256 {
        return (false, Decision::OtherArguments);
    }
    let later = call.attempt > row.attempt;
    let kind = row.error_kind();
    let retryable = row.is_retryable();
    let decision = match (row.status, row.resolution) {
        (Status::Intent | Status::Running, _) if owner_alive => Decision::Wait,
        (Status::Intent | Status::Running, _) => return (true, doubt(call.class)),
        (Status::InDoubt, _) => doubt(call.class),
        (Status::Ok, _) | (Status::Reconciled, Some(Resolution::Ok | Resolution::Error)) => Decision::Replay,
        (Status::Cancelled, _) | (Status::Reconciled, Some(Resolution::NotDone)) => Decision::Rerun,
        (Status::Reconciled, _) => Decision::Abandoned,
        (Status::Error, _) => {
            let again = match row.effect {
                Some(Effect::None) => retryable || later,
                _ => {
                    call.class == Class::Idempotent
                        && (retryable || later || kind == Some(ErrorKind::Timeout))
                }
            };
            if again { Decision::Rerun } else { Decision::Replay }
        }
    };
    (false, decision)
}

/// What is done about a call in doubt.
fn doubt(class: Class) -> Decision {
    match class {
        Class::Pure | Class::Idempotent | Class::Keyed => Decision::Rerun,
        Class::Reconcile => Decision::Reconcile,
        Class::Manual => Decision::Ask,
    }
}

/// What recovery does about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Nothing: it is settled, or somebody runs it.
    Leave,
    /// Give it up.
    Abandon,
    /// Ask the tool's handler.
    Reconcile,
    /// Run it again with its key.
    Rerun,
    /// Wait for the same call: its arguments are not all there.
    AwaitCaller,
    /// Show it to a person.
    Surface,
}

impl Recovery {
    /// Every action with its word.
    pub const WORDS: [(Recovery, &'static str); 6] = [
        (Recovery::Leave, "leave"),
        (Recovery::Abandon, "abandon"),
        (Recovery::Reconcile, "reconcile"),
        (Recovery::Rerun, "rerun"),
        (Recovery::AwaitCaller, "await_caller"),
        (Recovery::Surface, "surface"),
    ];

    /// The word of the action.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

/// What recovery does about a row.
pub fn recover(row: &Row, owner_alive: bool) -> Recovery {
    let doubtful = row.status == Status::InDoubt || (row.status.is_open() && !owner_alive);
    match row.class {
        _ if !doubtful || row.superseded_by.is_some() => Recovery::Leave,
        _ if row.recoveries >= MAX_RECOVERIES => Recovery::Abandon,
        Class::Reconcile => Recovery::Reconcile,
        Class::Manual => Recovery::Surface,
        Class::Pure | Class::Idempotent | Class::Keyed if row.input_complete => Recovery::Rerun,
        Class::Pure | Class::Idempotent | Class::Keyed => Recovery::AwaitCaller,
    }
}

impl Row {
    /// The kind of the recorded error.
    pub fn error_kind(&self) -> Option<ErrorKind> {
        let error: serde_json::Value = serde_json::from_str(self.error_json.as_deref()?).ok()?;
        kind_of(error.get("kind")?.as_str()?)
    }

    /// Whether the recorded error may not come again.
    pub fn is_retryable(&self) -> bool {
        self.retryable.unwrap_or_else(|| self.error_kind().is_some_and(ErrorKind::retryable))
    }
}
