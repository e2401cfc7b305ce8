//! The approve step: somebody consents before a tool changes something. (calls.md §5)
//!
//! Who is asked is the host's business ([`Approver`], given to the context); when, is this layer's. Consent is bound to the tool
//! and its exact arguments, in their normal form: one changed character asks again.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::layer::{Invocation, Layer, Next};
use super::{Caller, run};
use crate::def::{BoxFuture, ToolDef};
use crate::error::ToolError;
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// How long somebody may think about a question.
pub const APPROVAL_TIME: Duration = Duration::from_secs(5 * 60);

/// Which calls need approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApprovalLevel {
    /// Those of destructive tools.
    #[default]
    Destructive,
    /// Those of tools with a side effect.
    SideEffect,
    /// All.
    Always,
}

impl ApprovalLevel {
    /// Whether calls of a tool need approval.
    pub fn covers(self, tool: &ToolDef<'_>) -> bool {
        match self {
            ApprovalLevel::Destructive => tool.behavior.destructive,
            ApprovalLevel::SideEffect => tool.behavior.side_effect,
            ApprovalLevel::Always => true,
        }
    }
}

/// What is asked: may this tool run with these arguments?
#[derive(Debug)]
pub struct ApprovalRequest<'a> {
    /// The tool, under its effective name.
    pub tool: &'a ToolEntry,
    /// The normal form of the arguments; secret ones are in it, and no question may show them.
    pub args: &'a Value,
    /// Who called.
    pub caller: Caller,
    /// What is asked instead, where it is not whether the tool may run: whether an effect may be risked twice.
    pub question: Option<&'a str>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// This call may run.
    AllowOnce,
    /// So may all further calls of this tool with exactly these arguments.
    AllowAlways,
    /// It may not.
    Deny {
        /// What the person says about it.
        reason: Option<String>,
    },
}

/// Somebody who can be asked.
///
/// ```
/// use tool_core::{ApprovalRequest, Approver, BoxFuture, Decision};
///
/// /// Lets everything through but what deletes.
/// struct NoDeletes;
///
/// impl Approver for NoDeletes {
///     fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
///         let deletes = request.tool.name().starts_with("delete_");
///         let decision = if deletes { Decision::Deny { reason: None } } else { Decision::AllowOnce };
///         Box::pin(std::future::ready(decision))
///     }
/// }
/// ```
pub trait Approver: Send + Sync {
    /// Answers a request. The future is dropped when the caller goes away.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision>;
}

/// The layer.
#[derive(Debug, Default)]
pub(super) struct Approve {
    level: ApprovalLevel,
    /// What was approved for good, by its hash.
    always: Mutex<HashSet<Hash>>,
}

type Hash = [u8; 32];

impl Approve {
    pub(super) fn new(level: ApprovalLevel) -> Self {
        Self { level, ..Self::default() }
    }

    /// Whether a call would be asked for.
    pub(super) fn asks(&self, tool: &ToolEntry, args: &Value) -> bool {
        self.level.covers(tool.def()) && !self.always().contains(&hash(tool.name(), args))
    }

    fn always(&self) -> MutexGuard<'_, HashSet<Hash>> {
        self.always.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, inv: &Invocation<'_>) -> Result<(), ToolError> {
        if !self.asks(inv.tool, &inv.args) {
            return Ok(());
        }
        let Some(approver) = inv.ctx.approver() else { return Err(unavailable(inv.tool)) };
        let request = ApprovalRequest { tool: inv.tool, args: &inv.args, caller: inv.caller, question: None };
        let decision = tokio::select! {
            biased;
            () = inv.ctx.cancelled() => return Err(run::cancelled(inv.tool)),
            decision = tokio::time::timeout(APPROVAL_TIME, approver.decide(&request)) => decision,
        };
        let name = inv.tool.name();
        match decision {
            // The answer that was read may be the end of a terminal that the caller has left.
            _ if inv.ctx.is_cancelled() => Err(run::cancelled(inv.tool)),
            Ok(Decision::AllowOnce) => Ok(()),
            Ok(Decision::AllowAlways) => {
                self.always().insert(hash(name, &inv.args));
                Ok(())
            }
            Ok(Decision::Deny { reason }) => {
                let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                Err(ToolError::denied(format!("{name} was not approved{reason}.")).code("approval_denied"))
            }
            Err(_) => {
                Err(ToolError::denied(format!("Nobody approved {name} in time.")).code("approval_timeout"))
            }
        }
    }
}

impl Layer for Arc<Approve> {
    fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        self.level.covers(tool)
    }

    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let asked = Instant::now();
            if inv.ext.get::<super::identify::WillReplay>().is_none() {
                self.ask(&inv).await?;
            }
            inv.ctx.waited(asked.elapsed());
            next.run(inv).await
        })
    }
}

fn unavailable(tool: &ToolEntry) -> ToolError {
    let (name, behavior) = (tool.name(), tool.def().behavior);
    let why = match behavior {
        behavior if behavior.destructive => "is destructive",
        behavior if behavior.side_effect => "has side effects",
        _ => "needs approval",
    };
    ToolError::denied(format!("{name} {why}, and there is nobody to ask."))
        .code("approval_unavailable")
        .hint(format!("run with --yes, or set approve = \"never\" for {name} in the policy"))
}

/// What consent is bound to. It stays in this process, and so does what it is made of.
fn hash(tool: &str, args: &Value) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update((tool.len() as u64).to_le_bytes());
    hasher.update(tool);
    digest(args, &mut hasher);
    hasher.finalize().into()
}

/// Digests a value whose members may stand in any order.
fn digest(value: &Value, hasher: &mut Sha256) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|member| member.0);
            hasher.update(format!("{{{}", members.len()));
            for (key, value) in members {
                hasher.update(format!("{}:{key}", key.len()));
                digest(value, hasher);
            }
        }
        Value::Array(items) => {
            hasher.update(format!("[{}", items.len()));
            items.iter().for_each(|item| digest(item, hasher));
        }
        Value::String(text) => hasher.update(format!("\"{}:{text}", text.len())),
        scalar => hasher.update(format!("{scalar};")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn consent_is_bound_to_exact_arguments_in_any_order() {
        let same = [json!({"a": 1, "b": [1, "2"]}), json!({"b": [1, "2"], "a": 1})];
        assert_eq!(hash("t", &same[0]), hash("t", &same[1]));
        let others = [
            json!({"a": 1, "b": [1, "3"]}),
            json!({"a": 1, "b": [1, 2]}),
            json!({"a": 1, "b": [[1], "2"]}),
            json!({"a": 1}),
            json!({"a": 1, "b": [1, "2"], "c": null}),
        ];
        for other in others {
            assert_ne!(hash("t", &same[0]), hash("t", &other), "{other}");
        }
        assert_ne!(hash("t", &same[0]), hash("u", &same[0]));
    }
}
