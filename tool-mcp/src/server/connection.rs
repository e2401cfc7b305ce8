//! A client as its requests know it: the era they speak, who sends them, how it is reached, and what its calls run with.
//!
//! In a session all requests share one; where each request says everything itself, equal requests may.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, Implementation, ProtocolVersion};
use rmcp::service::{Peer, RequestContext};
use serde_json::{Map, Value};
use tool_core::ToolContext;

use super::McpServer;
use crate::era::Era;
use crate::mcp_call::Client;

/// A client as its requests know it.
pub(crate) struct Connection {
    pub(crate) era: Era,
    /// Which era's tools it knows, and how results are written: its own, unless they were listed before it came.
    pub(crate) listed: Era,
    pub(crate) client: Arc<Client>,
    pub(crate) peer: Peer<RoleServer>,
    /// What its calls find around them, but for what is of one call alone.
    pub(super) ctx: ToolContext,
}

impl Connection {
    /// The client of one request.
    pub(crate) fn of_request(server: &McpServer, context: &RequestContext<RoleServer>) -> Connection {
        let (version, info) = (context.protocol_version(), context.client_info());
        Connection::new(server, &context.peer, version.as_ref(), info, context.client_capabilities().as_ref())
    }

    /// A client that speaks a version, and says who it is and what it can.
    pub(crate) fn new(
        server: &McpServer,
        peer: &Peer<RoleServer>,
        version: Option<&ProtocolVersion>,
        info: Option<Implementation>,
        capabilities: Option<&ClientCapabilities>,
    ) -> Connection {
        let client = Client {
            version: version.map(ProtocolVersion::to_string).unwrap_or_default(),
            info: info.map(|info| (info.name, info.version)).unwrap_or_default(),
            capabilities: match serde_json::to_value(capabilities) {
                Ok(Value::Object(members)) => members,
                _ => Map::new(),
            },
        };
        let ctx = server.inner.ctx.to_builder().client(&client.title()).build();
        let era = era(version);
        Connection { era, listed: era, client: Arc::new(client), peer: peer.clone(), ctx }
    }

    /// Whether the client's person can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.client.capabilities.contains_key("elicitation")
    }
}

/// The era of a version.
pub(crate) fn era(version: Option<&ProtocolVersion>) -> Era {
    match version.is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28) {
        true => Era::Modern,
        false => Era::Legacy,
    }
}
