//! Asking the client's person: during the call where the era allows it, else by ending the call and running it again with the
//! answers. (mcp.md §6)

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ElicitRequest, ElicitRequestParams, ElicitationAction, InputRequest, InputRequiredResult};
use rmcp::service::ServiceError;
use serde_json::{Value, json};
use tool_core::{
    APPROVAL_TIME, ApprovalRequest, Approver, Asker, BoxFuture, Caller, Decision, Question, Reply,
    ToolContext, ToolError,
};

use crate::era::Era;
use crate::mcp_call::{undeclared, waits};
use crate::question;
use crate::server::Connection;
use crate::state::{APPROVAL, State};

/// The most rounds of a call.
pub const ROUNDS_MAX: u32 = 10;

/// How often an answer may not fit.
pub const TRIES_MAX: u32 = 3;

/// What a client that cannot be asked is told.
const CANNOT_ASK: &str =
    "This client cannot be asked. Start the server with --confirm client, or run: toolbox <command> --yes";

/// What a server does where a call needs approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confirm {
    /// Asks the client's person.
    #[default]
    Ask,
    /// Trusts that the client has asked.
    Client,
    /// Refuses, and does not offer such tools.
    Deny,
}

/// The conversation around one call. A clone is the same.
#[derive(Clone)]
pub(crate) struct Dialogue {
    connection: Arc<Connection>,
    confirm: Confirm,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    state: State,
    /// What goes out when the call has ended.
    waiting: BTreeMap<String, Wanted>,
    /// Whether somebody has said no, or the answers were of no use.
    refused: bool,
}

/// What is asked of a client between two rounds.
pub(crate) enum Wanted {
    /// An answer of its person.
    Answer(Question),
    /// The result of a method of the protocol.
    Raw { method: String, params: Value },
}

/// The questions that are left at the end of a call, and the state in which it goes on.
type Suspended = (BTreeMap<String, Wanted>, State);

impl Dialogue {
    pub(crate) fn new(connection: Arc<Connection>, confirm: Confirm, state: State) -> Dialogue {
        let held = Arc::new(Mutex::new(Held { state, ..Held::default() }));
        Dialogue { connection, confirm, held }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions that are left at the end of a call, and the state in which it goes on.
    ///
    /// # Errors
    /// `denied`, code `too_many_rounds`.
    pub(crate) fn suspended(&self) -> Result<Option<Suspended>, ToolError> {
        let mut held = self.held();
        let waiting = std::mem::take(&mut held.waiting);
        if waiting.is_empty() {
            return Ok(None);
        }
        let mut state = std::mem::take(&mut held.state);
        state.round += 1;
        if state.round > ROUNDS_MAX {
            (held.refused, held.state) = (true, state);
            let error = ToolError::denied(format!("A call has at most {ROUNDS_MAX} rounds of questions."));
            return Err(error.code("too_many_rounds"));
        }
        state.open = waiting.keys().cloned().collect();
        Ok(Some((waiting, state)))
    }

    /// The id of the call, where an answer has refused it.
    pub(crate) fn refused(&self) -> Option<String> {
        let held = self.held();
        held.refused.then(|| held.state.call_id.clone())
    }

    /// The reply to a question, if there is one that fits; else the question waits for the end of the call.
    fn reply(&self, key: &str, question: &Question) -> Result<Option<Reply>, ToolError> {
        let mut held = self.held();
        let answer = held.state.answers.get(key).cloned();
        let (question, answered) = match answer.as_ref().and_then(read) {
            Some(Reply::Accepted(answer)) => match question.fits(&answer) {
                Ok(()) => return Ok(Some(Reply::Accepted(answer))),
                Err(issue) => (question.clone().after(&format!("That does not fit: {issue}. ")), true),
            },
            Some(reply) => {
                held.refused = true;
                return Ok(Some(reply));
            }
            None => (question.clone(), false),
        };
        held.state.answers.remove(key);
        if answered {
            let tries = held.state.tries.entry(key.to_owned()).or_default();
            *tries += 1;
            if *tries >= TRIES_MAX {
                held.refused = true;
                return Err(ToolError::denied("The answers did not fit.").code("answer_invalid"));
            }
        }
        held.waiting.insert(key.to_owned(), Wanted::Answer(question));
        Ok(None)
    }

    /// The result of a method of the protocol, if the client has given one; else it is asked for at the end of the call.
    pub(crate) fn raw(&self, key: &str, method: &str, params: &Value) -> Option<Value> {
        let mut held = self.held();
        if let Some(answer) = held.state.answers.get(key).filter(|answer| answer.is_object()) {
            return Some(answer.clone());
        }
        held.state.answers.remove(key);
        held.waiting
            .insert(key.to_owned(), Wanted::Raw { method: method.to_owned(), params: params.clone() });
        None
    }

    /// Asks during the call.
    async fn ask_now(&self, question: &Question) -> Result<Reply, ToolError> {
        let mut asked = question.clone();
        for _ in 0..TRIES_MAX {
            let params = params(&asked)?;
            let answer = self.connection.peer.create_elicitation_with_timeout(params, Some(APPROVAL_TIME));
            let answer = answer.await;
            let answer = answer.map_err(|error| match error {
                ServiceError::Timeout { .. } => ToolError::timeout("Nobody answered in time."),
                error => ToolError::denied("The client could not be asked.")
                    .code("input_unavailable")
                    .source(error),
            })?;
            match answer.action {
                ElicitationAction::Decline => return Ok(Reply::Declined),
                ElicitationAction::Cancel => return Ok(Reply::Cancelled),
                _ => {
                    let content = answer.content.unwrap_or_else(|| json!({}));
                    match question.fits(&content) {
                        Ok(()) => return Ok(Reply::Accepted(content)),
                        Err(issue) => {
                            asked = question.clone().after(&format!("That does not fit: {issue}. "))
                        }
                    }
                }
            }
        }
        Err(ToolError::denied("The answers did not fit.").code("answer_invalid"))
    }

    /// What cannot be asked.
    fn unavailable(&self) -> ToolError {
        let text = "The tool has a question, and this client cannot be asked";
        match self.connection.era {
            Era::Legacy => ToolError::denied(format!("{text}.")).code("input_unavailable"),
            Era::Modern => undeclared(text, &["elicitation"]),
        }
    }
}

/// Reads the result of an elicitation; `None` for what is none.
fn read(answer: &Value) -> Option<Reply> {
    match answer.get("action")?.as_str()? {
        "accept" => {
            let content = answer.get("content").cloned().unwrap_or_else(|| json!({}));
            content.is_object().then_some(Reply::Accepted(content))
        }
        "decline" => Some(Reply::Declined),
        "cancel" => Some(Reply::Cancelled),
        _ => None,
    }
}

fn params(question: &Question) -> Result<ElicitRequestParams, ToolError> {
    let params = json!({"mode": "form", "message": question.message(), "requestedSchema": question.schema()});
    serde_json::from_value(params).map_err(|error| {
        ToolError::internal("The question cannot be sent.").code("bad_question").source(error)
    })
}

/// The end of a round: the questions, and the sealed state.
pub(crate) fn input_required(
    questions: &BTreeMap<String, Wanted>,
    state: String,
) -> Result<InputRequiredResult, ToolError> {
    let mut requests = BTreeMap::new();
    for (key, wanted) in questions {
        let request = match wanted {
            Wanted::Answer(question) => InputRequest::Elicitation(ElicitRequest::new(params(question)?)),
            Wanted::Raw { method, params } => raw_request(method, params)?,
        };
        requests.insert(key.clone(), request);
    }
    let mut result = InputRequiredResult::from_request_state(state);
    result.input_requests = Some(requests);
    Ok(result)
}

fn raw_request(method: &str, params: &Value) -> Result<InputRequest, ToolError> {
    serde_json::from_value(json!({"method": method, "params": params})).map_err(|error| {
        ToolError::internal(format!("The request {method} cannot be sent."))
            .code("bad_question")
            .source(error)
    })
}

impl Asker for Dialogue {
    fn ask<'a>(
        &'a self,
        _: &'a ToolContext,
        questions: &'a [(String, Question)],
    ) -> BoxFuture<'a, Result<Vec<Reply>, ToolError>> {
        Box::pin(async move {
            if !self.connection.can_ask() {
                return Err(self.unavailable());
            }
            let mut replies = Vec::with_capacity(questions.len());
            for (key, question) in questions {
                match self.connection.era {
                    Era::Legacy => replies.push(self.ask_now(question).await?),
                    Era::Modern => replies.extend(self.reply(key, question)?),
                }
            }
            if replies.len() < questions.len() {
                return Err(waits());
            }
            Ok(replies)
        })
    }
}

