//! The journal step: a side effect is recorded durably before it happens, its outcome before the caller has it, and a
//! recorded outcome is given again instead of a second effect. (calls.md §7, journal.md)
//!
//! Whether a call runs, repeats, waits or asks is decided in [`crate::journal::state`]; here it is carried out.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tracing::Instrument as _;

use super::facts::Facts;
use super::identify::{RECONSIDER, WillReplay};
use super::layer::{Invocation, Layer, Next};
use super::question::Questions;
use super::recording::Identity;
use super::redact::sha256;
use super::refuse::refuse;
use super::settle::{self, Asked};
use super::snapshot::{self, SnapshotHook};
use super::{CallScope, redact, run};
use crate::ask::INPUT_REQUIRED;
use crate::def::{BoxFuture, ToolDef};
use crate::error::ToolError;
use crate::journal::{
    Begin, Begun, Class, Journal, JournalError, Lease, Outcome, Reconciled, ResolvedBy, Row, RowQuery,
    Status, output_to_json, recorded,
};
use crate::output::ToolResult;

/// How long a call waits for an equal one that runs, where a host does not say otherwise.
pub const JOURNAL_WAIT: Duration = Duration::from_secs(30);

/// How long a handler that reconciles may take.
pub const RECONCILE_TIME: Duration = Duration::from_secs(30);

/// Which calls are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JournalMode {
    /// Those of tools with a side effect.
    Effects,
    /// All; reads without waiting for it.
    #[default]
    All,
}

/// What both steps of the journal share.
pub(super) struct Shared {
    pub(super) journal: Arc<dyn Journal>,
    pub(super) mode: JournalMode,
    pub(super) program: String,
    pub(super) snapshot: Option<Arc<dyn SnapshotHook>>,
    /// Whether reads of earlier attempts are given again.
    pub(super) replay_reads: bool,
    /// How long a call waits for an equal one that runs.
    pub(super) wait: Duration,
    /// Where a call waits for an answer.
    pub(super) questions: Arc<Questions>,
}

impl Shared {
    /// What an equal read of an earlier attempt was recorded with: that of the latest one.
    async fn earlier_read(
        &self,
        inv: &Invocation<'_>,
        identity: &Identity,
    ) -> Result<Option<Row>, ToolError> {
        let attempt = inv.ctx.attempt();
        if !self.replay_reads || attempt <= 1 || inv.ctx.run_id().is_empty() {
            return Ok(None);
        }
        let query = RowQuery {
            task: Some(inv.ctx.coordinates().task()),
            tool: Some(inv.tool.name().to_owned()),
            call_key: Some(identity.keys.call_key.clone()),
            args_sha256: Some(identity.args_sha256.clone()),
            ..RowQuery::default()
        };
        let rows = self.journal.rows(&query).await?;
        let settled = |row: &Row| matches!(row.status, Status::Ok | Status::Error);
        let mut earlier =
            rows.into_iter().filter(|row| row.attempt < attempt && row.replay_of.is_none() && settled(row));
        Ok(earlier.next_back())
    }

    pub(super) fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        self.mode == JournalMode::All || tool.behavior.side_effect
    }
}

/// The layer.
pub(super) struct Recorder(pub(super) Arc<Shared>);

impl Recorder {
    /// Gives the ordinal of a call back that was refused before its intent.
    pub(super) fn release(scope: &CallScope) {
        let recording = scope.recording();
        let (Some(identity), Some(run)) = (recording.identity(), recording.run.as_ref()) else { return };
        if let (Some(equal), false) = (&identity.equal, recording.is_begun()) {
            run.ordinals.give_back(equal, identity.ordinal);
        }
    }

    /// A read: run, and one row afterwards.
    async fn read(
        &self,
        inv: Invocation<'_>,
        next: Next<'_>,
        identity: &Identity,
        mut row: Row,
    ) -> ToolResult {
        if let Some(scope) = inv.ctx.running() {
            scope.recording().set_begun();
        }
        let tool = inv.tool;
        if let Some(earlier) = self.0.earlier_read(&inv, identity).await.map_err(refused)? {
            (row.status, row.effect) = (earlier.status, Some(crate::error::Effect::None));
            row.finished_at_ms = Some(0);
            row.replay_of = Some(earlier.call_id.clone());
            row.output_json.clone_from(&earlier.output_json);
            row.error_json.clone_from(&earlier.error_json);
            row.retryable = earlier.retryable;
            self.0.journal.record(row);
            return recorded(&earlier);
        }
        let result = next.run(inv).await;
        let outcome = outcome(tool.def(), &result, true);
        let (status, effect) = crate::journal::state::finish(row.class, outcome.ended);
        row.status = status;
        row.effect = Some(effect);
        row.finished_at_ms = Some(0);
        (row.output_json, row.error_json) = (outcome.output_json, outcome.error_json);
        (row.retryable, row.tries) = (outcome.retryable, outcome.tries);
        self.0.journal.record(row);
        result
    }

