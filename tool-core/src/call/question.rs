//! Questions to whoever can be asked: whether a call may run, and whether an effect may be risked twice. (calls.md §5)
//!
//! Both go the same way: what was decided before is looked for, a model must not wear a person down, and only a yes or a no
//! is an answer. What an answer means is for those who ask.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tracing::Instrument as _;

use super::approvals::{Approval, ApprovalId, ApprovalState, Approvals, Flood, MemoryApprovals};
use super::approve::{APPROVAL_TIME, ApprovalRequest, Decision};
use super::facts::Facts;
use super::layer::Invocation;
use super::redact::{AUDIT_ARGS_MAX, AUDIT_ARGS_PREVIEW, Form, KnownSecrets, envelope, redact};
use super::who::Who;
use super::{Caller, run};
use crate::ask::INPUT_REQUIRED;
use crate::error::ToolError;
use crate::journal::now_ms;

/// What was decided, and how much may be asked.
pub(super) struct Questions {
    approvals: Box<dyn Approvals>,
    flood: Flood,
}

/// What came back.
pub(super) enum Answer {
    /// It may be done.
    Yes,
    /// It may not.
    No {
        /// What the person says about it.
        reason: Option<String>,
    },
    /// There is nobody to ask.
    Nobody,
}

impl Questions {
    pub(super) fn new(approvals: Option<Box<dyn Approvals>>) -> Questions {
        let approvals = approvals.unwrap_or_else(|| Box::new(MemoryApprovals::default()));
        Questions { approvals, flood: Flood::default() }
    }

    /// What secret arguments are digested with, where the store keeps such a key.
    pub(super) fn key(&self) -> Option<[u8; 32]> {
        self.approvals.key()
    }

    /// Whether somebody has consented already.
    pub(super) fn is_decided(&self, hash: &str) -> bool {
        let find = || self.approvals.find(hash).ok().flatten();
        let known = if self.approvals.is_there() { find() } else { None };
        known.is_some_and(|known| matches!(known.state, ApprovalState::Once | ApprovalState::Always))
    }

    /// Asks about a call; `hash` is what the answer is bound to, `question` what is asked in place of whether the tool may run.
    ///
    /// # Errors
    /// What the call ends with where there is no answer yet, or none any more.
    pub(super) async fn ask(
        &self,
        inv: &Invocation<'_>,
        hash: &str,
        question: Option<&str>,
    ) -> Result<Answer, ToolError> {
        let (agent, name) = (Who::of(inv.ctx).agent, inv.tool.name());
        if let Some(answer) = self.decided(inv, hash)? {
            return Ok(answer);
        }
        let Some(approver) = inv.ctx.approver() else { return Ok(Answer::Nobody) };
        let request =
            ApprovalRequest { tool: inv.tool, args: &inv.args, caller: inv.caller, question, agent, hash };
        // A person who asks for many calls is asked about each; a model must not wear a person down.
        let _question = match inv.caller {
            Caller::Cli => None,
            _ if !approver.asks(&request) => None,
            _ => Some(self.flood.open(agent, Instant::now()).ok_or_else(|| flood(name))?),
        };
        let asked = Instant::now();
        let span = tracing::debug_span!(target: "toolbox::call", "toolbox.approve");
        let decision = tokio::select! {
            biased;
            () = inv.ctx.cancelled() => return Err(run::cancelled(inv.tool.def())),
            decision = approver.decide(&request).instrument(span) => Some(decision),
            () = inv.ctx.over(APPROVAL_TIME) => None,
        };
        if let Some(facts) = inv.ext.get::<Arc<Facts>>() {
            let word = decision.as_ref().map_or("timeout", Decision::word);
            facts.known().approvals.push((asked.elapsed(), word));
        }
        match decision {
            // The answer that was read may be the end of a terminal that the caller has left.
            _ if inv.ctx.is_cancelled() => Err(run::cancelled(inv.tool.def())),
            Some(Decision::AllowOnce) => {
                note(inv, approver.name(), None);
                Ok(Answer::Yes)
            }
            // Consent to risk an effect twice covers exactly what it was asked for; there is no more of it to give.
            Some(Decision::AllowAlways) if question.is_some() => {
                note(inv, approver.name(), None);
                Ok(Answer::Yes)
            }
            Some(Decision::AllowAlways) => {
                let id = ApprovalId(format!("ap_{}", hash.get(..16).unwrap_or(hash)));
                note(inv, approver.name(), Some(&id));
                self.approvals.put(approval(inv, hash, question, id, ApprovalState::Always))?;
                Ok(Answer::Yes)
            }
            Some(Decision::Deny { reason }) => Ok(Answer::No { reason }),
            Some(Decision::Pending(id)) => {
                self.approvals.put(approval(inv, hash, question, id.clone(), ApprovalState::Pending))?;
                Err(pending(name, &id))
            }
            Some(Decision::Suspended) => {
                Err(ToolError::denied(format!("{name} waits for an answer.")).code(INPUT_REQUIRED))
            }
            Some(Decision::Cancelled) => Err(run::cancelled(inv.tool.def())),
            Some(Decision::Unavailable { hint }) => {
                let error = ToolError::denied(format!("{name} needs approval, and nobody can be asked."));
                Err(error.code("confirmation_unavailable").hint(hint))
            }
            None => {
                Err(ToolError::denied(format!("Nobody approved {name} in time.")).code("approval_timeout"))
            }
        }
    }

