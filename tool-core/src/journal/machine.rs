//! What each operation of a journal does to its rows: the state machine over a table, the same for every backend.
//!
//! A backend gives a transaction that can find, insert and change rows ([`Rows`]); the decisions are made here.

use super::class::Class;
use super::fault::JournalError;
use super::replay_gate::ReplayConsent;
use super::row::Row;
use super::state::{self, Decision, Event, Incoming, Refusal, Step};
use super::store::{Answer, Begin, CallKey, Lease, Outcome, Result, Task};
use super::words::{Resolution, ResolvedBy, RevertStatus, Status, Word};
use crate::call::AuditRow;
use crate::error::{Effect, ToolError};

/// How often an operation starts over when another process was faster.
const RACES: usize = 32;

/// The rows of a journal within one transaction.
pub trait Rows {
    /// The row of a call.
    fn get(&mut self, call_id: &str) -> Result<Option<Row>>;
    /// The live row of a key.
    fn live(&mut self, key: &CallKey) -> Result<Option<Row>>;
    /// The greatest number of an attempt's calls; 0 when there is none.
    fn last_seq(&mut self, row: &Row) -> Result<u32>;
    /// Adds a row and its log entry; `false` when its number or its key is taken.
    fn insert(&mut self, row: &Row) -> Result<bool>;
    /// Changes a row and logs it; `false` when status, lease or place are not those of `old` any more.
    fn update(&mut self, old: &Row, new: &Row) -> Result<bool>;
    /// Rows that are open, of other owners.
    fn open(&mut self) -> Result<Vec<Row>>;
    /// Whether the owner of a row is alive.
    fn alive(&mut self, row: &Row) -> Result<bool>;
    /// Makes this process the owner of a row: owner, lease, and its end where there is one.
    fn own(&mut self, row: &mut Row);
    /// Now, in milliseconds since 1970.
    fn now_ms(&mut self) -> i64;
    /// Takes the next attempt of a task.
    fn take_attempt(&mut self, task: &Task) -> Result<u32>;
    /// Keeps an answer given at the replay gate.
    fn keep_consent(&mut self, task: &Task, consent: &ReplayConsent) -> Result<()>;
    /// Keeps an audit row, where they are kept. That of a call that waited for an answer is gone on with.
    fn audit(&mut self, _: &AuditRow) -> Result<()> {
        Ok(())
    }
    /// Forgets the audit rows that are too old.
    fn forget_audits(&mut self) -> Result<()> {
        Ok(())
    }
}

/// An operation.
#[derive(Clone, Debug)]
pub enum Op {
    /// See [`super::Journal::begin`].
    Begin(Box<Begin>),
    /// See [`super::Journal::running`].
    Running(Lease),
    /// See [`super::Journal::finish`].
    Finish(Lease, Box<Outcome>),
    /// See [`super::Journal::record`].
    Record(Box<Row>),
    /// See [`super::Journal::reconcile`].
    Reconcile(String, Answer, ResolvedBy),
    /// See [`super::Journal::revert`].
    Revert(String, RevertStatus, Option<String>),
    /// See [`super::Journal::mark_lost`].
    MarkLost,
    /// See [`super::Journal::next_attempt`].
    NextAttempt(Task),
    /// See [`super::Journal::consent`].
    Consent(Task, ReplayConsent),
    /// See [`super::Journal::audit`].
    Audit(Box<AuditRow>),
}

impl Op {
    /// Whether it writes the intent of a call: the operation that a full disk refuses first.
    pub fn is_intent(&self) -> bool {
        matches!(self, Op::Begin(_) | Op::NextAttempt(_))
    }
}

/// What an operation answers.
#[derive(Debug)]
pub enum Reply {
    /// Of [`Op::Begin`].
    Begun(Met),
    /// The row as it is now.
    Row(Box<Row>),
    /// Of [`Op::MarkLost`].
    Rows(Vec<Row>),
    /// Of [`Op::NextAttempt`].
    Attempt(u32),
    /// Nothing.
    Done,
    /// The outcome is refused, and that is written down.
    Fenced,
}

impl Reply {
    /// The row of an answer.
    ///
    /// # Errors
    /// `Fenced` where the outcome was refused.
    pub fn row(self) -> Result<Row> {
        match self {
            Reply::Row(row) => Ok(*row),
            Reply::Fenced => Err(JournalError::Fenced),
            _ => Err(JournalError::unavailable("The journal gave no row.")),
        }
    }
}

/// What a call meets, before anybody waits.
#[derive(Debug)]
pub enum Met {
    /// Run.
    Run(Lease),
    /// The recorded outcome.
    Replay(Box<Row>),
    /// Somebody runs this call.
    Wait(Box<Row>),
    /// The outside world must be asked.
    Reconcile(Box<Row>, Lease),
    /// A person must be asked.
    Ask(Box<Row>),
    /// The key came with other arguments.
    OtherArguments(Box<Row>),
    /// Settling it was given up.
    Abandoned(Box<Row>),
}

