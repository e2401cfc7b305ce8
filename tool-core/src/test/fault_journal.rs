//! A journal whose n-th write fails, or is the last thing before the process ends.

use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::call::{AuditQuery, AuditRow};
use crate::def::BoxFuture;
use crate::journal::key::Pepper;
use crate::journal::replay_gate::ReplayConsent;
use crate::journal::{
    Answer, Begin, Begun, CallKey, Journal, JournalError, Lease, Outcome, ResolvedBy, Result, RevertStatus,
    Row, RowQuery, Task, VerifyOptions, VerifyReport,
};

/// Decides for one journal that its n-th write fails, counted from 0; its clones decide the same.
///
/// ```
/// use serde_json::json;
/// use tool_core::prelude::*;
/// use tool_core::test::{FaultJournal, ToolKit};
///
/// /// Sends a letter.
/// #[tool(register = false, side_effect, idempotent = false)]
/// fn send_letter(/** To whom. */ to: &str, ctx: &ToolContext) -> String {
///     ctx.acts();
///     format!("sent to {to}")
/// }
///
/// let registry = tool_core::Registry::builder().add::<SendLetterTool>().build()?;
/// for n in 0.. {
///     let faults = FaultJournal::fail_at(n);
///     let kit = ToolKit::of(registry.clone()).journal_failing(faults.clone()).build();
///     let sent = kit.call_blocking("send_letter", json!({"to": "Ada"}));
///     if faults.hit().is_none() {
///         assert!(sent.is_ok() && n > 1);
///         break;
///     }
///     // Before its intent is kept, nothing is sent.
///     assert!(n > 0 || sent.unwrap_err().code_str() == "journal_unavailable");
/// }
/// # Ok::<(), tool_core::RegistryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FaultJournal {
    at: Option<(usize, Kind)>,
    seen: Arc<Mutex<Vec<JournalWrite>>>,
}

/// What becomes of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fails,
    Stops,
}

/// A write of a journal, by the method of [`Journal`] that asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is the method of its name")]
pub enum JournalWrite {
    Begin,
    Running,
    Finish,
    Record,
    NextAttempt,
    MarkLost,
    Reconcile,
    Revert,
    Consent,
    Audit,
}

impl FaultJournal {
    /// Nothing fails; what is written is noted.
    pub fn counting() -> FaultJournal {
        FaultJournal { at: None, seen: Arc::default() }
    }

    /// The n-th write fails, and none after it.
    pub fn fail_at(n: usize) -> FaultJournal {
        FaultJournal { at: Some((n, Kind::Fails)), seen: Arc::default() }
    }

    /// The process ends just before the n-th write: nothing is written or read any more. What another process finds then is in the
    /// journal that this one stands around.
    pub fn stop_at(n: usize) -> FaultJournal {
        FaultJournal { at: Some((n, Kind::Stops)), seen: Arc::default() }
    }

    /// The writes that were asked for, in order.
    pub fn writes(&self) -> Vec<JournalWrite> {
        self.held().clone()
    }

    /// The write that failed; `None` where there were fewer.
    pub fn hit(&self) -> Option<JournalWrite> {
        self.held().get(self.at?.0).copied()
    }

    /// A journal whose writes come to this.
    pub fn around(self, journal: impl Journal + 'static) -> impl Journal + 'static {
        Faulty { faults: self, journal: Box::new(journal) }
    }

    fn held(&self) -> MutexGuard<'_, Vec<JournalWrite>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a write happens.
    fn write(&self, write: JournalWrite) -> Result<()> {
        let mut seen = self.held();
        let nth = seen.len();
        seen.push(write);
        match self.at {
            Some((at, Kind::Fails)) if nth == at => Err(refusal("the test has this write fail")),
            Some((at, Kind::Stops)) if nth >= at => Err(refusal("the test has stopped the journal")),
            _ => Ok(()),
        }
    }

    /// Whether a read happens.
    fn read(&self) -> Result<()> {
        match self.at {
            Some((at, Kind::Stops)) if self.held().len() > at => {
                Err(refusal("the test has stopped the journal"))
            }
            _ => Ok(()),
        }
    }
}

fn refusal(why: &str) -> JournalError {
    JournalError::unavailable(format!("The journal cannot be used: {why}."))
}

/// A journal with its faults.
struct Faulty {
    faults: FaultJournal,
    journal: Box<dyn Journal>,
}

/// What comes of a write or read that may not happen.
macro_rules! unless_faulty {
    ($happens:expr, $then:expr) => {
        match $happens {
            Ok(()) => $then,
            Err(error) => Box::pin(ready(Err(error))),
        }
    };
}

impl Journal for Faulty {
    fn begin(&self, begin: Begin) -> BoxFuture<'_, Result<Begun>> {
        unless_faulty!(self.faults.write(JournalWrite::Begin), self.journal.begin(begin))
    }