    /// What was decided before. Consent to one call is used up by it.
    fn decided(&self, inv: &Invocation<'_>, hash: &str) -> Result<Option<Answer>, ToolError> {
        // What another call has taken meanwhile is looked for again.
        while let Some(known) = self.approvals.find(hash)? {
            match known.state {
                ApprovalState::Always => {
                    note(inv, "always", Some(&known.id));
                    return Ok(Some(Answer::Yes));
                }
                ApprovalState::Once => {
                    if self.approvals.revoke(&known.id)? {
                        note(inv, "later", Some(&known.id));
                        return Ok(Some(Answer::Yes));
                    }
                }
                ApprovalState::Denied { reason } => {
                    self.approvals.revoke(&known.id)?;
                    return Ok(Some(Answer::No { reason }));
                }
                ApprovalState::Pending => return Err(pending(inv.tool.name(), &known.id)),
            }
        }
        Ok(None)
    }
}

/// What is kept of a question, or of consent for good.
fn approval(
    inv: &Invocation<'_>,
    hash: &str,
    question: Option<&str>,
    id: ApprovalId,
    state: ApprovalState,
) -> Approval {
    let (who, hash, tool) = (Who::of(inv.ctx), hash.to_owned(), inv.tool.name().to_owned());
    let (tenant, agent) = (who.tenant.to_owned(), who.agent.to_owned());
    Approval { id, hash, tenant, agent, tool, args: shown(inv, question), state, at_ms: now_ms() }
}

/// The arguments as somebody may see them who decides later, and what is asked.
fn shown(inv: &Invocation<'_>, question: Option<&str>) -> Value {
    let schema = inv.tool.def().input_schema().map_or(Value::Bool(true), |input| input.schema().clone());
    let (none, own) = (KnownSecrets::default(), inv.ctx.running().and_then(|call| call.known_secrets()));
    let mut shown = redact(&inv.args, &schema, own.unwrap_or(&none), Form::Audit).value;
    if let (Some(members), Some(question)) = (shown.as_object_mut(), question) {
        members.insert("$question".to_owned(), json!(question));
    }
    envelope(shown, AUDIT_ARGS_MAX, AUDIT_ARGS_PREVIEW)
}

/// Notes for the row and the audit row who consented.
fn note(inv: &Invocation<'_>, by: &str, id: Option<&ApprovalId>) {
    if let Some(facts) = inv.ext.get::<Arc<Facts>>() {
        facts.approved(by, id);
    }
}

fn pending(tool: &str, id: &ApprovalId) -> ToolError {
    ToolError::denied(format!("{tool} waits for somebody to approve it."))
        .code("approval_pending")
        .hint("make the same call again once it is approved")
        .detail("approval_id", id.0.as_str())
}

fn flood(tool: &str) -> ToolError {
    ToolError::denied(format!("{tool} needs approval, and too many questions were asked already."))
        .code("approval_flood")
        .hint("wait for the open questions to be answered; a person is asked at most 30 times an hour")
}
