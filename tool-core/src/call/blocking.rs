//! A call without a runtime around it: a plain function runs on this thread, anything else on a runtime of its own.

use std::thread;
use std::time::Instant;

use super::current::{AtOnce, Given, Unmade};
use super::decode::{Asked, Decoded, Keep, tell};
use super::executor::{Executor, earliest, explicit_key, noted, recording};
use super::panic::guard;
use super::run::{begins, run_inline};
use super::scope::{Begin, Found};
use super::secrets::takes_secrets;
use super::thread::on_thread;
use super::{CallScope, Caller, nested};
use crate::context::ToolContext;
use crate::def::{Handler, Run, ToolDef};
use crate::depth::{has_deep, refused};
use crate::error::ToolError;
use crate::output::ToolResult;
use crate::registry::ToolEntry;

impl Executor {
    pub(super) fn run_blocking(&self, mut asked: Asked<'_>, ctx: &ToolContext, caller: Caller) -> ToolResult {
        let inner = self.inner();
        let quick =
            inner.gate.is_none() && inner.outside.is_none() && ctx.running().is_none() && !ctx.is_paced();
        let plain = |tool: &ToolEntry, def: &ToolDef<'_>| {
            matches!(def.handler, Handler::Sync(_)) && !inner.is_layered(tool) && !nested::may_call(def)
        };
        if !quick {
            return self.block_on(asked, ctx, caller);
        }
        let (found, tool) = inner.find(asked.tool(), None)?;
        let def = tool.def();
        if !plain(tool, def) {
            return self.block_on(asked, ctx, caller);
        }
        let _running = inner.closing.enter(false)?;
        let late = ctx.deadline();
        if let Some(deadline) = late {
            begins(tool, deadline, Instant::now())?;
        }
        // A plain function without a limit of its own is not moved to another thread.
        let own = def.timeout.map(|limit| Instant::now() + limit);
        let deadline = earliest(own, late);
        if let (None, Found::Registry(place)) = (deadline, found)
            && is_bare(def)
            && !takes_secrets(def)
            && let Some(host) = ctx.idle()
        {
            let given = given(&mut asked)?;
            let call = Unmade { executor: self.clone(), host, tool: place, caller, given };
            return self.run_without_context(&mut asked, tool, call);
        }
        let recording = recording(&mut asked, ctx)?;
        let begin = Begin {
            executor: self.clone(),
            snapshot: None,
            policy: None,
            tool: found,
            caller,
            call_id: asked.take_call_id(),
            deadline,
            recording,
        };
        let ctx = ctx.for_call(|parent| CallScope::new(begin, parent));
        let has_secrets = takes_secrets(def);
        if let (true, Some(scope)) = (has_secrets, ctx.running()) {
            self.keep_secrets(def, &asked.raw_args(), scope);
        }
        // Its key is made of the arguments in a run.
        let keep = Keep { normal: has_secrets || ctx.run().is_some(), ..Keep::default() };
        let secrets = || ctx.running().and_then(CallScope::known_secrets);
        let Decoded { run, normal, notes, .. } = asked.decode(def, inner.reading, keep, secrets)?;
        if let (Some(args), Some(scope)) = (&normal, ctx.running()) {
            self.keep_secrets(def, args, scope);
            scope.keep_args(args);
        }
        let result = match (run, deadline) {
            (Run::Sync(body), None) => run_inline(body, tool, ctx),
            (Run::Sync(body), Some(deadline)) => {
                let body = move |ctx, tool: &ToolEntry| run_inline(body, tool, ctx);
                on_thread(body, self, found, ctx, deadline)
            }
            (Run::Async(_), _) => Err(made_a_future()),
        };
        if notes.is_empty() { result } else { noted(result, &notes) }
    }

    /// Runs a plain function that is handed no context: what asks for one all the same finds it.
    fn run_without_context(&self, asked: &mut Asked<'_>, tool: &ToolEntry, call: Unmade) -> ToolResult {
        let def = tool.def();
        let mut call = AtOnce::new(call);
        let run = || asked.run_at_once(def, self.inner().reading, &mut call);
        let notes = guard(tool.name(), || self.known_secrets(), run)?;
        // Results are large: this one is looked at where it is, and moved once.
        if let Some(result) = call.result() {
            if has_deep(result) {
                return Err(refused(tool.name(), def.behavior, result));
            }
            if let (false, Ok(output)) = (notes.is_empty(), result) {
                tell(&notes, &mut output.meta);
            }
        }
        match call.result {
            Some(result) => result,
            None => Err(made_a_future()),
        }
    }

    /// Runs a call on a runtime of its own, on another thread where this one is a runtime's already.
    fn block_on(&self, asked: Asked<'_>, ctx: &ToolContext, caller: Caller) -> ToolResult {
        let work = || -> ToolResult {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| ToolError::internal("No runtime could be started.").source(error))?;
            let result = runtime.block_on(self.run(asked, ctx, caller));
            runtime.shutdown_background();
            result
        };
        if tokio::runtime::Handle::try_current().is_err() {
            return work();
        }
        thread::scope(|scope| scope.spawn(work).join())
            .unwrap_or_else(|_| Err(ToolError::internal("The tool stopped unexpectedly.").code("panic")))
    }
}

/// Whether a function that is not handed the context is handed nothing but its arguments.
fn is_bare(def: &ToolDef<'_>) -> bool {
    def.capabilities.is_empty() && def.secrets.is_empty()
}

/// What the caller says of the call besides its arguments.
#[inline]
fn given(asked: &mut Asked<'_>) -> Result<Option<Box<Given>>, ToolError> {
    if let Asked::Text { call_id: None, .. } = asked {
        return Ok(None);
    }
    Ok(match (asked.take_call_id(), explicit_key(asked)?) {
        (None, None) => None,
        (call_id, explicit) => Some(Box::new(Given { call_id, explicit })),
    })
}

fn made_a_future() -> ToolError {
    ToolError::internal("A plain function made a future.")
}
