//! Audit rows in the journal: those of recorded side effects come with their outcomes, in one transaction.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::{AuditRow, AuditSink};
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::journal::{Journal, JournalError, Result as Written};

/// Rows in the store of a journal, which must be the one that the executor records calls in, if it records any.
///
/// Nobody waits for a row: that one was lost is told with the next.
pub struct JournalAudit {
    journal: Arc<dyn Journal>,
    queue: Mutex<Queue>,
}

/// The rows on their way.
#[derive(Default)]
struct Queue {
    waiting: Vec<BoxFuture<'static, Written<()>>>,
    /// Why a row was lost, until that is told.
    lost: Option<JournalError>,
    /// Whether that was the end of the last row whose end is known.
    failing: bool,
}

impl Queue {
    /// Looks which rows have come to their end.
    fn look(&mut self) {
        let Queue { waiting, lost, failing } = self;
        waiting.retain_mut(|written| match written.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => true,
            Poll::Ready(done) => {
                *failing = done.is_err();
                *lost = done.err().or(lost.take());
                false
            }
        });
    }
}

impl JournalAudit {
    /// Rows beside the calls of a journal.
    pub fn new(journal: Arc<dyn Journal>) -> JournalAudit {
        JournalAudit { journal, queue: Mutex::default() }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for JournalAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JournalAudit")
    }
}

impl AuditSink for JournalAudit {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        let mut queue = self.queue();
        queue.waiting.push(self.journal.audit(row.clone()));
        queue.look();
        queue.lost.take().map_or(Ok(()), |error| Err(error.into()))
    }

    fn works(&self) -> bool {
        let mut queue = self.queue();
        queue.look();
        !queue.failing
    }

    fn comes_with_outcomes(&self) -> bool {
        true
    }
}
