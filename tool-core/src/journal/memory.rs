//! A journal in memory: for tests, and for programs whose calls need not outlive them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;

use super::chain::{self, Entry, Head, Verdict};
use super::fault::JournalError;
use super::key::Pepper;
use super::machine::{self, Op, Reply, Rows};
use super::places::Places;
use super::replay_gate::ReplayConsent;
use super::row::Row;
use super::store::{
    Answer, Begin, Begun, CallKey, Journal, Lease, Outcome, Result, RowQuery, Task, VerifyOptions,
    VerifyReport, Waiter,
};
use super::words::{ResolvedBy, RevertStatus, Word};
use crate::def::BoxFuture;

/// A journal in memory.
#[derive(Debug)]
pub struct MemoryJournal {
    shared: Arc<Shared>,
    owner: String,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
    tokens: AtomicI64,
}

#[derive(Debug, Default)]
struct State {
    rows: BTreeMap<String, Row>,
    /// The live row of each key, as the unique index of a database.
    live: HashMap<CallKey, String>,
    places: Places,
    log: Vec<Entry>,
    head: Head,
    attempts: HashMap<Task, u32>,
    /// The greatest number of each attempt's calls.
    seqs: HashMap<(Task, u32), u32>,
    consents: Vec<(Task, ReplayConsent)>,
    owners: BTreeSet<String>,
}

impl Default for MemoryJournal {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryJournal {
    /// An empty journal.
    pub fn new() -> MemoryJournal {
        Self::of(Arc::default())
    }

    /// The same journal, written by another owner: what another process would be.
    #[must_use]
    pub fn another(&self) -> MemoryJournal {
        Self::of(Arc::clone(&self.shared))
    }

    fn of(shared: Arc<Shared>) -> MemoryJournal {
        let owner = uuid::Uuid::now_v7().to_string();
        lock(&shared).owners.insert(owner.clone());
        MemoryJournal { shared, owner }
    }

    fn apply(&self, op: Op) -> Result<Reply> {
        let mut state = lock(&self.shared);
        let mut rows = Table { state: &mut state, owner: &self.owner, tokens: &self.shared.tokens };
        let reply = machine::apply(&mut rows, &op);
        drop(state);
        self.shared.changed.notify_waiters();
        reply
    }

    fn row(&self, op: Op) -> BoxFuture<'static, Result<Row>> {
        ready(self.apply(op).and_then(Reply::row))
    }

    /// Completes when a row may be open no longer.
    fn wait(&self, call_id: String) -> Waiter {
        let shared = Arc::clone(&self.shared);
        Waiter::new(async move {
            loop {
                let changed = shared.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                {
                    let state = lock(&shared);
                    let open = state.rows.get(&call_id).filter(|row| row.status.is_open());
                    let owned = open.and_then(|row| row.owner.as_ref());
                    if !owned.is_some_and(|owner| state.owners.contains(owner)) {
                        return;
                    }
                }
                changed.await;
            }
        })
    }
}

impl Drop for MemoryJournal {
    fn drop(&mut self) {
        lock(&self.shared).owners.remove(&self.owner);
        self.shared.changed.notify_waiters();
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ready<T: Send + 'static>(value: T) -> BoxFuture<'static, T> {
    Box::pin(std::future::ready(value))
}

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

impl Journal for MemoryJournal {
    fn begin(&self, begin: Begin) -> BoxFuture<'_, Result<Begun>> {
        ready(self.apply(Op::Begin(Box::new(begin))).and_then(|reply| match reply {
            Reply::Begun(met) => Ok(met.told(|row| self.wait(row.call_id.clone()))),
            _ => Err(JournalError::unavailable("The journal gave no answer.")),
        }))
    }

    fn running(&self, lease: &Lease) {
        let _ = self.apply(Op::Running(lease.clone()));
    }

    fn finish(&self, lease: Lease, outcome: Outcome) -> BoxFuture<'static, Result<Row>> {
        self.row(Op::Finish(lease, Box::new(outcome)))
    }

    fn record(&self, call: Row) {
        let _ = self.apply(Op::Record(Box::new(call)));
    }

    fn peek<'a>(&'a self, key: &'a CallKey) -> BoxFuture<'a, Result<Option<Row>>> {
        let mut state = lock(&self.shared);
        let mut rows = Table { state: &mut state, owner: &self.owner, tokens: &self.shared.tokens };
        ready(rows.live(key))
    }

