//! A policy for tests: the same for every agent and tool.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use tool_core::{Limits, Pattern, Policy, PolicyRequest, Row, RowSource, ToolApproval, ToolEntry, ToolError};

/// All tools, with these limits.
#[derive(Clone, Debug)]
pub(crate) struct OnePolicy {
    /// Of each tool.
    pub(crate) tool: Limits,
    /// Of each agent.
    pub(crate) agent: Limits,
    /// When to ask.
    pub(crate) approval: ToolApproval,
    /// Which tools.
    pub(crate) rows: Vec<&'static str>,
    /// What it is called in audit rows.
    pub(crate) sha256: &'static str,
}

impl Default for OnePolicy {
    fn default() -> Self {
        OnePolicy {
            tool: Limits::default(),
            agent: Limits::default(),
            approval: ToolApproval::Never,
            rows: vec!["*"],
            sha256: "one",
        }
    }
}

impl Policy for OnePolicy {
    fn sha256(&self) -> &str {
        self.sha256
    }

    fn knows(&self, _: &str) -> bool {
        true
    }

    fn rows(&self, _: &str) -> Vec<Row> {
        let row = |text: &&str| Row::new(Pattern::parse(text).unwrap(), RowSource::Policy);
        self.rows.iter().map(row).collect()
    }

    fn flags(&self, _: &str) -> Vec<(String, bool)> {
        Vec::new()
    }

    fn judge(&self, _: &PolicyRequest<'_>) -> Result<(), ToolError> {
        Ok(())
    }

    fn approval(&self, _: &str, _: &ToolEntry) -> Option<ToolApproval> {
        Some(self.approval)
    }

    fn agent_limits(&self, _: &str) -> Limits {
        self.agent
    }

    fn tool_limits(&self, _: &str, _: &ToolEntry) -> Limits {
        self.tool
    }
}
