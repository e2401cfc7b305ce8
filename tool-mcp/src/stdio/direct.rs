//! The direct way of the common requests: from the line to the server and back to a line, past rmcp.
//!
//! It differs in reading and writing alone. What a call may do, what it is asked and how it ends is `server::rounds`'s; what a
//! list shows is `listing`'s; everything that is not plainly one of them, and every mistake, is left to rmcp.

use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use rmcp::model::{
    CallToolResponse, InitializeRequestParams, ProtocolVersion, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::Peer;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use tokio_util::sync::{CancellationToken, ReusableBoxFuture};

use super::message::{Id, Message, Meta, Method};
use super::out::Out;
use super::pace::{Begins, Paces};
use super::running::Running;
use crate::era::Era;
use crate::server::{Answer, Connection, Encoded, LOCAL, McpServer, Request, ended_with};

/// The direct way.
pub(super) struct Direct {
    server: McpServer,
    out: Out,
    running: Running,
    /// What ends every call.
    stop: CancellationToken,
    /// The client, once rmcp has opened the session.
    peer: Arc<OnceLock<Peer<RoleServer>>>,
    /// Whether the session is not what it was when it was opened.
    closed: bool,
    known: Option<Known>,
    paces: Paces,
    /// A call that was over at once: the next one takes its place in memory.
    last: Option<ReusableBoxFuture<'static, Result<Answer, ErrorData>>>,
}

/// A client, and what it was made from.
struct Known {
    said: Said,
    connection: Arc<Connection>,
}

/// What a client said of itself.
enum Said {
    /// In the handshake.
    Once(Arc<InitializeRequestParams>),
    /// With the request.
    Now { info: Option<String>, capabilities: String },
}

impl Direct {
    pub(super) fn new(
        server: McpServer,
        out: Out,
        running: Running,
        stop: CancellationToken,
        peer: Arc<OnceLock<Peer<RoleServer>>>,
    ) -> Direct {
        Direct {
            server,
            out,
            running,
            stop,
            peer,
            closed: false,
            known: None,
            paces: Paces::default(),
            last: None,
        }
    }

    /// Leaves everything to rmcp from now on.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Answers a request, or sees to it that it will be answered; `false` for what is rmcp's.
    pub(super) fn serve(&mut self, line: &[u8], cx: &mut Context<'_>) -> bool {
        if self.closed || self.peer.get().is_none() {
            return false;
        }
        let Some(Message { id, method, meta }) = Message::read(line) else { return false };
        if self.running.has(|| id.typed()) {
            return false;
        }
        let Some(connection) = self.connection(&meta) else { return false };
        match method {
            Method::Ping => self.ping(id, connection.era),
            Method::List { cursor } => self.list(id, connection.era, cursor),
            Method::Call { tool, args } => {
                let Ok(progress) = meta.progress() else { return false };
                if self.server.executor().registry().get(tool).is_none() {
                    return false;
                }
                let request = Request {
                    tool: tool.to_owned(),
                    args,
                    idempotency_key: meta.idempotency_key,
                    traceparent: meta.traceparent,
                    progress,
                    ..Request::default()
                };
                self.call(id, tool, connection, request, cx);
                true
            }
        }
    }

    /// The client of a request.
    fn connection(&mut self, meta: &Meta<'_>) -> Option<Arc<Connection>> {
        let peer = self.peer.get()?;
        // Only a session that began with a handshake has it; in any other each request says everything.
        let handshake = peer.peer_info();
        match (handshake, meta.version, meta.capabilities) {
            (Some(said), None, None) if meta.info.is_none() => {
                if let Some(Known { said: Said::Once(known), connection }) = &self.known
                    && Arc::ptr_eq(known, &said)
                {
                    return Some(Arc::clone(connection));
                }
                let (version, info) = (Some(&said.protocol_version), Some(said.client_info.clone()));
                let made = Connection::new(&self.server, peer, version, info, Some(&said.capabilities));
                Some(self.know(Said::Once(said), made))
            }
            (None, Some(version), Some(capabilities))
                if version == ProtocolVersion::V_2026_07_28.as_str() =>
            {
                let info = meta.info.map(|info| info.get());
                if let Some(Known { said: Said::Now { info: known, capabilities: had }, connection }) =
                    &self.known
                    && (known.as_deref(), had.as_str()) == (info, capabilities.get())
                {
                    return Some(Arc::clone(connection));
                }
                let read = info.map(serde_json::from_str).transpose().ok()?;
                let declared = serde_json::from_str(capabilities.get()).ok()?;
                let version = Some(&ProtocolVersion::V_2026_07_28);
                let made = Connection::new(&self.server, peer, version, read, Some(&declared));
                let said =
                    Said::Now { info: info.map(str::to_owned), capabilities: capabilities.get().to_owned() };
                Some(self.know(said, made))
            }
            _ => None,
        }
    }

    fn know(&mut self, said: Said, connection: Connection) -> Arc<Connection> {
        let connection = Arc::new(connection);
        self.known = Some(Known { said, connection: Arc::clone(&connection) });
        connection
    }

    fn ping(&self, id: Id<'_>, era: Era) -> bool {
        // The method is gone from the modern era.
        if era == Era::Legacy {
            self.out.add(|text| write_result(text, id, |text| text.extend_from_slice(b"{}")));
        }
        era == Era::Legacy
    }

    fn list(&self, id: Id<'_>, era: Era, cursor: Option<&str>) -> bool {
        let sight = self.server.sight();
        let listing = sight.listing(era);
        let Some(page) = listing.page(cursor) else { return false };
        let (head, tools, tail) = listing.written(&page);
        self.out.add_around(
            |text| begin_result(text, id, head.as_bytes()),
            tools,
            |text| {
                text.extend_from_slice(tail.as_bytes());
                text.push(b'}');
            },
        );
        true
    }

    /// Begins a call. One that is over at once is answered here; any other goes on in a task of its own.
    fn call(
        &mut self,
        id: Id<'_>,
        tool: &str,
        connection: Arc<Connection>,
        request: Request,
        cx: &mut Context<'_>,
    ) {
        let (server, cancel, to) = (self.server.clone(), request.cancel.clone(), Arc::clone(&connection));
        let call = async move { server.call(LOCAL, &connection, request).await };
        let mut call = match self.last.take() {
            Some(mut last) => {
                last.set(call);
                last
            }
            None => ReusableBoxFuture::new(call),
        };
        let begins = self.paces.next(tool);
        if begins == Begins::Alone {
            self.out.flush(cx);
        }
        if begins != Begins::Apart {
            let began = Instant::now();
            let polled = call.poll(cx);
            self.paces.note(tool, begins, began.elapsed());
            if let Poll::Ready(answer) = polled {
                self.last = Some(call);
                self.out.add(|text| write_answer(text, id, &to, answer));
                return;
            }
        }
        let on_its_way = self.running.add(id.typed(), cancel.clone());
        let (out, stop) = (self.out.clone(), self.stop.clone());
        let id = id.as_str().to_owned();
        tokio::spawn(async move {
            let answer = ended_with(&stop, &cancel, &mut call).await;
            if on_its_way.is_wanted() {
                let mut text = Vec::new();
                write_answer(&mut text, Id::of(&id), &to, answer);
                // The calls of a client that is gone are cancelled when its input ends.
                let _ = out.send(&text).await;
            }
        });
    }
}

/// Writes the answer to a call.
fn write_answer(text: &mut Vec<u8>, id: Id<'_>, to: &Connection, answer: Result<Answer, ErrorData>) {
    match answer {
        Ok(Answer::Complete(completed)) => completed.encode(to, |result| {
            let result_type = (to.era == Era::Modern).then_some("complete");
            write_result(text, id, |text| write_json(text, &Complete { result_type, result }));
        }),
        Ok(Answer::Questions(questions)) => {
            let result = ServerResult::from(CallToolResponse::InputRequired(questions));
            write_json(text, &ServerJsonRpcMessage::response(result, id.typed()));
        }
        Err(error) => write_json(text, &ServerJsonRpcMessage::error(error, Some(id.typed()))),
    }
}

/// The result of a call, with what its era adds.
#[derive(Serialize)]
struct Complete<'r> {
    #[serde(rename = "resultType", skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(flatten)]
    result: Encoded<'r>,
}

/// Writes the answer to a request, with the result that `write` writes.
fn write_result(text: &mut Vec<u8>, id: Id<'_>, write: impl FnOnce(&mut Vec<u8>)) {
    begin_result(text, id, b"");
    write(text);
    text.push(b'}');
}

/// Writes the answer to a request as far as its result, and what that begins with.
fn begin_result(text: &mut Vec<u8>, id: Id<'_>, head: &[u8]) {
    text.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    text.extend_from_slice(id.as_str().as_bytes());
    text.extend_from_slice(b",\"result\":");
    text.extend_from_slice(head);
}

/// Whatever is written here can be: it has no keys but texts, and a vector takes everything.
pub(super) fn write_json(text: &mut Vec<u8>, value: &impl Serialize) {
    if let Err(error) = serde_json::to_writer(text, value) {
        tracing::error!(%error, "an answer cannot be written");
    }
}