    fn rows<'a>(&'a self, query: &'a RowQuery) -> BoxFuture<'a, Result<Vec<Row>>> {
        let state = lock(&self.shared);
        if let Some(call_id) = &query.call_id {
            let row = state.rows.get(call_id).filter(|row| query.selects(row));
            return ready(Ok(row.cloned().into_iter().collect()));
        }
        let all = state.places.of(query);
        let mut rows: Vec<Row> = match all {
            Some(calls) => calls
                .iter()
                .filter_map(|call| state.rows.get(call))
                .filter(|row| query.selects(row))
                .cloned()
                .collect(),
            None => state.rows.values().filter(|row| query.selects(row)).cloned().collect(),
        };
        rows.sort_by(|one, other| order(one).cmp(&order(other)));
        if let Some(after) = &query.after {
            let behind = rows.iter().position(|row| row.call_id == *after).map_or(0, |at| at + 1);
            rows.drain(..behind);
        }
        rows.truncate(query.limit.unwrap_or(usize::MAX));
        if query.brief {
            rows.iter_mut().for_each(|row| {
                row.input_json.clear();
                (row.output_json, row.error_json) = (None, None);
            });
        }
        ready(Ok(rows))
    }

    fn next_attempt<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<u32>> {
        ready(self.apply(Op::NextAttempt(task.clone())).and_then(|reply| match reply {
            Reply::Attempt(attempt) => Ok(attempt),
            _ => Err(JournalError::unavailable("The journal gave no attempt.")),
        }))
    }

    fn mark_lost(&self) -> BoxFuture<'_, Result<Vec<Row>>> {
        ready(self.apply(Op::MarkLost).map(|reply| match reply {
            Reply::Rows(rows) => rows,
            _ => Vec::new(),
        }))
    }

    fn reconcile(&self, call_id: String, answer: Answer, by: ResolvedBy) -> BoxFuture<'_, Result<Row>> {
        self.row(Op::Reconcile(call_id, answer, by))
    }

    fn revert(
        &self,
        call_id: String,
        status: RevertStatus,
        error_json: Option<String>,
    ) -> BoxFuture<'_, Result<Row>> {
        self.row(Op::Revert(call_id, status, error_json))
    }

    fn consents<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<Vec<ReplayConsent>>> {
        let state = lock(&self.shared);
        let given = state.consents.iter().filter(|(of, _)| of == task).map(|(_, consent)| consent.clone());
        ready(Ok(given.collect()))
    }

    fn consent(&self, task: Task, consent: ReplayConsent) -> BoxFuture<'_, Result<()>> {
        ready(self.apply(Op::Consent(task, consent)).map(drop))
    }

    fn is_alive<'a>(&'a self, row: &'a Row) -> BoxFuture<'a, bool> {
        let state = lock(&self.shared);
        ready(row.owner.as_ref().is_some_and(|owner| state.owners.contains(owner)))
    }

    fn verify(&self, options: VerifyOptions) -> BoxFuture<'_, Result<VerifyReport>> {
        let state = lock(&self.shared);
        let mut verdict = chain::verify(&state.log, Some(state.head));
        let mut last = HashMap::new();
        last.extend(state.log.iter().map(|entry| (entry.call_id.as_str(), entry.row)));
        if let Some(expect) = options.expect.filter(|_| verdict.is_ok()) {
            let entry = state.log.iter().find(|entry| entry.n == expect.n);
            verdict = match entry {
                Some(entry) if entry.hash == expect.hash => verdict,
                Some(entry) => Verdict::SealMismatch { n: entry.n },
                None => Verdict::Truncated { n: state.head.n, sealed: expect.n },
            };
        }
        let changed = state.rows.values().find(|row| last.get(row.call_id.as_str()) != Some(&row.sha256()));
        if let Some(row) = changed.filter(|_| verdict.is_ok()) {
            verdict = Verdict::RowChanged { call_id: row.call_id.clone() };
        }
        let (entries, rows) = (state.log.len() as u64, state.rows.len() as u64);
        ready(Ok(VerifyReport { verdict, entries, rows, sealed: Some(state.head.n) }))
    }

    fn owner(&self) -> &str {
        &self.owner
    }

    fn pepper(&self) -> Pepper {
        Pepper::default()
    }
}

/// The order of rows: numbers as numbers.
fn order(row: &Row) -> (&str, &str, &str, u64, u32, u32) {
    (&row.tenant, &row.run_id, &row.node_id, row.iteration, row.attempt, row.seq)
}

