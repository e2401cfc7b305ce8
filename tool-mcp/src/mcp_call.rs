//! The call as the protocol has it, for tools that must know: era, client, and raw requests to the client. (mcp.md §6)
//!
//! A tool that asks for it, `#[ctx] call: &McpCall`, is offered by MCP servers only: nobody else provides it.

use std::any::TypeId;
use std::sync::Arc;

use serde_json::{Map, Value};
use tool_core::{ToolContext, ToolEntry, ToolError};

use crate::ask::Dialogue;
use crate::era::Era;

/// The code of an error that names capabilities which the client has not declared.
pub(crate) const CLIENT_CAPABILITY: &str = "client_capability";

/// The detail that names them.
const REQUIRED_CAPABILITIES: &str = "required_capabilities";

/// Where the JSON form of an error has that detail.
pub(crate) const REQUIRED: &str = "/details/required_capabilities";

/// The methods that a server may ask of a client, and the capability that each takes.
const METHODS: [(&str, &str); 3] =
    [("sampling/createMessage", "sampling"), ("roots/list", "roots"), ("elicitation/create", "elicitation")];

/// Who is behind a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    /// The revision of the protocol.
    pub(crate) version: String,
    /// Its name and version.
    pub(crate) info: (String, String),
    pub(crate) capabilities: Map<String, Value>,
}

impl Client {
    /// Its name and version in one.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.info.0, self.info.1)
    }
}

/// The running call as the protocol has it.
pub struct McpCall {
    era: Era,
    client: Arc<Client>,
    /// None outside a call.
    asked: Option<(Dialogue, ToolContext)>,
}

impl McpCall {
    pub(crate) fn new(era: Era, client: Arc<Client>, dialogue: Dialogue, ctx: ToolContext) -> McpCall {
        McpCall { era, client, asked: Some((dialogue, ctx)) }
    }

    /// What is provided while no call runs.
    pub(crate) fn none() -> McpCall {
        McpCall { era: Era::Legacy, client: Arc::default(), asked: None }
    }

    /// Whether a tool asks for it.
    pub(crate) fn is_asked_for(tool: &ToolEntry) -> bool {
        tool.def().capabilities.iter().any(|capability| (capability.id)() == TypeId::of::<McpCall>())
    }

    /// The generation of the protocol.
    pub fn era(&self) -> Era {
        self.era
    }

    /// The revision of the protocol, such as `2026-07-28`.
    pub fn protocol_version(&self) -> &str {
        &self.client.version
    }

    /// The client's name; empty where it did not say.
    pub fn client_name(&self) -> &str {
        &self.client.info.0
    }

    /// The client's version; empty where it did not say.
    pub fn client_version(&self) -> &str {
        &self.client.info.1
    }

    /// What the client has declared, by name.
    pub fn capabilities(&self) -> &Map<String, Value> {
        &self.client.capabilities
    }

    /// Refuses a client that has not declared a capability.
    ///
    /// # Errors
    /// `denied`, code `client_capability`: on 2026-07-28 the client gets it as the protocol's own error.
    pub fn require_capability(&self, name: &str) -> Result<(), ToolError> {
        match self.client.capabilities.contains_key(name) {
            true => Ok(()),
            false => Err(undeclared("The tool needs what this client has not declared", &[name])),
        }
    }

    /// Has the client answer a request of the protocol; the call ends and is run again with the answer.
    ///
    /// # Errors
    /// `denied`: `input_required`, which the tool passes on; `client_capability`; `input_unavailable` before 2026-07-28.
    /// `internal`: `bad_question` for a key or method that is none; `ask_after_effect`.
    pub fn input(&self, key: &str, method: &str, params: Value) -> Result<Value, ToolError> {
        let answers = self.inputs([(key, method, params)])?;
        Ok(answers.into_iter().next().unwrap_or_default())
    }

    /// Has the client answer several requests in one round; the answers are in the same order.
    ///
    /// # Errors
    /// As [`input`](Self::input).
    pub fn inputs<'r>(
        &self,
        requests: impl IntoIterator<Item = (&'r str, &'r str, Value)>,
    ) -> Result<Vec<Value>, ToolError> {
        let requests: Vec<(&str, &str, Value)> = requests.into_iter().collect();
        let Some((dialogue, ctx)) = self.asked.as_ref().filter(|_| self.era == Era::Modern) else {
            let error = ToolError::denied("This client takes no requests of a call's own.");
            return Err(error.code("input_unavailable"));
        };
        ctx.may_ask(requests.iter().map(|request| request.0))?;
        for (_, method, _) in &requests {
            let Some((_, capability)) = METHODS.iter().find(|row| row.0 == *method) else {
                let known = METHODS.map(|row| row.0).join(", ");
                let shown: String = method.chars().take(80).collect();
                let error = ToolError::internal(format!("A client cannot be asked for {shown}."));
                return Err(error.code("bad_question").hint(format!("known: {known}")));
            };
            self.require_capability(capability)?;
        }
        let answers: Vec<Value> =
            requests.iter().filter_map(|(key, method, params)| dialogue.raw(key, method, params)).collect();
        match answers.len() == requests.len() {
            true => Ok(answers),
            false => Err(waits()),
        }
    }
}

/// What ends a call that waits for its client.
pub(crate) fn waits() -> ToolError {
    ToolError::denied("The call waits for an answer.").code("input_required")
}

/// What a client has not declared.
pub(crate) fn undeclared(text: &str, names: &[&str]) -> ToolError {
    ToolError::denied(format!("{text}: {}.", names.join(", ")))
        .code(CLIENT_CAPABILITY)
        .detail(REQUIRED_CAPABILITIES, serde_json::json!(names))
}

impl std::fmt::Debug for McpCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpCall")
            .field("era", &self.era)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