    /// A side effect.
    async fn effect<'a>(
        &'a self,
        inv: Invocation<'a>,
        next: Next<'a>,
        identity: &Identity,
        row: Row,
    ) -> ToolResult {
        let journal = &self.0.journal;
        let promised = inv.ext.get::<WillReplay>().is_some();
        let asked =
            Asked { inv: &inv, journal: &**journal, questions: &self.0.questions, program: &self.0.program };
        if !promised {
            asked.replay_gate(identity).await.map_err(refused)?;
        }
        let mut begin = Begin { row, former: identity.former.clone(), consented: None };
        let give_up = inv.ctx.now() + inv.ctx.time_left().map_or(self.0.wait, |left| left.min(self.0.wait));
        loop {
            settle::admit(&inv, &mut begin.row);
            let span = tracing::debug_span!(target: "toolbox::call", "toolbox.journal.begin");
            let begun = journal.begin(begin.clone()).instrument(span).await;
            match begun.map_err(|error| refused(error.into()))? {
                Begun::Run(lease) if promised => {
                    // It was let pass without approval and limits, which a replay needs not. It comes again through them, and
                    // then goes on in its own row.
                    let unapproved = ToolError::denied("The recorded outcome is gone.").code(RECONSIDER);
                    let unapproved = unapproved.effect(crate::error::Effect::None).retryable(true);
                    let finished = journal.finish(lease, Outcome::error(&unapproved)).await;
                    finished.map_err(|error| refused(error.into()))?;
                    return Err(unapproved);
                }
                Begun::Run(lease) => {
                    if let Some(scope) = inv.ctx.running() {
                        scope.recording().set_begun();
                    }
                    return self.run(inv, next, lease).await;
                }
                Begun::Replay(row) => {
                    if let Some(scope) = inv.ctx.running() {
                        scope.recording().set_begun();
                    }
                    return recorded(&row);
                }
                Begun::Wait(waiter) => {
                    let left = give_up.saturating_duration_since(inv.ctx.now());
                    tokio::select! {
                        biased;
                        () = inv.ctx.cancelled() => return Err(run::cancelled(inv.tool.def())),
                        () = waiter => {}
                        () = inv.ctx.over(left) => return Err(refused(in_progress(&inv))),
                    }
                }
                Begun::Reconcile(row, _) => match settle::ask_outside(&inv, &row).await {
                    Reconciled::Unknown if inv.tool.def().takes_context => {
                        begin.consented = Some(row.call_id.clone());
                    }
                    Reconciled::Unknown => {
                        begin.consented = Some(asked.repeat(&row).await.map_err(refused)?);
                    }
                    answer => {
                        let settled =
                            journal.reconcile(row.call_id.clone(), answer.answer(), ResolvedBy::Reconcile);
                        // Somebody else may have settled it meanwhile: what counts is what is recorded.
                        match settled.await {
                            Ok(_) | Err(JournalError::NotInDoubt) => {}
                            Err(error) => return Err(refused(error.into())),
                        }
                    }
                },
                Begun::Ask(row) => begin.consented = Some(asked.repeat(&row).await.map_err(refused)?),
                Begun::Refuse(error) => return Err(refused(error)),
            }
        }
    }

    async fn run(&self, inv: Invocation<'_>, next: Next<'_>, lease: Lease) -> ToolResult {
        let journal = &self.0.journal;
        journal.running(&lease);
        let (tool, ctx) = (inv.tool, inv.ctx);
        let facts = inv.ext.get::<Arc<Facts>>().cloned();
        if let Some(facts) = &facts {
            facts.known().seq = Some(lease.seq);
        }
        if let Some(scope) = ctx.running() {
            let (journal, lease, tool) = (Arc::clone(journal), lease.clone(), tool.clone());
            scope.recording().on_late(Box::new(move |result| {
                drop(journal.finish(lease.clone(), outcome(tool.def(), result, true)));
            }));
        }
        let mut unfinished =
            Unfinished { journal, lease: Some(lease), idempotent: tool.def().behavior.idempotent };
        let result = match Class::of(tool.def()).is_unsafe() {
            true => self.while_owned(inv, next).await,
            false => next.run(inv).await,
        };
        let took_key = ctx.running().is_some_and(|scope| scope.recording().key_was_read());
        warn_of_promise(tool.name(), tool.def(), &result, took_key);
        let Some(lease) = unfinished.lease.take() else { return result };
        if let (true, Some(scope)) = (waits_for_answer(&result), ctx.running()) {
            scope.recording().suspend();
        }
        let call_id = lease.call_id.clone();
        let span = tracing::debug_span!(target: "toolbox::call", "toolbox.journal.finish");
        let mut ended = outcome(tool.def(), &result, took_key);
        ended.audit = facts.as_ref().filter(|_| journal.keeps_audit()).and_then(|facts| facts.row(&result));
        let audited = ended.audit.is_some();
        let written = journal.finish(lease, ended).instrument(span).await;
        let status = match &written {
            Ok(row) => {
                if let Some(facts) = facts.as_ref().filter(|_| audited) {
                    facts.known().audited = true;
                }
                row.status
            }
            Err(error) => {
                tracing::error!(target: "toolbox::journal", tool = tool.name(), %error, "an outcome was not recorded");
                Status::InDoubt
            }
        };
        if let (Status::InDoubt, Some(facts)) = (status, &facts) {
            facts.known().in_doubt = true;
        }
        if let Some(hook) = &self.0.snapshot {
            snapshot::tell(&**hook, ctx, tool.name(), &call_id, status).await;
        }
        if status == Status::InDoubt { in_doubt(result) } else { result }
    }

    /// Runs what must not be done twice, and cancels it when another owner may take it.
    async fn while_owned(&self, inv: Invocation<'_>, next: Next<'_>) -> ToolResult {
        let (ctx, name) = (inv.ctx, inv.tool.name());
        let mut running = next.run(inv);
        tokio::select! {
            biased;
            result = &mut running => return result,
            () = self.0.journal.is_stale() => {}
        }
        tracing::warn!(target: "toolbox::journal", tool = name, "a call is cancelled: its lease could not be renewed");
        ctx.cancel();
        running.await
    }
}