/// Does an operation.
///
/// # Errors
/// What the operation refuses, and what the rows cannot do.
pub fn apply(rows: &mut dyn Rows, op: &Op) -> Result<Reply> {
    match op {
        Op::Begin(begin) => meet(rows, begin).map(Reply::Begun),
        Op::Running(lease) => start(rows, lease).map(|()| Reply::Done),
        Op::Finish(lease, outcome) => finish(rows, lease, outcome),
        Op::Record(row) => insert(rows, Row::clone(row)).map(|_| Reply::Done),
        Op::Reconcile(call, answer, by) => {
            reconcile(rows, call, answer, *by).map(|row| Reply::Row(Box::new(row)))
        }
        Op::Revert(call, status, error) => {
            revert(rows, call, *status, error.as_deref()).map(|row| Reply::Row(Box::new(row)))
        }
        Op::MarkLost => mark_lost(rows).map(Reply::Rows),
        Op::NextAttempt(task) => rows.take_attempt(task).map(Reply::Attempt),
        Op::Consent(task, consent) => rows.keep_consent(task, consent).map(|()| Reply::Done),
        Op::Audit(row) => rows.audit(row).map(|()| Reply::Done),
    }
}

/// Another process was faster, again and again.
fn contended() -> JournalError {
    JournalError::unavailable("Other processes write the same calls faster.")
}

/// Adds a row under the next free number; `None` when its key is taken.
fn insert(rows: &mut dyn Rows, mut row: Row) -> Result<Option<Row>> {
    row.started_at_ms = rows.now_ms();
    if row.finished_at_ms.is_some() {
        row.finished_at_ms = Some(row.started_at_ms);
    }
    row.seq = rows.last_seq(&row)? + 1;
    Ok(rows.insert(&row)?.then_some(row))
}

fn meet(rows: &mut dyn Rows, begin: &Begin) -> Result<Met> {
    // Most calls are new: whether the key is free, the table itself tells best. The keys of former names it does not know.
    if begin.former.is_empty() && begin.row.class != Class::Pure {
        match run(rows, begin.row.clone(), 0) {
            Ok(Some(lease)) => return Ok(Met::Run(lease)),
            // Whose id it is that is taken, its own key tells better.
            Ok(None) | Err(JournalError::Store { code: "call_id_taken", .. }) => {}
            Err(error) => return Err(error),
        }
    }
    for _ in 0..RACES {
        let row = &begin.row;
        let mut met = rows.live(&key_of(row, &row.tool_name, &row.call_key))?;
        for (tool, key) in &begin.former {
            if met.is_none() {
                met = rows.live(&key_of(row, tool, key))?;
            }
        }
        let alive = match &met {
            Some(met) if met.status.is_open() => rows.alive(met)?,
            _ => false,
        };
        let call = Incoming { class: row.class, attempt: row.attempt, args_sha256: &row.args_sha256 };
        let (mark, decision) = state::begin(met.as_ref(), call, alive);
        if let (true, Some(lost)) = (mark, &met) {
            let Some(marked) = left(rows, lost)? else { continue };
            met = Some(marked);
        }
        if let Some(met) = decide(rows, begin, met, decision)? {
            return Ok(met);
        }
    }
    Err(contended())
}

/// Carries a decision out; `None` when another process was faster.
fn decide(rows: &mut dyn Rows, begin: &Begin, met: Option<Row>, decision: Decision) -> Result<Option<Met>> {
    let consented = met.as_ref().is_some_and(|met| begin.consented.as_deref() == Some(&met.call_id));
    let Some(met) = met.filter(|_| decision != Decision::Run) else {
        return Ok(run(rows, begin.row.clone(), 0)?.map(Met::Run));
    };
    Ok(Some(match decision {
        Decision::Run | Decision::Rerun => return rerun(rows, begin, &met),
        Decision::Ask | Decision::Reconcile if consented => return rerun(rows, begin, &met),
        // The very call once more: it has its row.
        Decision::Replay if met.call_id == begin.row.call_id => Met::Replay(Box::new(met)),
        Decision::Replay => {
            let replay = Row {
                status: if succeeded(&met) { Status::Ok } else { Status::Error },
                replay_of: Some(met.call_id.clone()),
                output_json: met.output_json.clone(),
                error_json: met.error_json.clone(),
                retryable: met.retryable,
                effect: Some(Effect::None),
                finished_at_ms: Some(0),
                ..begin.row.clone()
            };
            if insert(rows, replay)?.is_none() {
                return Ok(None);
            }
            Met::Replay(Box::new(met))
        }
        Decision::Wait => Met::Wait(Box::new(met)),
        Decision::Reconcile => {
            let mut owned = met.clone();
            rows.own(&mut owned);
            owned.recoveries += 1;
            if !rows.update(&met, &owned)? {
                return Ok(None);
            }
            let lease = lease(&owned);
            Met::Reconcile(Box::new(owned), lease)
        }
        Decision::Ask => Met::Ask(Box::new(met)),
        Decision::OtherArguments => Met::OtherArguments(Box::new(met)),
        Decision::Abandoned => Met::Abandoned(Box::new(met)),
    }))
}