impl Approver for Dialogue {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            match self.confirm {
                Confirm::Client => return Decision::AllowOnce,
                // A setting is no answer of a person: with another one the same call may be asked about.
                Confirm::Deny if request.question.is_some() => {
                    return Decision::Unavailable { hint: CANNOT_ASK.to_owned() };
                }
                Confirm::Deny => return Decision::Deny { reason: None },
                Confirm::Ask if !self.connection.can_ask() => {
                    return Decision::Unavailable { hint: CANNOT_ASK.to_owned() };
                }
                Confirm::Ask => {}
            }
            let question = Question::new(question::approval(request));
            let reply = match self.connection.era {
                Era::Legacy => self.ask_now(&question).await.map(Some),
                Era::Modern => self.reply(&approval_key(request), &question),
            };
            match reply {
                Ok(Some(Reply::Accepted(_))) => Decision::AllowOnce,
                // Nobody has said no.
                Err(_) if request.question.is_some() => Decision::Unavailable { hint: CANNOT_ASK.to_owned() },
                Ok(Some(Reply::Declined)) | Err(_) => Decision::Deny { reason: None },
                Ok(Some(Reply::Cancelled)) => Decision::Cancelled,
                Ok(None) => Decision::Suspended,
            }
        })
    }

    fn asks(&self, request: &ApprovalRequest<'_>) -> bool {
        let is_answered = || self.held().state.answers.contains_key(&approval_key(request));
        self.confirm == Confirm::Ask && self.connection.can_ask() && !is_answered()
    }

    fn name(&self) -> &str {
        match self.confirm {
            Confirm::Client => "client",
            Confirm::Ask | Confirm::Deny => "person",
        }
    }
}

/// The question whether a call may run has the key that clients know. Consent to one thing is not consent to another: what is
/// asked of a call that a tool makes, or whether an effect may be risked twice, has a key of its own.
fn approval_key(request: &ApprovalRequest<'_>) -> String {
    match (request.caller, request.question) {
        (Caller::Tool, _) | (_, Some(_)) => {
            format!("{APPROVAL}_{}", request.hash.get(..16).unwrap_or(request.hash))
        }
        _ => APPROVAL.to_owned(),
    }
}
