//! Settling a call in doubt before it is repeated: the tool's own handler, and the questions to a person. (journal.md §4, §7)

use std::sync::Arc;

use serde_json::Value;

use super::approve::{APPROVAL_TIME, ApprovalRequest, Decision};
use super::facts::Facts;
use super::journal::RECONCILE_TIME;
use super::layer::Invocation;
use super::recording::Identity;
use super::redact::{Form, KnownSecrets, redact};
use super::{CallScope, run};
use crate::args::{Args, Coerce};
use crate::def::ToolDef;
use crate::error::{Effect, ToolError};
use crate::fingerprint;
use crate::journal::replay_gate::{ReplayConsent, ReplayGate, replay_gate};
use crate::journal::{CallKey, Class, Journal, Reconciled, RecordedCall, Row, RowQuery};

/// The row of an intent.
pub(super) fn draft(inv: &Invocation<'_>, identity: &Identity, program: &str) -> Row {
    let (def, at) = (inv.tool.def(), inv.ctx.coordinates());
    let scope = inv.ctx.running();
    let call_id = scope.map(|scope| scope.id().to_owned()).unwrap_or_default();
    let parent = scope.and_then(|scope| scope.parent());
    let class = Class::of(def);
    let known_secrets = scope.and_then(CallScope::known_secrets);
    let (input, input_complete) = input(def, &inv.args, known_secrets.unwrap_or(&KnownSecrets::default()));
    let known = inv.ext.get::<Arc<Facts>>().map(|facts| facts.known().clone()).unwrap_or_default();
    Row {
        approval_id: known.approval_id,
        approved_by: known.approved_by,
        policy_sha256: known.policy_sha256,
        run_id: if at.run_id.is_empty() { format!("call:{call_id}") } else { at.run_id.clone() },
        node_id: at.node_id.clone(),
        iteration: at.iteration,
        attempt: at.attempt,
        tool_name: inv.tool.name().to_owned(),
        input_json: input.to_string(),
        parent_call_id: parent.map(|parent| parent.id().to_owned()),
        tenant: inv.ctx.tenant().to_owned(),
        agent: Some(inv.ctx.agent().to_owned()),
        caller: inv.caller.as_str().to_owned(),
        program: match inv.ctx.client() {
            Some(client) => format!("{program} for {client}"),
            None => program.to_owned(),
        },
        call_key: identity.keys.call_key.clone(),
        tool_key: identity.keys.tool_key.clone(),
        key_form: identity.keys.form,
        ordinal: identity.ordinal,
        args_sha256: identity.args_sha256.clone(),
        input_complete,
        definition: def.behavior.side_effect.then(|| fingerprint(inv.tool)),
        class,
        side_effect: Some(def.behavior.side_effect),
        idempotent: Some(def.behavior.idempotent),
        destructive: def.behavior.destructive,
        takes_key: def.takes_context && class != Class::Manual,
        has_revert: def.revert.is_some(),
        call_id,
        ..Row::default()
    }
}

/// The arguments as they are kept, and whether they are whole.
fn input(def: &ToolDef<'_>, args: &Value, secrets: &KnownSecrets) -> (Value, bool) {
    let schema = def.input_schema().map_or(Value::Bool(true), |input| input.schema().clone());
    let mut kept = redact(args, &schema, secrets, Form::Journal);
    // What is marked beside the schema is hidden as well.
    let Ok(args) = Args::new(def, Value::Null, Coerce::Lenient) else { return (Value::Null, false) };
    for param in args.parameters().iter().filter(|param| param.keys.secret) {
        if let Some(value) = kept.value.get_mut(param.name).filter(|value| !value.is_null()) {
            *value = serde_json::json!({"$redacted": "secret"});
            kept.complete = false;
        }
    }
    (kept.value, kept.complete)
}

/// Asks the tool's handler what became of a call.
pub(super) async fn ask_outside(inv: &Invocation<'_>, row: &Row) -> Reconciled {
    let Some(handler) = inv.tool.def().reconcile else { return Reconciled::Unknown };
    // The arguments of an equal call are its own, and none of them is hidden.
    let call = RecordedCall::of(row, Some((*inv.args).clone()));
    let answer = (handler.run)(&call, inv.ctx);
    let answer = super::panic::Quiet(answer);
    match tokio::time::timeout(RECONCILE_TIME, answer).await {
        Ok(Some(answer)) => answer.recordable(inv.tool.def()),
        Ok(None) | Err(_) => {
            tracing::warn!(target: "toolbox::journal", tool = inv.tool.name(), handler = handler.path, "could not reconcile");
            Reconciled::Unknown
        }
    }
}