/// Whether the recorded outcome is a success.
fn succeeded(row: &Row) -> bool {
    row.status == Status::Ok || row.resolution == Some(Resolution::Ok)
}

fn rerun(rows: &mut dyn Rows, begin: &Begin, old: &Row) -> Result<Option<Met>> {
    let tried = u32::from(old.status == Status::InDoubt);
    if old.call_id == begin.row.call_id {
        return resume(rows, begin, old, old.recoveries + tried);
    }
    let superseded = Row {
        superseded_by: Some(begin.row.call_id.clone()),
        recoveries: old.recoveries + tried,
        ..old.clone()
    };
    if !rows.update(old, &superseded)? {
        return Ok(None);
    }
    Ok(run(rows, begin.row.clone(), superseded.recoveries)?.map(Met::Run))
}

/// Goes on with a call in its own row: it ended with a question, and comes again with the answer.
fn resume(rows: &mut dyn Rows, begin: &Begin, old: &Row, recoveries: u32) -> Result<Option<Met>> {
    // Only what may change does: the rest was written with the first round.
    let mut row = Row {
        status: Status::Intent,
        recoveries,
        output_json: None,
        error_json: None,
        finished_at_ms: None,
        effect: None,
        retryable: None,
        takes_key: begin.row.takes_key,
        tries: begin.row.tries,
        approval_id: begin.row.approval_id.clone(),
        approved_by: begin.row.approved_by.clone(),
        policy_sha256: begin.row.policy_sha256.clone(),
        ..old.clone()
    };
    rows.own(&mut row);
    Ok(rows.update(old, &row)?.then(|| Met::Run(lease(&row))))
}

/// Writes an intent.
fn run(rows: &mut dyn Rows, mut row: Row, recoveries: u32) -> Result<Option<Lease>> {
    row.status = Status::Intent;
    row.recoveries = recoveries;
    rows.own(&mut row);
    Ok(insert(rows, row)?.map(|row| lease(&row)))
}

fn lease(row: &Row) -> Lease {
    Lease { call_id: row.call_id.clone(), token: row.lease_token.unwrap_or_default(), seq: row.seq }
}

fn key_of(row: &Row, tool: &str, key: &str) -> CallKey {
    CallKey { tenant: row.tenant.clone(), tool: tool.to_owned(), key: key.to_owned() }
}

/// Changes a row; `None` when another process was faster.
fn change(rows: &mut dyn Rows, old: &Row, how: impl FnOnce(&mut Row)) -> Result<Option<Row>> {
    let mut new = old.clone();
    how(&mut new);
    Ok(rows.update(old, &new)?.then_some(new))
}

/// Marks a call that its owner has left as in doubt, and tells of it: nobody else can. `None` when another process was faster.
fn left(rows: &mut dyn Rows, row: &Row) -> Result<Option<Row>> {
    let marked = change(rows, row, doubt)?;
    if let Some(marked) = &marked {
        rows.audit(&AuditRow::of_lost(marked))?;
    }
    Ok(marked)
}

fn doubt(row: &mut Row) {
    row.status = Status::InDoubt;
    row.effect = Some(Effect::Unknown);
}

/// The row of a call.
fn known(rows: &mut dyn Rows, call: &str) -> Result<Row> {
    rows.get(call)?.ok_or_else(|| JournalError::UnknownCall(call.to_owned()))
}

fn refused(refusal: Refusal) -> JournalError {
    match refusal {
        Refusal::Fenced => JournalError::Fenced,
        Refusal::NotInDoubt => JournalError::NotInDoubt,
    }
}

fn start(rows: &mut dyn Rows, lease: &Lease) -> Result<()> {
    let row = known(rows, &lease.call_id)?;
    state::step(&row, row.lease_token == Some(lease.token), Event::Start).map_err(refused)?;
    let changed = change(rows, &row, |row| row.status = Status::Running)?;
    changed.map(drop).ok_or(JournalError::Fenced)
}

