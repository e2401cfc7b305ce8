//! What an audit row says.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Value, json};

use super::preview;
use crate::call::Caller;
use crate::call::approvals::without_secrets;
use crate::call::facts::Known;
use crate::call::redact::{AUDIT_ARGS_MAX, AUDIT_ARGS_PREVIEW, Form, KnownSecrets, envelope, redact, sha256};
use crate::call::who::Who;
use crate::canonical;
use crate::context::ToolContext;
use crate::def::{Behavior, Surface};
use crate::error::ToolError;
use crate::fingerprint::fingerprint;
use crate::journal::Row;
use crate::output::ToolResult;

/// One call, as it is told afterwards. It has no free-form column, and keys appear only hashed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AuditRow {
    /// The id of the call.
    pub call_id: String,
    /// The call that made it.
    pub parent_call_id: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub at_ms: u64,
    /// Whose call it is.
    pub tenant: String,
    /// Who called.
    pub agent: String,
    /// The agents above it, outermost first.
    pub chain: Vec<String>,
    /// What kind of caller: `llm`, `cli`, `mcp`, `tool`, `test`.
    pub caller: &'static str,
    /// Where it came in.
    pub surface: Option<&'static str>,
    /// The run.
    pub run_id: String,
    /// The node of the run.
    pub node_id: String,
    /// Which time the node runs.
    pub iteration: u64,
    /// Which attempt at it.
    pub attempt: u32,
    /// The number of the call in its attempt.
    pub seq: Option<u64>,
    /// The tool under its effective name; the name that was asked for where there is none.
    pub tool: String,
    /// The fingerprint of its definition.
    pub definition: Option<String>,
    /// What it may change.
    pub effects: Option<String>,
    /// `ok`, or the kind of its error.
    pub outcome: &'static str,
    /// The code of its error.
    pub code: Option<String>,
    /// The layer that refused it.
    pub layer: Option<String>,
    /// The arguments, redacted.
    pub args: Value,
    /// The digest of the canonical arguments.
    pub args_sha256: String,
    /// What is kept of its result, and of what an error carries of one.
    pub output: Option<AuditOutput>,
    /// How long it took.
    pub duration_ms: u64,
    /// How much of that it waited for a place.
    pub queue_ms: u64,
    /// How often it was tried.
    pub tries: u32,
    /// How often it was asked again with an answer.
    pub rounds: u32,
    /// Whether arguments were read otherwise than they came.
    pub coerced: bool,
    /// Who decided what.
    pub decision: Value,
    /// Whether a recorded outcome was given back.
    pub replayed: bool,
    /// Whether its result was parked.
    pub parked: bool,
    /// The digest of its key.
    pub key_sha256: Option<String>,
    /// The trace it belongs to.
    pub trace_id: Option<String>,
}

/// What is kept of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditOutput {
    /// Its size.
    pub bytes: usize,
    /// Its digest.
    pub sha256: String,
    /// Its beginning, redacted.
    pub preview: Option<String>,
}

/// A call that has ended, or was left.
pub(in crate::call) struct Ended<'a> {
    pub(in crate::call) asked: &'a str,
    pub(in crate::call) raw: &'a Value,
    pub(in crate::call) ctx: &'a ToolContext,
    pub(in crate::call) caller: Caller,
    pub(in crate::call) known: Known,
    /// `None` for a call whose caller went away.
    pub(in crate::call) result: Option<&'a ToolResult>,
    pub(in crate::call) duration: Duration,
}

