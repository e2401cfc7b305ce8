//! Whose call it is: what limits, approvals, results and records are kept by.

use crate::context::ToolContext;

/// Tenant, agent and run of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who<'a> {
    pub(super) tenant: &'a str,
    pub(super) agent: &'a str,
    /// Empty where there is no run.
    pub(super) run: &'a str,
}

impl<'a> Who<'a> {
    pub(super) fn of(ctx: &'a ToolContext) -> Who<'a> {
        Who { tenant: ctx.tenant(), agent: ctx.agent(), run: ctx.run_id() }
    }
}
