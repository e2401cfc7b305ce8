//! Recovery: what is done about one recorded call whose outcome is not known, when nobody calls it again. (journal.md §5)

use serde_json::Value;

use crate::call::{Call, Caller, Executor, RECONCILE_TIME};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::journal::state::{self, Recovery};
use crate::journal::{Answer, Journal, JournalError, Reconciled, RecordedCall, ResolvedBy, Row};

/// Does what the table says about a row, and tells what that was.
///
/// A call that is run again goes through the executor under its own keys, so that every rule holds for it.
///
/// # Errors
/// Those of the journal. A call that is run again and fails is settled by that.
pub async fn recover(
    executor: &Executor,
    journal: &dyn Journal,
    ctx: &ToolContext,
    row: &Row,
) -> Result<Recovery, ToolError> {
    let alive = journal.is_alive(row).await;
    let action = state::recover(row, alive);
    match action {
        Recovery::Leave | Recovery::AwaitCaller | Recovery::Surface => {}
        Recovery::Abandon => {
            settled(journal.reconcile(row.call_id.clone(), Answer::Abandoned, ResolvedBy::Recovery).await)?;
        }
        Recovery::Reconcile => {
            let call = RecordedCall::of(row, None);
            let tool = executor.registry().get(&row.tool_name);
            let handler = tool.and_then(|tool| Some((tool.def(), tool.def().reconcile?)));
            let Some((def, handler)) = handler else { return Ok(Recovery::Surface) };
            let answer = tokio::time::timeout(RECONCILE_TIME, (handler.run)(&call, ctx)).await;
            let answer = answer.unwrap_or(Reconciled::Unknown).recordable(def).answer();
            if answer == Answer::Unknown {
                return Ok(Recovery::Surface);
            }
            settled(journal.reconcile(row.call_id.clone(), answer, ResolvedBy::Reconcile).await)?;
        }
        Recovery::Rerun => {
            let args: Value = serde_json::from_str(&row.input_json).unwrap_or_default();
            let ctx = ctx.for_recovery(row);
            // What becomes of it is recorded, success or not.
            let _ = executor.call(Call::new(row.tool_name.as_str(), args), &ctx, Caller::Tool).await;
        }
    }
    Ok(action)
}

/// Somebody else may have settled it meanwhile.
fn settled(result: Result<Row, JournalError>) -> Result<(), ToolError> {
    match result {
        Ok(_) | Err(JournalError::NotInDoubt) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