impl AuditRow {
    pub(in crate::call) fn of(ended: &Ended<'_>, secrets: &KnownSecrets) -> AuditRow {
        let Ended { asked, raw, ctx, caller, known, result, duration } = ended;
        let who = Who::of(ctx);
        let error = result.and_then(|result| result.as_ref().err());
        let outcome = match result {
            Some(Ok(_)) => "ok",
            Some(Err(error)) => error.kind().as_str(),
            None => "cancelled",
        };
        let (tool, args) = (known.tool.as_ref(), known.args.as_deref().unwrap_or(raw));
        let schema = tool.and_then(|tool| tool.def().input_schema().ok()).map(|input| input.schema().clone());
        let shown = redact(args, &schema.unwrap_or(Value::Bool(true)), secrets, Form::Audit).value;
        let digested = tool.map_or_else(|| shown.clone(), |tool| without_secrets(tool, args, &[0; 32]));
        AuditRow {
            call_id: known.call_id.clone().unwrap_or_default(),
            parent_call_id: ctx.running().and_then(|call| call.call_id()).map(str::to_owned),
            at_ms: millis(now().saturating_sub(*duration)),
            tenant: who.tenant.to_owned(),
            agent: who.agent.to_owned(),
            chain: ctx.snapshot().map(|snapshot| snapshot.chain().to_vec()).unwrap_or_default(),
            caller: caller.as_str(),
            surface: caller.surface().map(Surface::as_str),
            run_id: who.run.to_owned(),
            node_id: ctx.node_id().to_owned(),
            iteration: ctx.iteration(),
            attempt: ctx.attempt(),
            seq: known.seq.map(u64::from),
            tool: tool.map_or_else(
                || secrets.scrub_value(asked).chars().take(80).collect(),
                |tool| tool.name().to_owned(),
            ),
            definition: tool.map(fingerprint),
            effects: tool.map(|tool| tool.def().behavior.words()),
            outcome,
            code: error.map(|error| error.code_str().to_owned()),
            layer: error.and_then(|error| error.details().get("layer")?.as_str().map(str::to_owned)),
            args: envelope(shown, AUDIT_ARGS_MAX, AUDIT_ARGS_PREVIEW),
            args_sha256: canonical::sha256(&digested),
            output: result.and_then(|result| preview::of(result, known, secrets)),
            duration_ms: millis(*duration),
            queue_ms: millis(known.queued),
            tries: known.tries.max(u32::from(error.is_none())),
            rounds: 1,
            coerced: known.coerced,
            decision: decision(known),
            replayed: is_replayed(*result),
            parked: known.parked,
            key_sha256: known.key_sha256.clone(),
            trace_id: known.trace_id.clone(),
        }
    }
}

impl AuditRow {
    /// The row of a recorded call whose process died: nobody else can tell of it any more.
    pub fn of_lost(row: &Row) -> AuditRow {
        AuditRow { outcome: "in_doubt", ..AuditRow::of_row(row) }
    }

    /// The row of a recorded call that no executor ran.
    pub(crate) fn of_recorded(row: &Row, error: Option<&ToolError>, duration: Duration) -> AuditRow {
        AuditRow {
            at_ms: millis(now().saturating_sub(duration)),
            outcome: error.map_or("ok", |error| error.kind().as_str()),
            code: error.map(|error| error.code_str().to_owned()),
            duration_ms: millis(duration),
            ..AuditRow::of_row(row)
        }
    }

    /// What the record of a call tells.
    fn of_row(row: &Row) -> AuditRow {
        let args: Value = serde_json::from_str(&row.input_json).unwrap_or(Value::Null);
        // What the schema hides is hidden already; the rest is cut as in every audit row.
        let args = redact(&args, &Value::Bool(true), &KnownSecrets::default(), Form::Audit).value;
        let behavior = Behavior {
            side_effect: row.side_effect.unwrap_or(true),
            idempotent: row.idempotent.unwrap_or(false),
            destructive: row.destructive,
            open_world: false,
        };
        let caller = Caller::ALL.into_iter().find(|caller| caller.as_str() == row.caller);
        AuditRow {
            call_id: row.call_id.clone(),
            parent_call_id: row.parent_call_id.clone(),
            at_ms: u64::try_from(row.started_at_ms).unwrap_or(0),
            tenant: row.tenant.clone(),
            agent: row.agent.clone().unwrap_or_default(),
            caller: caller.map_or("", Caller::as_str),
            surface: caller.and_then(Caller::surface).map(Surface::as_str),
            run_id: row.run_id.clone(),
            node_id: row.node_id.clone(),
            iteration: row.iteration,
            attempt: row.attempt,
            seq: Some(u64::from(row.seq)),
            tool: row.tool_name.clone(),
            definition: row.definition.clone(),
            effects: Some(behavior.words()),
            args: envelope(args, AUDIT_ARGS_MAX, AUDIT_ARGS_PREVIEW),
            args_sha256: row.args_sha256.clone(),
            tries: row.tries.max(1),
            rounds: 1,
            decision: json!({"policy_sha256": row.policy_sha256, "approval_id": row.approval_id,
                             "approved_by": row.approved_by}),
            key_sha256: Some(sha256(&row.tool_key)),
            trace_id: row.trace_id.clone(),
            ..AuditRow::default()
        }
    }
}

/// Whether a recorded outcome was given again.
pub(in crate::call) fn is_replayed(result: Option<&ToolResult>) -> bool {
    match result {
        Some(Ok(output)) => output.meta.contains_key("replayed"),
        Some(Err(error)) => error.details().contains_key("replayed"),
        None => false,
    }
}

/// How long ago 1970 began.
fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn decision(known: &Known) -> Value {
    json!({
        "gate": known.hidden.as_ref().map_or_else(|| json!("visible"), super::super::gate::Hidden::to_json),
        "policy_sha256": known.policy_sha256,
        "approval_id": known.approval_id,
        "approved_by": known.approved_by,
    })
}
