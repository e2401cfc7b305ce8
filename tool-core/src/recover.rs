//! Recovery: what is done about one recorded call whose outcome is not known, when nobody calls it again. (journal.md §5)

use serde_json::Value;

use crate::call::{Call, Caller, Executor, reconciled};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::journal::state::{self, Recovery};
use crate::journal::{Answer, Journal, JournalError, RecordedCall, ResolvedBy, Row, RowQuery};

/// Does what the table says about a row, and tells what that was.
///
/// A call that is run again goes through the executor under its own keys and as its own caller and agent, so that every rule of
/// that executor holds for it.
///
/// # Errors
/// Those of the journal. A call that is run again and fails is settled by that; one that could not even begin is left to a
/// person, and the log says why.
pub async fn recover(
    executor: &Executor,
    journal: &dyn Journal,
    ctx: &ToolContext,
    row: &Row,
) -> Result<Recovery, ToolError> {
    let alive = journal.is_alive(row).await;
    let action = state::recover(row, alive);
    let settle = |answer, by| async move {
        match journal.reconcile(row.call_id.clone(), answer, by).await {
            Ok(_) => Ok(true),
            // Somebody else has settled it meanwhile.
            Err(JournalError::NotInDoubt) => Ok(false),
            Err(error) => Err(ToolError::from(error)),
        }
    };
    match action {
        Recovery::Leave | Recovery::AwaitCaller | Recovery::Surface => {}
        Recovery::Abandon => {
            settle(Answer::Abandoned, ResolvedBy::Recovery).await?;
        }
        Recovery::Reconcile => {
            let tool = executor.registry().get(&row.tool_name);
            let Some(tool) = tool.filter(|tool| tool.def().reconcile.is_some()) else {
                return Ok(Recovery::Surface);
            };
            // Counted first: a handler that takes the process with it is asked three times and not for ever.
            if !settle(Answer::Trying, ResolvedBy::Recovery).await? {
                return Ok(Recovery::Leave);
            }
            let answer = reconciled(tool, &RecordedCall::of(row, None), ctx).await.answer();
            if answer == Answer::Unknown {
                return Ok(Recovery::Surface);
            }
            settle(answer, ResolvedBy::Reconcile).await?;
        }
        Recovery::Rerun => {
            let args: Value = serde_json::from_str(&row.input_json).unwrap_or_default();
            let ctx = ctx.for_recovery(row);
            let caller = Caller::ALL.into_iter().find(|caller| caller.as_str() == row.caller);
            let call = Call::new(row.tool_name.as_str(), args);
            let result = executor.call(call, &ctx, caller.unwrap_or(Caller::Tool)).await;
            // What becomes of it is recorded, success or not, once it has begun.
            let query = RowQuery { call_id: Some(row.call_id.clone()), brief: true, ..RowQuery::default() };
            let now = journal.rows(&query).await?.pop();
            let begun = now.is_none_or(|now| now.superseded_by.is_some());
            if let (Err(error), false) = (result, begun) {
                let (tool, call_id) = (&row.tool_name, &row.call_id);
                tracing::warn!(target: "toolbox::journal", tool, call_id, %error, "a call could not be run again");
                return Ok(Recovery::Surface);
            }
        }
    }
    Ok(action)
}
