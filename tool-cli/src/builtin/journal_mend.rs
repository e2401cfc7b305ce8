//! `journal recover`, `resolve`, `revert`, `prune`, `salvage`: the commands that settle, undo and tidy up. (journal.md §14)

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::journal::revert::{Undo, plan};
use tool_core::journal::state;
use tool_core::journal::{Answer, Journal as _, ResolvedBy, Row, RowQuery, Status};
use tool_core::prelude::*;
use tool_core::{Caller, recover, undo};
use tool_store::sqlite::Pruned;

use super::journal_look::missing;
use crate::duration::Ago;
use crate::sight::Surroundings;

/// Settles the calls whose outcome is not known, as far as that is possible without a person.
///
/// Without `--run` it only tells what it would do. The exit code is 4 when some are left.
#[tool(group = "journal", register = false, side_effect, idempotent)]
pub(crate) async fn journal_recover(
    /// Only the calls of this run.
    #[arg(positional, value_name = "RUN")]
    of: Option<&str>,
    /// Do it: run calls again under their keys, ask the tools that can find out.
    run: bool,
    #[ctx] around: &Surroundings,
    ctx: &ToolContext,
) -> ToolResult {
    let Some(journal) = around.ledger.existing()? else { return Ok(ToolOutput::structured(json!([]))) };
    let (executor, ctx) = &around.ledger.tools(&journal, ctx)?;
    let query =
        RowQuery { run_id: of.map(str::to_owned), status: Some(Status::InDoubt), ..RowQuery::default() };
    let mut done: Vec<Value> = Vec::new();
    for row in journal.rows(&query).await?.into_iter().filter(|row| row.superseded_by.is_none()) {
        let action = match run {
            true => recover::recover(executor, &*journal, ctx, &row).await?,
            false => state::recover(&row, journal.is_alive(&row).await),
        };
        done.push(json!({"call_id": row.call_id, "tool": row.tool_name, "action": action.word()}));
    }
    let left = journal.rows(&query).await?.into_iter().filter(|row| row.superseded_by.is_none()).count();
    if left > 0 {
        let name = &around.program.name;
        return Err(ToolError::conflict(format!("{left} calls are still in doubt."))
            .code("in_doubt")
            .hint(match run {
                true => {
                    let then = "journal resolve CALL --as ok|error|not_done";
                    format!("find out whether they happened, then: {name} {then}")
                }
                false => format!("settle what can be settled: {name} journal recover --run"),
            })
            .detail("calls", done));
    }
    Ok(ToolOutput::structured(done))
}

/// Says what became of a call in doubt.
#[tool(group = "journal", register = false, side_effect, idempotent)]
pub(crate) async fn journal_resolve(
    /// Its id.
    #[arg(positional)]
    call: &str,
    /// What became of it.
    #[arg(name = "as", choices = ["ok", "error", "not_done"])]
    outcome: &str,
    /// What is known about it.
    note: Option<&str>,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let note = note.unwrap_or("A person has settled it.");
    let answer = match outcome {
        "ok" => Answer::Done(json!({"structured": {"note": note}}).to_string()),
        "error" => Answer::Failed(ToolError::failed(note.to_owned()).to_json().to_string()),
        _ => Answer::NotDone,
    };
    let journal = around.ledger.existing()?.ok_or_else(missing)?;
    let row = journal.reconcile(call.to_owned(), answer, ResolvedBy::Person).await?;
    Ok(ToolOutput::structured(json!({"call_id": row.call_id, "status": "reconciled", "resolution": outcome})))
}