impl Layer for Recorder {
    fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        self.0.concerns(tool)
    }

    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let Some(identity) = inv.ctx.running().and_then(|scope| scope.recording().identity()) else {
                return Err(ToolError::internal("A call reached the journal without a key."));
            };
            let row = settle::draft(&inv, identity, &self.0.program);
            if let Some(facts) = inv.ext.get::<Arc<Facts>>() {
                facts.known().key_sha256 = Some(sha256(&identity.keys.tool_key));
            }
            if row.class == Class::Pure {
                return self.read(inv, next, identity, row).await;
            }
            self.effect(inv, next, identity, row).await
        })
    }
}

/// What this step ends a call with.
pub(super) fn refused(error: ToolError) -> ToolError {
    refuse("journal", error)
}

/// A call whose outcome is not written yet. Dropped, it was given up by its caller: that is its outcome.
struct Unfinished<'a> {
    journal: &'a Arc<dyn Journal>,
    lease: Option<Lease>,
    idempotent: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let Some(lease) = self.lease.take() else { return };
        let error = ToolError::cancelled("The caller went away.").retryable(self.idempotent);
        // It is queued when the call returns; nobody is here to wait for it.
        drop(self.journal.finish(lease, Outcome::error(&error)));
    }
}

/// What a result is recorded as.
fn outcome(tool: &ToolDef<'_>, result: &ToolResult, took_key: bool) -> Outcome {
    let mut outcome = match result {
        Ok(output) => {
            let kept = redact::output::recordable(tool, output);
            Outcome::ok(output_to_json(kept.as_ref().unwrap_or(output)).to_string())
        }
        Err(error) => Outcome::error(&redact::error::recordable(tool, error)),
    };
    // A call that waits for an answer comes again with it, and then goes on.
    if waits_for_answer(result) {
        outcome.retryable = Some(true);
    }
    let tries = result.as_ref().ok().and_then(|output| output.meta.get("tries")?.as_u64());
    outcome.tries = tries.and_then(|tries| u32::try_from(tries).ok()).unwrap_or(1);
    outcome.took_key = took_key;
    outcome
}

/// Whether a call ended with a question, before it did anything.
fn waits_for_answer(result: &ToolResult) -> bool {
    result.as_ref().is_err_and(|error| error.code_str() == INPUT_REQUIRED)
}

/// The result of a call of which nobody knows what it did.
fn in_doubt(result: ToolResult) -> ToolResult {
    match result {
        Ok(mut output) => {
            output.meta.insert("journal".to_owned(), json!("in_doubt"));
            Ok(output)
        }
        Err(error) => {
            let error = error.detail("journal", "in_doubt");
            Err(error.hint("The effect may have happened; check before trying again."))
        }
    }
}

fn in_progress(inv: &Invocation<'_>) -> ToolError {
    ToolError::conflict(format!("{} still runs with this key.", inv.tool.name()))
        .code("in_progress")
        .hint("the same call is still running; ask again with the same key")
}

/// One warning per tool: it takes the context, which promises to hand its key on, and did not read it.
fn warn_of_promise(name: &str, def: &ToolDef<'_>, result: &ToolResult, took_key: bool) {
    if Class::of(def) == Class::Keyed && result.is_ok() && !took_key && def.cache.tell_once() {
        tracing::warn!(
            target: "toolbox::journal",
            tool = name,
            "the tool takes the context but did not read ctx.idempotency_key(): a retry after a crash may repeat its effect"
        );
    }
}
