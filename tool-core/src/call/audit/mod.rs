//! The audit step: one row per call, refusals included, written when the call ends, whatever ends it. (calls.md §12)

mod file;
mod journal;
mod log;
mod preview;
mod query;
mod row;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use file::JsonLines;
pub use journal::JournalAudit;
pub use log::TracingAudit;
pub use query::AuditQuery;
pub use row::{AuditOutput, AuditRow};
pub(super) use row::{Ended, is_replayed};

use super::metrics::{self, Meter};
use super::redact::KnownSecrets;
use super::refuse::refuse;
use crate::error::ToolError;
use crate::registry::ToolEntry;

/// Where audit rows go.
pub trait AuditSink: Send + Sync {
    /// Writes a row.
    ///
    /// # Errors
    /// Whatever keeps it from being written; the call's result stays the same.
    fn write(&self, row: &AuditRow) -> Result<(), ToolError>;

    /// Whether the last row that it knows the end of was written; not so, side effects wait where rows are required.
    fn works(&self) -> bool {
        true
    }

    /// Whether the journal has the row of a call already whose outcome it recorded with it, so that it is not written again.
    fn comes_with_outcomes(&self) -> bool {
        false
    }
}

impl<S: AuditSink + ?Sized> AuditSink for Arc<S> {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        (**self).write(row)
    }

    fn works(&self) -> bool {
        (**self).works()
    }

    fn comes_with_outcomes(&self) -> bool {
        (**self).comes_with_outcomes()
    }
}

/// How calls are audited.
#[derive(Default)]
pub struct AuditSettings {
    /// Where rows go.
    pub sinks: Vec<Box<dyn AuditSink>>,
    /// What no row may hold.
    pub secrets: Arc<KnownSecrets>,
    /// Whether side effects are refused while a sink does not work.
    pub required: bool,
}

impl std::fmt::Debug for AuditSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuditSettings")
            .field("sinks", &self.sinks.len())
            .field("required", &self.required)
            .finish_non_exhaustive()
    }
}

/// The auditor of an executor.
pub(super) struct Audit {
    pub(super) settings: AuditSettings,
    broken: AtomicBool,
    lost: AtomicU64,
    /// Whether the loss of rows was told.
    told: AtomicBool,
    meter: Meter,
}

impl Audit {
    pub(super) fn new(settings: AuditSettings, meter: Meter) -> Audit {
        let (broken, told) = (AtomicBool::new(false), AtomicBool::new(false));
        Audit { settings, broken, lost: AtomicU64::new(0), told, meter }
    }

    /// Refuses a side effect that could not be audited.
    pub(super) fn check(&self, tool: &ToolEntry) -> Result<(), ToolError> {
        if !self.settings.required || !tool.def().behavior.side_effect {
            return Ok(());
        }
        let sinks = &self.settings.sinks;
        let works = !sinks.is_empty() && sinks.iter().all(|sink| sink.works());
        if works && !self.broken.load(Ordering::Acquire) {
            return Ok(());
        }
        let text = format!("{} has side effects, and calls cannot be audited now.", tool.name());
        Err(refuse("audit", ToolError::unavailable(text).code("audit_unavailable")))
    }

    /// Whether rows come with the outcomes that the journal records.
    pub(super) fn comes_with_outcomes(&self) -> bool {
        self.settings.sinks.iter().any(|sink| sink.comes_with_outcomes())
    }

    /// Writes a row to every sink; not to those that have it if it was `recorded` with the outcome.
    pub(super) fn write(&self, row: &AuditRow, recorded: bool) {
        let sinks = self.settings.sinks.iter().filter(|sink| !recorded || !sink.comes_with_outcomes());
        let failed: Vec<ToolError> = sinks.filter_map(|sink| sink.write(row).err()).collect();
        // What keeps rows from being written may be what the call failed with, as its caller knows.
        let known = failed.iter().any(|error| row.code.as_deref() == Some(error.code_str()));
        for error in &failed {
            let lost = self.lost.fetch_add(1, Ordering::Relaxed) + 1;
            self.meter.record(metrics::AUDIT_LOST, 1.0, &[]);
            let error = error.message();
            // Once: the metric counts the rest.
            if known || self.told.swap(true, Ordering::Relaxed) {
                tracing::debug!(target: "toolbox::audit", error, lost, "an audit row is lost");
            } else {
                tracing::error!(target: "toolbox::audit", error, lost, "an audit row is lost");
            }
        }
        self.broken.store(!failed.is_empty(), Ordering::Release);
    }
}
