//! Audit rows in the journal: those of recorded side effects come with their outcomes, in one transaction.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use super::{AuditRow, AuditSink};
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::journal::{Journal, Result as Written};

/// Rows in the store of a journal, which must be the one that the executor records calls in, if it records any.
///
/// Nobody waits for a row: that one was lost is told with the next.
pub struct JournalAudit {
    journal: Arc<dyn Journal>,
    queued: Mutex<Vec<BoxFuture<'static, Written<()>>>>,
}

impl JournalAudit {
    /// Rows beside the calls of a journal.
    pub fn new(journal: Arc<dyn Journal>) -> JournalAudit {
        JournalAudit { journal, queued: Mutex::default() }
    }
}

impl fmt::Debug for JournalAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JournalAudit")
    }
}

impl AuditSink for JournalAudit {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        let mut queued = self.queued.lock().unwrap_or_else(PoisonError::into_inner);
        queued.push(self.journal.audit(row.clone()));
        let mut lost = None;
        queued.retain_mut(|written| match written.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => true,
            Poll::Ready(Ok(())) => false,
            Poll::Ready(Err(error)) => {
                lost = Some(error);
                false
            }
        });
        lost.map_or(Ok(()), |error| Err(error.into()))
    }

    fn comes_with_outcomes(&self) -> bool {
        true
    }
}