/// The questions that a side effect may have to answer before it runs.
pub(super) struct Asked<'i, 'a> {
    pub(super) inv: &'i Invocation<'a>,
    pub(super) journal: &'i dyn Journal,
}

impl Asked<'_, '_> {
    /// Whether effects of earlier attempts that nothing protects stand in the way of this call.
    pub(super) async fn replay_gate(&self, identity: &Identity) -> Result<(), ToolError> {
        let (inv, ctx) = (self.inv, self.inv.ctx);
        let class = Class::of(inv.tool.def());
        let recovers = ctx.run().is_some_and(|run| run.recovers.is_some());
        if !class.is_unsafe() || ctx.run_id().is_empty() || recovers {
            return Ok(());
        }
        let key = CallKey {
            tenant: ctx.tenant().to_owned(),
            tool: inv.tool.name().to_owned(),
            key: identity.keys.call_key.clone(),
        };
        let task = ctx.coordinates().task();
        let query = RowQuery {
            task: Some(task.clone()),
            tool: Some(inv.tool.name().to_owned()),
            ..RowQuery::default()
        };
        // What is in doubt under this very key is asked about as such.
        if self.journal.peek(&key).await?.is_some() {
            return Ok(());
        }
        let rows = self.journal.rows(&query).await?;
        let gate = replay_gate(&rows, ctx.attempt(), Some(self.journal.owner()));
        let consents = match gate {
            ReplayGate::Clear => return Ok(()),
            ReplayGate::Ask { .. } => self.journal.consents(&task).await?,
        };
        let refused = || {
            ToolError::denied(format!("Repeating {} was not allowed.", inv.tool.name()))
                .code("replay_denied")
                .effect(Effect::None)
        };
        match (gate.answered(ctx.attempt(), &consents), &gate) {
            (Some(true), _) => Ok(()),
            (Some(false), _) => Err(refused()),
            (None, ReplayGate::Ask { fingerprint, prompt, .. }) => {
                let allow = self.person(prompt).await?.ok_or_else(|| self.nobody())?;
                let consent =
                    ReplayConsent { fingerprint: fingerprint.clone(), attempt: ctx.attempt(), allow };
                self.journal.consent(task, consent).await?;
                if allow { Ok(()) } else { Err(refused()) }
            }
            (None, ReplayGate::Clear) => Ok(()),
        }
    }

    /// Whether a call in doubt may be repeated: its id, when it may.
    pub(super) async fn repeat(&self, row: &Row) -> Result<String, ToolError> {
        let question = format!(
            "{} (attempt {}, seq {}) was begun before and its outcome is not known. Run it again?",
            row.tool_name, row.attempt, row.seq
        );
        match self.person(&question).await? {
            Some(true) => Ok(row.call_id.clone()),
            Some(false) => Err(ToolError::denied(format!("Repeating {} was not allowed.", row.tool_name))
                .code("replay_denied")
                .effect(Effect::None)),
            None => Err(ToolError::conflict(format!(
                "{} was begun before with this key, and its outcome is not known.",
                row.tool_name
            ))
            .code("in_doubt")
            .hint("find out whether it happened, then: journal resolve CALL --as ok|error|not_done")
            .detail("call_id", row.call_id.clone())
            .detail("attempt", row.attempt)
            .detail("seq", row.seq)
            .detail("started_at_ms", row.started_at_ms)),
        }
    }

    fn nobody(&self) -> ToolError {
        let name = self.inv.tool.name();
        ToolError::denied(format!("{name} may repeat an effect, and there is nobody to ask."))
            .code("approval_unavailable")
            .hint("run with --yes, or settle the earlier calls: journal list --run RUN")
            .effect(Effect::None)
    }

    /// Asks a person; `None` where there is none.
    async fn person(&self, question: &str) -> Result<Option<bool>, ToolError> {
        let inv = self.inv;
        let Some(approver) = inv.ctx.approver() else { return Ok(None) };
        let asked = std::time::Instant::now();
        let hash = crate::canonical::sha256(&serde_json::json!(["replay", inv.tool.name(), question]));
        let request = ApprovalRequest {
            tool: inv.tool,
            args: &inv.args,
            caller: inv.caller,
            question: Some(question),
            agent: inv.ctx.agent(),
            hash: &hash,
        };
        let decision = tokio::select! {
            biased;
            () = inv.ctx.cancelled() => return Err(run::cancelled(inv.tool.def())),
            decision = tokio::time::timeout(APPROVAL_TIME, approver.decide(&request)) => decision,
        };
        inv.ctx.waited(asked.elapsed());
        Ok(Some(matches!(decision, Ok(Decision::AllowOnce | Decision::AllowAlways))))
    }
}
