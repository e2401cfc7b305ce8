//! Settling a call in doubt before it is repeated: the tool's own handler, and the questions to a person. (journal.md §4, §7)

use std::sync::Arc;

use serde_json::{Value, json};

use super::facts::Facts;
use super::journal::RECONCILE_TIME;
use super::layer::Invocation;
use super::question::{Answer, Questions};
use super::recording::Identity;
use super::redact::{Form, KnownSecrets, redact};
use super::{CallScope, panic};
use crate::args::{Args, Coerce};
use crate::canonical;
use crate::context::ToolContext;
use crate::def::ToolDef;
use crate::error::{Effect, ToolError};
use crate::fingerprint;
use crate::journal::replay_gate::{ReplayConsent, ReplayGate, replay_gate};
use crate::journal::{CallKey, Class, Journal, Reconciled, RecordedCall, Row, RowQuery, Status, Unprotected};
use crate::registry::ToolEntry;

/// The row of an intent.
pub(super) fn draft(inv: &Invocation<'_>, identity: &Identity, program: &str) -> Row {
    let (def, at) = (inv.tool.def(), inv.ctx.coordinates());
    let scope = inv.ctx.running();
    let call_id = scope.map(|scope| scope.id().to_owned()).unwrap_or_default();
    let parent = scope.and_then(|scope| scope.parent());
    let class = Class::of(def);
    let known_secrets = scope.and_then(CallScope::known_secrets);
    let (input, input_complete) = input(def, &inv.args, known_secrets.unwrap_or(&KnownSecrets::default()));
    let facts = inv.ext.get::<Arc<Facts>>().and_then(|facts| facts.known().trace_id.clone());
    Row {
        run_id: if at.run_id.is_empty() { format!("call:{call_id}") } else { at.run_id.clone() },
        node_id: at.node_id.clone(),
        iteration: at.iteration,
        attempt: at.attempt,
        tool_name: inv.tool.name().to_owned(),
        input_json: input.to_string(),
        parent_call_id: parent.map(|parent| parent.id().to_owned()),
        trace_id: facts.or_else(|| inv.ctx.traceparent().map(|parent| parent.trace_id().to_owned())),
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

/// Notes in the row of an intent who let the call pass: that is known when all questions are answered.
pub(super) fn admit(inv: &Invocation<'_>, row: &mut Row) {
    let Some(facts) = inv.ext.get::<Arc<Facts>>() else { return };
    let known = facts.known();
    row.approval_id.clone_from(&known.approval_id);
    row.approved_by.clone_from(&known.approved_by);
    row.policy_sha256.clone_from(&known.policy_sha256);
}

/// The arguments as they are kept, and whether they are whole.
pub(crate) fn input(def: &ToolDef<'_>, args: &Value, secrets: &KnownSecrets) -> (Value, bool) {
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

/// Asks the tool's handler what became of an equal call.
pub(super) async fn ask_outside(inv: &Invocation<'_>, row: &Row) -> Reconciled {
    // The arguments of an equal call are its own, and none of them is hidden.
    let call = RecordedCall::of(row, Some((*inv.args).clone()));
    reconciled(inv.tool, &call, inv.ctx).await
}

/// Asks a tool's handler what became of a call. A panic, and more time than it has, leave that unknown.
pub(crate) async fn reconciled(tool: &ToolEntry, call: &RecordedCall, ctx: &ToolContext) -> Reconciled {
    let Some(handler) = tool.def().reconcile else { return Reconciled::Unknown };
    let answer = async {
        match panic::quiet(tool.name(), || (handler.run)(call, ctx)) {
            Some(answer) => panic::Quiet(answer).await,
            None => None,
        }
    };
    match tokio::time::timeout(RECONCILE_TIME, answer).await {
        Ok(Some(answer)) => answer.recordable(tool.def()),
        Ok(None) | Err(_) => {
            tracing::warn!(target: "toolbox::journal", tool = tool.name(), handler = handler.path, "could not reconcile");
            Reconciled::Unknown
        }
    }
}

/// The questions that a side effect may have to answer before it runs.
pub(super) struct Asked<'i, 'a> {
    pub(super) inv: &'i Invocation<'a>,
    pub(super) journal: &'i dyn Journal,
    pub(super) questions: &'i Questions,
    /// Name and version of the program.
    pub(super) program: &'i str,
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
        // What was recorded under this very key is repeated or asked about as such; what did nothing is no outcome.
        if self.journal.peek(&key).await?.is_some_and(|row| !row.did_nothing()) {
            return Ok(());
        }
        let (task, attempt, me) = (ctx.coordinates().task(), ctx.attempt(), self.journal.owner());
        let query = RowQuery {
            task: Some(task.clone()),
            tool: Some(inv.tool.name().to_owned()),
            unprotected: Some(Unprotected { before: attempt, except: Some(me.to_owned()) }),
            brief: true,
            ..RowQuery::default()
        };
        let rows = self.journal.rows(&query).await?;
        let gate = replay_gate(&rows, attempt, Some(me));
        let ReplayGate::Ask { fingerprint, prompt, .. } = &gate else { return Ok(()) };
        let consents = self.journal.consents(&task).await?;
        let allow = match gate.answered(attempt, &consents) {
            Some(allow) => allow,
            None => {
                let place = [&task.tenant, &task.run_id, &task.node_id];
                let asked = json!(["rp1", ctx.agent(), place, task.iteration, fingerprint, attempt]);
                let allow = match self.person(&asked, prompt).await? {
                    Answer::Yes => true,
                    Answer::No { .. } => false,
                    Answer::Nobody => return Err(self.nobody(&rows)),
                };
                let consent = ReplayConsent { fingerprint: fingerprint.clone(), attempt, allow };
                self.journal.consent(task, consent).await?;
                allow
            }
        };
        if allow { Ok(()) } else { Err(denied(inv.tool.name())) }
    }

    /// Whether a call in doubt may be repeated: its id, when it may.
    pub(super) async fn repeat(&self, row: &Row) -> Result<String, ToolError> {
        let question = format!(
            "{} (attempt {}, seq {}) was begun before and its outcome is not known. Run it again?",
            row.tool_name, row.attempt, row.seq
        );
        let asked = json!(["rp1", self.inv.ctx.agent(), row.call_id, row.recoveries]);
        match self.person(&asked, &question).await? {
            Answer::Yes => Ok(row.call_id.clone()),
            Answer::No { .. } => Err(denied(&row.tool_name)),
            Answer::Nobody => Err(ToolError::conflict(format!(
                "{} was begun before with this key, and its outcome is not known.",
                row.tool_name
            ))
            .code("in_doubt")
            .hint(format!(
                "find out whether it happened, then: {} journal resolve CALL --as ok|error|not_done",
                self.name()
            ))
            .detail("call_id", row.call_id.clone())
            .detail("attempt", row.attempt)
            .detail("seq", row.seq)
            .detail("started_at_ms", row.started_at_ms)),
        }
    }

    /// The name of the program, without its version.
    fn name(&self) -> &str {
        self.program.split(' ').next().unwrap_or_default()
    }

    fn nobody(&self, earlier: &[Row]) -> ToolError {
        let name = self.inv.tool.name();
        let look = match earlier.iter().any(|row| row.status == Status::InDoubt) {
            true => "settle",
            false => "look at",
        };
        ToolError::denied(format!("{name} may repeat an effect, and there is nobody to ask."))
            .code("approval_unavailable")
            .hint(format!(
                "run with --yes, or {look} the earlier calls: {} journal list --run RUN",
                self.name()
            ))
            .effect(Effect::None)
    }

    /// Asks whether an effect may be risked twice. The answer is bound to what is `asked`.
    async fn person(&self, asked: &Value, question: &str) -> Result<Answer, ToolError> {
        let (began, hash) = (self.inv.ctx.now(), canonical::sha256(asked));
        let answer = self.questions.ask(self.inv, &hash, Some(question)).await;
        self.inv.ctx.waited(self.inv.ctx.now().saturating_duration_since(began));
        answer
    }
}

fn denied(tool: &str) -> ToolError {
    ToolError::denied(format!("Repeating {tool} was not allowed.")).code("replay_denied").effect(Effect::None)
}
