//! Undoing one recorded call: what its tool says takes it back, as a journaled call of its own. (journal.md §8)

use std::time::Instant;

use serde_json::{Value, json};

use crate::call::{AuditRow, Caller, Executor, Quiet, quiet};
use crate::canonical;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::journal::key::{Named, Place};
use crate::journal::{
    Answer, Begin, Begun, Class, Journal, JournalError, Lease, Outcome, RecordedCall, ResolvedBy,
    RevertStatus, Row, RowQuery, Status, error_to_json,
};
use crate::registry::Registry;

/// What calls that undo another one are recorded as.
pub const UNDO: &str = "journal_revert";

/// Undoes a call by the handler of its tool.
///
/// The undoing has its own row, with the call as parent and outside of its run: what is undone is no attempt at the run's
/// work. It is audited as any call of the executor. `program` is the name and version that the row carries. A process that
/// dies in the middle leaves it in doubt; who undoes the call again has decided that, and the row is given up.
///
/// # Errors
/// `not_found`, code `no_handler`, for a tool that is gone or cannot undo; those of the handler, with which the call stays as
/// it was; those of the journal, before anything is undone.
pub async fn undo(
    executor: &Executor,
    journal: &dyn Journal,
    ctx: &ToolContext,
    row: &Row,
    caller: Caller,
    program: &str,
) -> Result<(), ToolError> {
    let (draft, began) = (draft(ctx, row, caller, program), Instant::now());
    let result = undone(executor.registry(), journal, ctx, row, &draft).await;
    executor.audit(|| AuditRow::of_recorded(&draft, result.as_ref().err(), began.elapsed()));
    result
}

async fn undone(
    registry: &Registry,
    journal: &dyn Journal,
    ctx: &ToolContext,
    row: &Row,
    draft: &Row,
) -> Result<(), ToolError> {
    let tool = registry.get(&row.tool_name);
    let handler = tool.and_then(|tool| Some((tool.def(), tool.def().revert?)));
    let (def, handler) =
        handler.ok_or_else(|| ToolError::not_found("Its tool is gone.").code("no_handler"))?;
    given_up(journal, row).await?;
    let lease = begun(journal, draft.clone()).await?;
    let result = match journal.revert(row.call_id.clone(), RevertStatus::Reverting, None).await {
        Ok(_) => {
            journal.running(&lease);
            let call = RecordedCall::of(row, None);
            let undone = match quiet(&row.tool_name, || (handler.run)(&call, ctx)) {
                Some(undone) => Quiet(undone).await,
                None => None,
            };
            // What a handler did that panicked, nobody knows; the call says that it failed, and others can be undone.
            undone.unwrap_or_else(|| {
                Err(ToolError::internal("What undoes it stopped unexpectedly.").code("panic"))
            })
        }
        // Nothing was undone.
        Err(error) => {
            let error = ToolError::from(error).effect(crate::error::Effect::None);
            settled(journal, lease, &Outcome::error(&error)).await;
            return Err(error);
        }
    };
    let (status, error, outcome) = match &result {
        Ok(()) => (RevertStatus::Reverted, None, Outcome::ok("{}")),
        Err(error) => {
            let told = error_to_json(def, error).to_string();
            let outcome = Outcome { error_json: Some(told.clone()), ..Outcome::error(error) };
            (RevertStatus::Failed, Some(told), outcome)
        }
    };
    let noted = journal.revert(row.call_id.clone(), status, error).await;
    settled(journal, lease, &outcome).await;
    noted?;
    result
}

/// Gives up earlier tries at undoing the call of which nobody knows what they did.
async fn given_up(journal: &dyn Journal, row: &Row) -> Result<(), ToolError> {
    let query =
        RowQuery { tool: Some(UNDO.to_owned()), status: Some(Status::InDoubt), ..RowQuery::default() };
    let earlier = journal.rows(&query).await?;
    for earlier in earlier.into_iter().filter(|earlier| earlier.parent_call_id.as_ref() == Some(&row.call_id))
    {
        match journal.reconcile(earlier.call_id, Answer::Abandoned, ResolvedBy::Person).await {
            Ok(_) | Err(JournalError::NotInDoubt) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

async fn begun(journal: &dyn Journal, row: Row) -> Result<Lease, ToolError> {
    match journal.begin(Begin { row, former: Vec::new(), consented: None }).await? {
        Begun::Run(lease) => Ok(lease),
        _ => Err(ToolError::internal("An undoing met itself in the journal.")),
    }
}

/// Writes the outcome. What was done is told even where it cannot be recorded.
async fn settled(journal: &dyn Journal, lease: Lease, outcome: &Outcome) {
    if let Err(error) = journal.finish(lease, outcome.clone()).await {
        tracing::error!(target: "toolbox::journal", tool = UNDO, %error, "an outcome was not recorded");
    }
}

fn draft(ctx: &ToolContext, row: &Row, caller: Caller, program: &str) -> Row {
    let call_id = uuid::Uuid::now_v7().to_string();
    let arguments: Value = json!({"call": row.call_id, "tool": row.tool_name});
    let named = Named { tool: UNDO, arguments: &arguments, ordinal: 0, call_id: &call_id };
    let keys = Place::default().keys(named, None, false);
    Row {
        run_id: format!("call:{call_id}"),
        attempt: 1,
        tool_name: UNDO.to_owned(),
        input_json: arguments.to_string(),
        input_complete: true,
        args_sha256: canonical::sha256(&arguments),
        parent_call_id: Some(row.call_id.clone()),
        tenant: row.tenant.clone(),
        agent: Some(ctx.agent().to_owned()),
        caller: caller.as_str().to_owned(),
        program: program.to_owned(),
        key_form: keys.form,
        tool_key: keys.tool_key,
        call_key: keys.call_key,
        // Nobody but a person can tell what became of an undoing that was cut off.
        class: Class::Manual,
        side_effect: Some(true),
        idempotent: Some(false),
        destructive: true,
        call_id,
        ..Row::default()
    }
}
