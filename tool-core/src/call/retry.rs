//! The retry step: a read, or an idempotent change, is tried again while that can help. (calls.md §9)

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::CallScope;
use super::facts::Facts;
use super::layer::{Invocation, Layer, Next};
#[cfg(feature = "limit")]
use super::limit::Tokens;
use super::run;
use crate::context::ToolContext;
use crate::def::{BoxFuture, ToolDef};
use crate::error::{ErrorKind, ToolError};
use crate::output::ToolResult;

/// Further tries where a host does not say otherwise.
pub const RETRIES: u32 = 2;

/// The longest delay before the first further try; it doubles.
const FIRST_DELAY: Duration = Duration::from_millis(200);

/// The longest delay of all.
const LONGEST_DELAY: Duration = Duration::from_secs(5);

/// The layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retry {
    /// How many further tries there are.
    pub(super) again: u32,
    /// How long each may take, where that is less than the call.
    pub(super) each: Option<Duration>,
}

impl Retry {
    async fn tries(&self, inv: Invocation<'_>, next: Next<'_>) -> (ToolResult, u32) {
        let Invocation { tool, args, ctx, caller, ext } = inv;
        let again = |ext| Invocation { tool, args: Arc::clone(&args), ctx, caller, ext };
        let (mut last, mut is_late) = self.once(again(ext.clone()), next.again()).await;
        for count in 0..self.again {
            let Err(error) = &last else { return (last, count + 1) };
            let Some(delay) = delay(error, is_late, count) else { return (last, count + 1) };
            if !is_unseen(ctx) {
                return (last, count + 1);
            }
            let deadline = ctx.deadline();
            if deadline.is_some_and(|deadline| ctx.now() + delay >= deadline) {
                return (last, count + 1);
            }
            tokio::select! {
                biased;
                () = ctx.cancelled() => return (Err(run::cancelled(tool.def())), count + 1),
                () = ctx.pause(delay) => {}
            }
            #[cfg(feature = "limit")]
            if ext.get::<Tokens>().is_some_and(|tokens| tokens.take().is_err()) {
                return (last, count + 1);
            }
            (last, is_late) = self.once(again(ext.clone()), next.again()).await;
        }
        (last, self.again + 1)
    }

    /// One try, and whether it was ended for taking too long.
    async fn once(&self, inv: Invocation<'_>, next: Next<'_>) -> (ToolResult, bool) {
        let Some(limit) = self.each else { return (next.run(inv).await, false) };
        let ctx = inv.ctx.for_try(limit);
        let result = next.run(Invocation { ctx: &ctx, ..inv }).await;
        let is_late =
            ctx.is_cancelled() && result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Timeout);
        (result, is_late)
    }
}

/// Whether nobody has seen elements of the call's list, which another try would show again.
fn is_unseen(ctx: &ToolContext) -> bool {
    ctx.running().is_none_or(CallScope::give_up_items)
}

/// How long to wait before trying again, after so many further tries; `None` where that cannot help.
fn delay(error: &ToolError, is_late: bool, count: u32) -> Option<Duration> {
    if !(error.is_retryable() || is_late) || error.kind() == ErrorKind::Cancelled {
        return None;
    }
    let most = FIRST_DELAY.saturating_mul(1 << count.min(16)).min(LONGEST_DELAY);
    Some(error.retry_after_value().unwrap_or_else(|| most.mul_f64(random())))
}

/// A number from 0 to 1: the last 32 bits of a UUID of version 7 are random.
fn random() -> f64 {
    let bits = uuid::Uuid::now_v7().as_u64_pair().1 & u64::from(u32::MAX);
    u32::try_from(bits).map_or(1.0, f64::from) / f64::from(u32::MAX)
}

impl Layer for Retry {
    fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        !tool.behavior.side_effect || tool.behavior.idempotent
    }

    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let facts = inv.ext.get::<Arc<Facts>>().cloned();
            let (mut result, tries) = self.tries(inv, next).await;
            if let Some(facts) = facts {
                facts.known().tries = tries;
            }
            if let (Ok(output), true) = (&mut result, tries > 1) {
                output.meta.insert("tries".to_owned(), Value::from(tries));
            }
            result
        })
    }
}