    fn running(&self, lease: &Lease) {
        if self.faults.write(JournalWrite::Running).is_ok() {
            self.journal.running(lease);
        }
    }

    fn finish(&self, lease: Lease, outcome: Outcome) -> BoxFuture<'static, Result<Row>> {
        unless_faulty!(self.faults.write(JournalWrite::Finish), self.journal.finish(lease, outcome))
    }

    fn record(&self, call: Row) {
        if self.faults.write(JournalWrite::Record).is_ok() {
            self.journal.record(call);
        }
    }

    fn peek<'a>(&'a self, key: &'a CallKey) -> BoxFuture<'a, Result<Option<Row>>> {
        unless_faulty!(self.faults.read(), self.journal.peek(key))
    }

    fn rows<'a>(&'a self, query: &'a RowQuery) -> BoxFuture<'a, Result<Vec<Row>>> {
        unless_faulty!(self.faults.read(), self.journal.rows(query))
    }

    fn next_attempt<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<u32>> {
        unless_faulty!(self.faults.write(JournalWrite::NextAttempt), self.journal.next_attempt(task))
    }

    fn mark_lost(&self) -> BoxFuture<'_, Result<Vec<Row>>> {
        unless_faulty!(self.faults.write(JournalWrite::MarkLost), self.journal.mark_lost())
    }

    fn reconcile(&self, call_id: String, answer: Answer, by: ResolvedBy) -> BoxFuture<'_, Result<Row>> {
        unless_faulty!(
            self.faults.write(JournalWrite::Reconcile),
            self.journal.reconcile(call_id, answer, by)
        )
    }

    fn revert(
        &self,
        call_id: String,
        status: RevertStatus,
        error_json: Option<String>,
    ) -> BoxFuture<'_, Result<Row>> {
        unless_faulty!(
            self.faults.write(JournalWrite::Revert),
            self.journal.revert(call_id, status, error_json)
        )
    }

    fn consents<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<Vec<ReplayConsent>>> {
        unless_faulty!(self.faults.read(), self.journal.consents(task))
    }

    fn consent(&self, task: Task, consent: ReplayConsent) -> BoxFuture<'_, Result<()>> {
        unless_faulty!(self.faults.write(JournalWrite::Consent), self.journal.consent(task, consent))
    }

    fn is_alive<'a>(&'a self, row: &'a Row) -> BoxFuture<'a, bool> {
        self.journal.is_alive(row)
    }

    fn verify(&self, options: VerifyOptions) -> BoxFuture<'_, Result<VerifyReport>> {
        unless_faulty!(self.faults.read(), self.journal.verify(options))
    }

    fn keeps_audit(&self) -> bool {
        self.journal.keeps_audit()
    }

    fn audit(&self, row: AuditRow) -> BoxFuture<'static, Result<()>> {
        unless_faulty!(self.faults.write(JournalWrite::Audit), self.journal.audit(row))
    }

    fn audited<'a>(&'a self, query: &'a AuditQuery) -> BoxFuture<'a, Result<Vec<Value>>> {
        unless_faulty!(self.faults.read(), self.journal.audited(query))
    }

    fn owner(&self) -> &str {
        self.journal.owner()
    }

    fn pepper(&self) -> Pepper {
        self.journal.pepper()
    }

    fn has_pepper(&self) -> bool {
        self.journal.has_pepper()
    }

    fn is_stale(&self) -> BoxFuture<'static, ()> {
        self.journal.is_stale()
    }
}
