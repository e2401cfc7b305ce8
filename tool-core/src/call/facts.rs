//! What layers find out about one call, for its audit row and its span.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::approvals::ApprovalId;
use super::audit::AuditRow;
use super::gate::{Admitted, Hidden};
use super::outside::Telling;
use super::redact::KnownSecrets;
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// The facts of one call; layers find them in [`super::Ext`] where somebody wants to know.
#[derive(Debug, Default)]
pub(super) struct Facts {
    known: Mutex<Known>,
    /// What its audit row is made of, where the journal has it with the outcome.
    telling: OnceLock<Arc<Telling>>,
}

/// What is known so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) tool: Option<ToolEntry>,
    pub(super) args: Option<Arc<Value>>,
    pub(super) policy_sha256: Option<String>,
    pub(super) hidden: Option<Hidden>,
    pub(super) approved_by: Option<String>,
    pub(super) approval_id: Option<String>,
    pub(super) queued: Duration,
    pub(super) tries: u32,
    pub(super) coerced: bool,
    pub(super) parked: bool,
    pub(super) call_id: Option<String>,
    /// The trace that it is part of.
    pub(super) trace_id: Option<String>,
    /// The number of the call in its attempt, and the digest of its key.
    pub(super) seq: Option<u32>,
    pub(super) key_sha256: Option<String>,
    /// Whether nobody knows what the call did.
    pub(super) in_doubt: bool,
    /// What must not leave the call, where its own arguments are part of that.
    pub(super) secrets: Option<Arc<KnownSecrets>>,
    /// Whether the journal has the audit row with the outcome.
    pub(super) audited: bool,
    /// How long somebody thought about each question, and what came of it.
    pub(super) approvals: Vec<(Duration, &'static str)>,
}

impl Facts {
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the journal have the audit row with the outcome.
    pub(super) fn tell_by(&self, telling: &Arc<Telling>) {
        let _ = self.telling.set(Arc::clone(telling));
    }

    /// The audit row of a result, where the journal is to have it with the outcome.
    pub(super) fn row(&self, result: &ToolResult) -> Option<Box<AuditRow>> {
        let telling = self.telling.get()?;
        Some(Box::new(telling.row(self.known().clone(), Some(result))))
    }

    /// Notes which tool was found, and by which policy it is judged.
    pub(super) fn met(&self, tool: &ToolEntry, admitted: Option<&Admitted>) {
        let mut known = self.known();
        known.tool = Some(tool.clone());
        let policy = admitted.and_then(|admitted| admitted.policy.as_ref());
        known.policy_sha256 = policy.map(|policy| policy.sha256().to_owned());
    }

    /// Notes that the tool is tried; how often in all, who repeats it knows.
    pub(super) fn begun(&self) {
        let mut known = self.known();
        known.tries = known.tries.max(1);
    }

    pub(super) fn approved(&self, by: &str, id: Option<&ApprovalId>) {
        let mut known = self.known();
        known.approved_by = Some(by.to_owned());
        known.approval_id = id.map(|id| id.0.clone());
    }
}