fn finish(rows: &mut dyn Rows, lease: &Lease, outcome: &Outcome) -> Result<Reply> {
    let row = known(rows, &lease.call_id)?;
    let now = rows.now_ms();
    let holds = row.lease_token == Some(lease.token) && row.superseded_by.is_none();
    if holds && row.revert_status.is_some() {
        let error = ToolError::from(JournalError::Fenced).to_json().to_string();
        change(rows, &row, |row| {
            row.revert_status = Some(RevertStatus::Failed);
            row.revert_error_json = Some(error);
        })?;
        return Ok(Reply::Fenced);
    }
    let step = state::step(&row, holds, Event::Finish(outcome.ended)).map_err(refused)?;
    let (_, effect) = state::finish(row.class, outcome.ended);
    let changed = change(rows, &row, |row| {
        match step {
            Step::To(status) => row.status = status,
            Step::Settled(resolution, by) => settle(row, resolution, by, now),
            Step::Counted | Step::Unchanged => {}
        }
        row.effect = Some(effect);
        // A clock that went backwards does not end a call before it began.
        row.finished_at_ms = Some(now.max(row.started_at_ms));
        row.output_json.clone_from(&outcome.output_json);
        row.error_json.clone_from(&outcome.error_json);
        row.retryable = outcome.retryable;
        row.takes_key &= outcome.took_key || row.status != Status::Ok;
        row.tries = outcome.tries;
    })?;
    let row = changed.ok_or(JournalError::Fenced)?;
    if let Some(told) = &outcome.audit {
        rows.audit(told)?;
    }
    Ok(Reply::Row(Box::new(row)))
}

fn settle(row: &mut Row, resolution: Resolution, by: ResolvedBy, now: i64) {
    row.status = Status::Reconciled;
    row.resolution = Some(resolution);
    row.resolved_by = Some(by);
    row.resolved_at_ms = Some(now);
}

fn reconcile(rows: &mut dyn Rows, call: &str, answer: &Answer, by: ResolvedBy) -> Result<Row> {
    let row = known(rows, call)?;
    let now = rows.now_ms();
    if row.superseded_by.is_some() {
        return Err(JournalError::NotInDoubt);
    }
    if *answer == Answer::Trying {
        state::step(&row, true, Event::Try).map_err(refused)?;
        return change(rows, &row, |row| row.recoveries += 1)?.ok_or(JournalError::NotInDoubt);
    }
    let step = state::step(&row, true, Event::Reconcile(answer.resolution())).map_err(refused)?;
    let Step::Settled(resolution, _) = step else { return Ok(row) };
    let changed = change(rows, &row, |row| {
        settle(row, resolution, by, now);
        match answer {
            Answer::Done(output) => {
                (row.output_json, row.error_json, row.effect) =
                    (Some(output.clone()), None, Some(Effect::Done));
            }
            Answer::Failed(error) => (row.output_json, row.error_json) = (None, Some(error.clone())),
            Answer::NotDone => row.effect = Some(Effect::None),
            Answer::Unknown | Answer::Trying | Answer::Abandoned => {}
        }
    })?;
    changed.ok_or(JournalError::NotInDoubt)
}

fn revert(rows: &mut dyn Rows, call: &str, status: RevertStatus, error: Option<&str>) -> Result<Row> {
    let row = known(rows, call)?;
    let now = rows.now_ms();
    if row.is_reverted() {
        return Ok(row);
    }
    let changed = change(rows, &row, |row| {
        row.revert_status = Some(status);
        row.revert_error_json = error.map(str::to_owned);
        row.reverted_at_ms = (status == RevertStatus::Reverted).then_some(now);
    })?;
    changed.ok_or_else(contended)
}

fn mark_lost(rows: &mut dyn Rows) -> Result<Vec<Row>> {
    let mut marked = Vec::new();
    for row in rows.open()? {
        if !rows.alive(&row)? {
            marked.extend(left(rows, &row)?);
        }
    }
    rows.forget_audits()?;
    Ok(marked)
}

impl Met {
    /// What the pipeline is told; `wait` makes what it waits with.
    pub fn told(self, wait: impl FnOnce(&Row) -> super::store::Waiter) -> super::store::Begun {
        use super::store::Begun;
        match self {
            Met::Run(lease) => Begun::Run(lease),
            Met::Replay(row) => Begun::Replay(row),
            Met::Wait(row) => Begun::Wait(wait(&row)),
            Met::Reconcile(row, lease) => Begun::Reconcile(row, lease),
            Met::Ask(row) => Begun::Ask(row),
            Met::OtherArguments(row) => Begun::Refuse(
                ToolError::conflict(format!(
                    "{} was called with this key and other arguments before.",
                    row.tool_name
                ))
                .code("idempotency_conflict")
                .hint("use another key for another call")
                .detail("call_id", row.call_id.clone()),
            ),
            Met::Abandoned(row) => Begun::Refuse(
                ToolError::conflict(format!(
                    "{} was given up: nobody could find out whether it happened.",
                    row.tool_name
                ))
                .code("abandoned")
                .detail("call_id", row.call_id.clone())
                .detail("status", row.status.word()),
            ),
        }
    }
}
