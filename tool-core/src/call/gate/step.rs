//! The gate on the way of a call: visibility before decoding, so that a hidden tool's parameters are never described; then
//! the policy, on the decoded arguments.

use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

use super::{Gate, Hidden, Reason, Snapshot, gate};
use crate::call::Caller;
use crate::call::layer::{Invocation, Layer, Next};
use crate::call::policy::{Limits, Policy, PolicyRequest, ToolApproval};
use crate::call::refuse::refuse;
use crate::call::shape::READ_RESULT;
use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::output::ToolResult;
use crate::registry::{Registry, ToolEntry};

/// Makes the snapshot of a caller whose context has none.
pub trait Snapshots: Send + Sync {
    /// What this caller's gate knows, with the rows of the policy in force.
    ///
    /// # Errors
    /// Those of [`super::SnapshotBuilder::build`].
    fn snapshot(
        &self,
        ctx: &ToolContext,
        caller: Caller,
        policy: Option<&dyn Policy>,
    ) -> Result<Arc<Snapshot>, ToolError>;
}

/// One snapshot for everybody.
impl Snapshots for Arc<Snapshot> {
    fn snapshot(
        &self,
        _: &ToolContext,
        _: Caller,
        _: Option<&dyn Policy>,
    ) -> Result<Arc<Snapshot>, ToolError> {
        Ok(Arc::clone(self))
    }
}

/// The snapshots of a program that only has a policy: its rows, and what the context provides.
struct FromPolicy(Registry);

impl Snapshots for FromPolicy {
    fn snapshot(
        &self,
        ctx: &ToolContext,
        caller: Caller,
        policy: Option<&dyn Policy>,
    ) -> Result<Arc<Snapshot>, ToolError> {
        let agent = ctx.agent();
        let mut built = Snapshot::builder(agent).surface(caller.surface()).context(ctx, &self.0);
        if let Some(policy) = policy {
            built = built.rows(policy.rows(agent));
            built = policy.flags(agent).into_iter().fold(built, |built, (tag, on)| built.flag(tag, on));
        }
        // Whoever may call a tool may read what it parked.
        let built = if self.0.get(READ_RESULT).is_some() { built.offer(READ_RESULT) } else { built };
        Ok(Arc::new(built.build(&self.0)?))
    }
}

/// Who lets calls in.
pub(in crate::call) struct Gatekeeper {
    snapshots: Box<dyn Snapshots>,
    policy: RwLock<Option<Arc<dyn Policy>>>,
}

/// What a call was let in with; it finishes under that, whatever changes meanwhile.
#[derive(Clone)]
pub(in crate::call) struct Admitted {
    pub(in crate::call) snapshot: Arc<Snapshot>,
    pub(in crate::call) policy: Option<Arc<dyn Policy>>,
}

impl Gatekeeper {
    pub(in crate::call) fn new(
        registry: &Registry,
        snapshots: Option<Box<dyn Snapshots>>,
        policy: Option<Arc<dyn Policy>>,
    ) -> Gatekeeper {
        let snapshots = snapshots.unwrap_or_else(|| Box::new(FromPolicy(registry.clone())));
        Gatekeeper { snapshots, policy: RwLock::new(policy) }
    }

    /// Puts another policy into force.
    pub(in crate::call) fn reload(&self, policy: Option<Arc<dyn Policy>>) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
    }

    /// What a caller is judged by.
    pub(in crate::call) fn admitted(&self, ctx: &ToolContext, caller: Caller) -> Result<Admitted, ToolError> {
        let policy = self.policy.read().unwrap_or_else(PoisonError::into_inner).clone();
        let snapshot = match ctx.snapshot() {
            Some(snapshot) => Arc::clone(snapshot),
            None => self.snapshots.snapshot(ctx, caller, policy.as_deref())?,
        };
        Ok(Admitted { snapshot, policy })
    }
}

impl Admitted {
    /// Refuses a tool that the caller does not see.
    pub(in crate::call) fn check(&self, tool: &ToolEntry) -> Result<(), (ToolError, Hidden)> {
        match gate(tool, &self.snapshot) {
            Gate::Visible => Ok(()),
            Gate::Hidden(hidden) => Err((refusal(tool.name(), &hidden), hidden)),
        }
    }

    /// The policy's word on decoded arguments.
    pub(in crate::call) fn judge(
        &self,
        tool: &ToolEntry,
        args: &Value,
        given: &[String],
    ) -> Result<(), ToolError> {
        let Some(policy) = &self.policy else { return Ok(()) };
        #[cfg(not(feature = "limit"))]
        if self.tool_limits(tool).is_limited() || self.agent_limits().is_limited() {
            let text = "This program is built without limits, and its policy sets some.";
            return Err(refuse("gate", ToolError::not_configured(text).code("limit_missing")));
        }
        let request = PolicyRequest { agent: self.agent(), tool, args, given };
        policy.judge(&request).map_err(|error| refuse("gate", error))
    }

    /// What the policy says of approval.
    pub(in crate::call) fn approval(&self, tool: &ToolEntry) -> Option<ToolApproval> {
        self.policy.as_ref()?.approval(self.agent(), tool)
    }

    pub(in crate::call) fn agent(&self) -> &str {
        self.snapshot.agent()
    }

    pub(in crate::call) fn tool_limits(&self, tool: &ToolEntry) -> Limits {
        self.policy.as_ref().map(|policy| policy.tool_limits(self.agent(), tool)).unwrap_or_default()
    }

    pub(in crate::call) fn agent_limits(&self) -> Limits {
        self.policy.as_ref().map(|policy| policy.agent_limits(self.agent())).unwrap_or_default()
    }
}

/// The error for a tool that is hidden. It names no secret: models read it.
fn refusal(tool: &str, hidden: &Hidden) -> ToolError {
    let code = format!("tool_{}", hidden.reason);
    let error = match hidden.reason {
        Reason::SecretMissing => ToolError::not_configured(format!("{tool} is not configured.")),
        _ => ToolError::denied(format!("{tool} is not available here.")),
    };
    refuse("gate", error.code(code))
}

/// The second half: the policy's word on the arguments.
#[derive(Debug)]
pub(in crate::call) struct Judge;

impl Layer for Judge {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            if let Some(admitted) = inv.ext.get::<Admitted>() {
                admitted.judge(inv.tool, &inv.args, inv.given())?;
            }
            next.run(inv).await
        })
    }
}
