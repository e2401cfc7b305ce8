//! `toolbox approvals …`: consent that was given for good, and questions that wait for somebody. (calls.md §5)

use serde_json::{Value, json};
use tool_cli::Surroundings;
use tool_core::prelude::*;
use tool_core::{Approval, ApprovalId, ApprovalState, Approvals as _};

fn told(approval: &Approval) -> Value {
    let (state, reason) = match &approval.state {
        ApprovalState::Pending => ("pending", None),
        ApprovalState::Once => ("once", None),
        ApprovalState::Always => ("always", None),
        ApprovalState::Denied { reason } => ("denied", reason.as_deref()),
    };
    json!({
        "id": approval.id.0, "state": state, "at_ms": approval.at_ms, "agent": approval.agent, "tool": approval.tool,
        "args": approval.args, "reason": reason,
    })
}

/// Lists what was approved for good, and the questions that wait for somebody.
#[tool(group = "approvals", register = false)]
pub(crate) fn approvals_list(#[ctx] around: &Surroundings) -> ToolResult {
    let all = around.existing_journal()?.map_or_else(|| Ok(Vec::new()), |stored| stored.list())?;
    Ok(ToolOutput::structured(all.iter().map(told).collect::<Value>()))
}

/// Answers a question: the same call then passes, once or for good.
#[tool(group = "approvals", register = false, side_effect, idempotent)]
pub(crate) fn approvals_allow(
    /// Its id.
    #[arg(positional)]
    id: &str,
    /// All further calls with exactly these arguments, too.
    always: bool,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    decide(around, id, if always { ApprovalState::Always } else { ApprovalState::Once })
}

/// Answers a question with no.
#[tool(group = "approvals", register = false, side_effect, idempotent)]
pub(crate) fn approvals_deny(
    /// Its id.
    #[arg(positional)]
    id: &str,
    /// Why: the caller is told.
    reason: Option<String>,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    decide(around, id, ApprovalState::Denied { reason })
}

/// Takes consent back: the next such call asks again.
#[tool(group = "approvals", register = false, side_effect, idempotent)]
pub(crate) fn approvals_revoke(
    /// Its id.
    #[arg(positional)]
    id: &str,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    match around.existing_journal()?.ok_or_else(|| unknown(id))?.revoke(&ApprovalId(id.to_owned()))? {
        true => Ok(ToolOutput::structured(json!({"id": id, "state": "revoked"}))),
        false => Err(unknown(id)),
    }
}

fn decide(around: &Surroundings, id: &str, state: ApprovalState) -> ToolResult {
    let approvals = around.existing_journal()?.ok_or_else(|| unknown(id))?;
    let id = ApprovalId(id.to_owned());
    if !approvals.decide(&id, state)? {
        return Err(unknown(&id.0));
    }
    let decided = approvals.list()?.into_iter().find(|approval| approval.id == id);
    Ok(ToolOutput::structured(decided.as_ref().map_or(Value::Null, told)))
}

fn unknown(id: &str) -> ToolError {
    ToolError::not_found(format!("There is no approval {id:.80}."))
        .code("unknown_approval")
        .hint("`toolbox approvals list` names them")
}
