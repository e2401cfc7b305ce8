//! Audit rows that are kept in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::call::{AuditRow, AuditSink};
use crate::error::ToolError;

/// Keeps the rows of all calls, in the order in which they ended.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use tool_core::test::Audited;
/// use tool_core::{AuditSettings, Call, Caller, Executor, Registry, ToolContext, prelude::*};
///
/// /// Answers pong.
/// #[tool(register = false)]
/// fn ping() -> &'static str {
///     "pong"
/// }
///
/// let rows = Arc::new(Audited::default());
/// let settings = AuditSettings { sinks: vec![Box::new(Arc::clone(&rows))], ..AuditSettings::default() };
/// let registry = Registry::builder().add::<PingTool>().build()?;
/// let executor = Executor::standard(registry).audit(settings).build()?;
/// executor.call_blocking(Call::new("ping", json!({})), &ToolContext::empty(), Caller::Test)?;
/// assert_eq!(rows.rows()[0].outcome, "ok");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Audited(Mutex<Vec<AuditRow>>);

impl Audited {
    fn held(&self) -> MutexGuard<'_, Vec<AuditRow>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows so far.
    pub fn rows(&self) -> Vec<AuditRow> {
        self.held().clone()
    }

    /// The row of a call.
    pub fn row(&self, call_id: &str) -> Option<AuditRow> {
        self.held().iter().find(|row| row.call_id == call_id).cloned()
    }
}

impl AuditSink for Audited {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        self.held().push(row.clone());
        Ok(())
    }
}
