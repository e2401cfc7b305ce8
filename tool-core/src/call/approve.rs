//! The approve step: somebody consents before a tool changes something. (calls.md §5)
//!
//! Who is asked is the host's business ([`Approver`], given to the context); when, is this layer's. Consent is bound to the tool
//! and its exact arguments, in their normal form: one changed character asks again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::Caller;
use super::approvals::{ApprovalId, approval_hash};
use super::gate::Admitted;
use super::layer::{Invocation, Layer, Next};
use super::policy::ToolApproval;
use super::question::{Answer, Questions};
use super::refuse::refuse;
use super::secrets::takes_secrets;
use super::who::Who;
use crate::def::{BoxFuture, ToolDef};
use crate::error::ToolError;
use crate::output::ToolResult;
use crate::registry::ToolEntry;
use crate::search;

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
    /// The agent that wants to.
    pub agent: &'a str,
    /// What consent is bound to; also the id of a question that somebody answers later.
    pub hash: &'a str,
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
    /// Somebody will decide later; the same call then passes, or does not.
    Pending(ApprovalId),
    /// The question goes out with the end of this call; the caller makes the same call again with the answer.
    Suspended,
    /// The person does not want the call any more.
    Cancelled,
    /// This caller has nobody who could be asked; how to go on all the same.
    Unavailable {
        /// What to do.
        hint: String,
    },
}

impl Decision {
    /// The word in measurements.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Decision::AllowOnce => "once",
            Decision::AllowAlways => "always",
            Decision::Deny { .. } => "deny",
            Decision::Pending(_) => "pending",
            Decision::Suspended => "suspended",
            Decision::Cancelled => "cancelled",
            Decision::Unavailable { .. } => "unavailable",
        }
    }
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

    /// Whether a person is asked about a request. Only such questions are counted, so that nobody is worn down by them; a rule, and
    /// an answer that is known already, wear nobody down.
    fn asks(&self, request: &ApprovalRequest<'_>) -> bool {
        let _ = request;
        true
    }

    /// Who this is, as audit rows name it: `person`, `flag`, `client`.
    fn name(&self) -> &str {
        "person"
    }
}

/// The layer.
pub(super) struct Approve {
    level: ApprovalLevel,
    /// Whether a policy may say otherwise.
    by_policy: bool,
    questions: Arc<Questions>,
    /// What secret arguments are digested with.
    key: [u8; 32],
}

impl Approve {
    pub(super) fn new(
        level: ApprovalLevel,
        by_policy: bool,
        questions: Arc<Questions>,
        key: [u8; 32],
    ) -> Self {
        Self { level, by_policy, questions, key }
    }

    /// Whether calls of a tool need approval: what the policy says, else the executor's level.
    fn covers(&self, tool: &ToolEntry, admitted: Option<&Admitted>) -> bool {
        // The call that it makes is asked about.
        if search::makes_calls(tool.def()) {
            return false;
        }
        let policy = admitted.and_then(|admitted| admitted.approval(tool));
        policy.unwrap_or(ToolApproval::Level(self.level)).asks(tool)
    }

    /// Whether a call would be asked for.
    pub(super) fn asks(
        &self,
        tool: &ToolEntry,
        args: &Value,
        who: Who<'_>,
        admitted: Option<&Admitted>,
    ) -> bool {
        self.covers(tool, admitted) && !self.questions.is_decided(&self.hash(tool, args, who))
    }

    fn hash(&self, tool: &ToolEntry, args: &Value, who: Who<'_>) -> String {
        // The store's key is asked for only where something is digested with it: it may have to be opened for that.
        let key = if takes_secrets(tool.def()) { self.questions.key().unwrap_or(self.key) } else { self.key };
        approval_hash(who.tenant, who.agent, tool, args, &key)
    }

    async fn ask(&self, inv: &Invocation<'_>) -> Result<(), ToolError> {
        if !self.covers(inv.tool, inv.ext.get()) {
            return Ok(());
        }
        let hash = self.hash(inv.tool, &inv.args, Who::of(inv.ctx));
        match self.questions.ask(inv, &hash, None).await? {
            Answer::Yes => Ok(()),
            Answer::No { reason } => Err(denied(inv.tool.name(), reason)),
            Answer::Nobody => Err(unavailable(inv.tool)),
        }
    }
}

impl Layer for Arc<Approve> {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let asked = inv.ctx.now();
            if inv.ext.get::<super::identify::WillReplay>().is_none() {
                self.ask(&inv).await.map_err(|error| refuse("approve", error))?;
            }
            inv.ctx.waited(inv.ctx.now().saturating_duration_since(asked));
            next.run(inv).await
        })
    }

    fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        // A policy may ask for any tool; whether there is one is only known per call.
        self.by_policy || self.level.covers(tool)
    }
}

fn denied(tool: &str, reason: Option<String>) -> ToolError {
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    ToolError::denied(format!("{tool} was not approved{reason}.")).code("approval_denied")
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
