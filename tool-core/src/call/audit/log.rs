//! Audit rows as log events.

use super::{AuditRow, AuditSink};
use crate::error::ToolError;

/// Rows as events of the target `toolbox::audit`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingAudit;

impl AuditSink for TracingAudit {
    fn write(&self, row: &AuditRow) -> Result<(), ToolError> {
        let text = serde_json::to_string(row)
            .map_err(|error| ToolError::internal("An audit row could not be written.").source(error))?;
        tracing::info!(
            target: "toolbox::audit",
            tool = row.tool,
            agent = row.agent,
            outcome = row.outcome,
            code = row.code,
            row = text,
            "call"
        );
        Ok(())
    }
}