impl RowQuery {
    /// Whether a row is asked for, apart from paging.
    pub fn selects(&self, row: &Row) -> bool {
        let is = |asked: &Option<String>, value: &str| asked.as_deref().is_none_or(|asked| asked == value);
        is(&self.call_id, &row.call_id)
            && is(&self.run_id, &row.run_id)
            && is(&self.tool, &row.tool_name)
            && is(&self.call_key, &row.call_key)
            && self.attempt.is_none_or(|attempt| attempt == row.attempt)
            && self.status.is_none_or(|status| status == row.status)
            && is(&self.args_sha256, &row.args_sha256)
            && self.unprotected.as_ref().is_none_or(|unprotected| unprotected.selects(row))
            && self.task.as_ref().is_none_or(|task| *task == Task::of(row))
    }
}

struct Table<'s> {
    state: &'s mut State,
    owner: &'s str,
    tokens: &'s AtomicI64,
}

impl Table<'_> {
    fn log(&mut self, row: &Row) {
        let at = now_ms();
        let entry = self.state.head.append(&row.call_id, row.status.word(), at, row.sha256());
        self.state.log.push(entry);
    }

    fn index(&mut self, row: &Row) {
        let key =
            CallKey { tenant: row.tenant.clone(), tool: row.tool_name.clone(), key: row.call_key.clone() };
        if row.is_live() {
            self.state.live.insert(key, row.call_id.clone());
        } else if self.state.live.get(&key) == Some(&row.call_id) {
            self.state.live.remove(&key);
        }
    }
}

impl Rows for Table<'_> {
    fn get(&mut self, call_id: &str) -> Result<Option<Row>> {
        Ok(self.state.rows.get(call_id).cloned())
    }

    fn live(&mut self, key: &CallKey) -> Result<Option<Row>> {
        Ok(self.state.live.get(key).and_then(|call| self.state.rows.get(call)).cloned())
    }

    fn last_seq(&mut self, row: &Row) -> Result<u32> {
        Ok(self.state.seqs.get(&(Task::of(row), row.attempt)).copied().unwrap_or(0))
    }

    fn insert(&mut self, row: &Row) -> Result<bool> {
        let key =
            CallKey { tenant: row.tenant.clone(), tool: row.tool_name.clone(), key: row.call_key.clone() };
        if self.state.rows.contains_key(&row.call_id) {
            return Err(JournalError::store(
                crate::ErrorKind::Conflict,
                "call_id_taken",
                format!("There is a call with the id {:.80} already.", row.call_id),
            ));
        }
        if row.is_live() && self.state.live.contains_key(&key) {
            return Ok(false);
        }
        self.state.rows.insert(row.call_id.clone(), row.clone());
        self.state.places.add(row);
        self.index(row);
        self.log(row);
        self.state.seqs.insert((Task::of(row), row.attempt), row.seq);
        let attempt = self.state.attempts.entry(Task::of(row)).or_default();
        *attempt = (*attempt).max(row.attempt);
        Ok(true)
    }

    fn update(&mut self, old: &Row, new: &Row) -> Result<bool> {
        let same = self.state.rows.get(&old.call_id).is_some_and(|row| {
            (row.status, row.lease_token, &row.superseded_by)
                == (old.status, old.lease_token, &old.superseded_by)
        });
        if same {
            self.state.rows.insert(new.call_id.clone(), new.clone());
            self.index(new);
            self.log(new);
        }
        Ok(same)
    }

    fn open(&mut self) -> Result<Vec<Row>> {
        Ok(self.state.rows.values().filter(|row| row.status.is_open()).cloned().collect())
    }

    fn alive(&mut self, row: &Row) -> Result<bool> {
        Ok(row.owner.as_ref().is_some_and(|owner| self.state.owners.contains(owner)))
    }

    fn own(&mut self, row: &mut Row) {
        row.owner = Some(self.owner.to_owned());
        row.lease_token = Some(self.tokens.fetch_add(1, Ordering::Relaxed) + 1);
    }

    fn now_ms(&mut self) -> i64 {
        now_ms()
    }

    fn take_attempt(&mut self, task: &Task) -> Result<u32> {
        let attempt = self.state.attempts.entry(task.clone()).or_default();
        *attempt += 1;
        Ok(*attempt)
    }

    fn keep_consent(&mut self, task: &Task, consent: &ReplayConsent) -> Result<()> {
        self.state.consents.push((task.clone(), consent.clone()));
        Ok(())
    }
}