/// Undoes the calls of a run, newest first. It stops at the first that fails.
#[allow(clippy::too_many_arguments, reason = "each is an option of the command")]
#[tool(group = "journal", register = false, side_effect, idempotent)]
pub(crate) async fn journal_revert(
    /// The run.
    run: &str,
    /// Only calls behind this one, as ATTEMPT.SEQ.
    after: Option<Place>,
    /// Only print the plan.
    dry_run: bool,
    /// Go on behind a call that fails.
    keep_going: bool,
    /// Undo calls whose definition has changed since.
    force: bool,
    /// Undo this call although nobody knows whether it happened.
    confirm: Vec<String>,
    #[ctx] around: &Surroundings,
    ctx: &ToolContext,
) -> ToolResult {
    let Some(journal) = &around.ledger.existing()? else { return Ok(ToolOutput::structured(json!([]))) };
    let query = RowQuery { run_id: Some(run.to_owned()), ..RowQuery::default() };
    let mut rows = journal.rows(&query).await?;
    rows.retain(|row| after.is_none_or(|after| Place(row.attempt, row.seq) > after));
    let (executor, ctx) = around.ledger.tools(journal, ctx)?;
    let registry = executor.registry();
    let now = |row: &Row| registry.get(&row.tool_name).map(tool_core::fingerprint);
    let mut done: Vec<Value> = Vec::new();
    let mut failed = 0;
    for (row, step) in plan(&rows, now) {
        let goes = match step {
            Undo::Revert => true,
            Undo::Stale => force,
            Undo::NeedsConfirmation => confirm.contains(&row.call_id),
            Undo::NoHandler => false,
        };
        let mut word = step.word().to_owned();
        if goes && !dry_run {
            let signature = &around.ledger.signature;
            word = match undo::undo(&executor, &**journal, &ctx, row, Caller::Cli, signature).await {
                Ok(()) => "reverted".to_owned(),
                Err(error) => {
                    failed += 1;
                    format!("failed: {error}")
                }
            };
        }
        done.push(json!({"call_id": row.call_id, "tool": row.tool_name, "revert": word}));
        if failed > 0 && !keep_going {
            break;
        }
    }
    if failed > 0 {
        return Err(ToolError::failed(format!("{failed} calls could not be undone.")).detail("calls", done));
    }
    Ok(ToolOutput::structured(done))
}

/// The place of a call in its run: attempt and number.
#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, PartialOrd)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(crate) struct Place(u32, u32);

impl TryFrom<String> for Place {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Place, Self::Error> {
        let pair = text.split_once('.');
        let read = pair.and_then(|(attempt, seq)| Some(Place(attempt.parse().ok()?, seq.parse().ok()?)));
        read.ok_or("ATTEMPT.SEQ, such as 1.4")
    }
}

/// Removes runs that ended long ago, and what was kept to undo their calls. What is in doubt stays.
#[tool(group = "journal", register = false, side_effect, idempotent)]
pub(crate) fn journal_prune(
    /// How long ago at least, such as 30d.
    older: Ago,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let pruned = match around.ledger.existing()? {
        Some(journal) => journal.prune(older.0)?,
        None => Pruned::default(),
    };
    let mut value = json!({"runs": pruned.runs, "calls": pruned.calls, "entries": pruned.entries});
    if let (Some((name, forgotten)), Some(members)) =
        (around.ledger.forgotten(&pruned)?, value.as_object_mut())
    {
        members.insert(name.to_owned(), json!(forgotten));
    }
    Ok(ToolOutput::structured(value))
}

/// Copies what is readable of a damaged journal to a new file. Nothing is deleted.
#[tool(group = "journal", register = false, side_effect, idempotent = false, replay = "manual")]
pub(crate) fn journal_salvage(
    /// The new file.
    #[arg(positional, hint = "file")]
    copy: &Path,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let path = around.settings.journal().path().ok_or_else(|| around.ledger.off())?;
    let salvaged = tool_store::sqlite::salvage(path, copy)?;
    let table = |(name, rows, why): &(String, usize, Option<String>)| json!({"table": name, "rows": rows, "stopped": why});
    Ok(ToolOutput::structured(salvaged.tables.iter().map(table).collect::<Value>()))
}
