//! The transport of rmcp's service: what comes off the line and is not answered on the direct way goes to rmcp, and what rmcp
//! sends goes out beside the direct answers. No line, however broken or long, ends the session.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetExtensions as _, GetMeta as _,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::Peer;
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::coop::consume_budget;
use tokio::task::yield_now;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tool_core::SHUTDOWN_GRACE;

use super::direct::{Direct, write_json};
use super::lines::{LINE_BYTES, Lines, Read};
use super::near::Near;
use super::out::Out;
use super::running::Running;
use crate::cursor;
use crate::malformed::{error, refused, repeated};
use crate::server::{McpServer, Note};
use crate::unfit::Unfit;

/// How long calls may take to end when they are cancelled at the end of a session, and then a client to read what is left.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The transport.
pub(super) struct Streams<R> {
    server: McpServer,
    lines: Lines<R>,
    out: Out,
    direct: Direct,
    running: Running,
    near: Near,
    /// Whether a session is open; before, rmcp takes nothing but requests.
    open: bool,
    /// When the input ended.
    ended: Option<Instant>,
}

impl<R: AsyncRead + Send + Unpin> Streams<R> {
    /// Serves two streams. Calls end with `stop`; the `peer` is there once rmcp has opened the session.
    pub(super) fn new(
        server: McpServer,
        read: R,
        write: impl AsyncWrite + Send + 'static,
        stop: CancellationToken,
        peer: Arc<OnceLock<Peer<RoleServer>>>,
    ) -> Streams<R> {
        let (out, running) = (Out::new(write), Running::default());
        let direct = Direct::new(server.clone(), out.clone(), running.clone(), stop, peer);
        Streams {
            server,
            lines: Lines::new(read),
            out,
            direct,
            running,
            near: Near::new(),
            open: false,
            ended: None,
        }
    }

    /// Answers lines on the direct way until one comes that is rmcp's; `None` at the end of the input. rmcp drops the future
    /// whenever it has something else to do: what was read stays in `self` wherever it waits.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // However much is asked on the direct way, what rmcp has to send gets its turn. Nothing is in hand here that would
            // be lost if it takes it.
            consume_budget().await;
            let waits = !self.lines.is_ready();
            if waits {
                self.out.leave().await;
            }
            self.out.room().await;
            let read = if waits { self.awaited().await } else { self.lines.read().await };
            match read {
                Ok(Read::Line) => {}
                Ok(Read::TooLong) => {
                    let text = format!("A message has at most {LINE_BYTES} bytes.");
                    self.refuse(&error(Value::Null, ErrorCode::INVALID_REQUEST, &text));
                    continue;
                }
                Ok(Read::End) => return None,
                Err(error) => {
                    tracing::error!(%error, "the input cannot be read");
                    return None;
                }
            }
            let (direct, line) = (&mut self.direct, self.lines.line());
            let answered = poll_fn(|cx| Poll::Ready(direct.serve(line, cx))).await;
            let message = if answered { None } else { self.message() };
            self.lines.done();
            if let Some(message) = message.and_then(|message| self.admitted(message)) {
                self.out.leave().await;
                return Some(message);
            }
        }
    }

    /// Reads on, looking for what comes at once before the process sleeps.
    async fn awaited(&mut self) -> io::Result<Read> {
        self.near.begin();
        let read = {
            let mut read = pin!(self.lines.read());
            loop {
                match poll_fn(|cx| Poll::Ready(read.as_mut().poll(cx))).await {
                    Poll::Ready(read) => break read,
                    Poll::Pending if self.near.looks() => {
                        // Where the client shares this processor, it is its turn.
                        std::thread::yield_now();
                        yield_now().await;
                    }
                    Poll::Pending => break read.await,
                }
            }
        };
        self.near.end();
        read
    }

    /// The message on the line; what is none is answered.
    fn message(&self) -> Option<ClientJsonRpcMessage> {
        let line = self.lines.line();
        if line.is_empty() {
            return None;
        }
        let told = cursor::told(line);
        match serde_json::from_slice::<ClientJsonRpcMessage>(told.as_deref().unwrap_or(line)) {
            Ok(mut message) => {
                if let JsonRpcMessage::Request(request) = &mut message
                    && let Some(unfit) = Unfit::of(line)
                {
                    request.request.extensions_mut().insert(unfit);
                }
                Some(message)
            }
            Err(_) => {
                if let Some(answer) = refused(line) {
                    self.refuse(&answer);
                }
                None
            }
        }
    }

    fn refuse(&self, answer: &impl Serialize) {
        self.out.add(|text| write_json(text, answer));
    }

    /// The message, if rmcp can take it now; notes when it opens a session, and what the direct way has to know of it.
    fn admitted(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        if !self.open {
            self.open = opens(&message);
            return matches!(message, JsonRpcMessage::Request(_)).then_some(message);
        }
        match &message {
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.running.cancel(id);
                }
            }
            JsonRpcMessage::Request(request) => {
                if self.running.has(|| request.id.clone()) {
                    self.refuse(&repeated(request.id.clone()));
                    return None;
                }
                self.running.pass(&request.id);
                // A second handshake: what rmcp makes of it is rmcp's to know.
                if let ClientRequest::InitializeRequest(_) = &request.request {
                    self.direct.close();
                }
            }
            _ => {}
        }
        Some(message)
    }

    fn written(&self, message: &ServerJsonRpcMessage) -> Result<Vec<u8>, serde_json::Error> {
        if let JsonRpcMessage::Response(response) = message
            && let ServerResult::ListToolsResult(result) = &response.result
            && let Some(note) = Note::read(result)
        {
            return self.page(&response.id, &note);
        }
        serde_json::to_vec(message)
    }

    /// The answer to `tools/list`, put together from the tools in writing.
    fn page(&self, id: &RequestId, note: &Note) -> Result<Vec<u8>, serde_json::Error> {
        let mut text = b"{\"jsonrpc\":\"2.0\",\"id\":".to_vec();
        serde_json::to_writer(&mut text, id)?;
        text.extend_from_slice(b",\"result\":");
        let sight = self.server.sight();
        let (head, tools, tail) = sight.listing(note.era).written(&note.page);
        text.extend_from_slice(head.as_bytes());
        text.extend_from_slice(tools.as_bytes());
        text.extend_from_slice(tail.as_bytes());
        text.push(b'}');
        Ok(text)
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Streams<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.running.answered(id);
        }
        let line = self.written(&message);
        let out = self.out.clone();
        async move { out.send(&line?).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let message = self.next().await;
        if message.is_none() {
            self.ended.get_or_insert_with(Instant::now);
        }
        message
    }

    /// Running calls finish after the end of the input, for a while, and are cancelled then; where the server was stopped they
    /// are cancelled already. What is answered still leaves, unless the client does not read.
    async fn close(&mut self) -> io::Result<()> {
        if let Some(ended) = self.ended {
            let _ = tokio::time::timeout_at(ended + SHUTDOWN_GRACE, self.running.ended()).await;
        }
        self.running.cancel_all();
        let _ = tokio::time::timeout(LAST_WORDS, self.running.ended()).await;
        let _ = tokio::time::timeout(LAST_WORDS, self.out.close()).await;
        Ok(())
    }
}

/// Whether a message opens a session, as rmcp sees it.
fn opens(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let known = |version: ProtocolVersion| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(known)
        }
    }
}
