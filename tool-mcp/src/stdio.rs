//! The server on two streams: one JSON-RPC message a line, and nothing else.
//!
//! Its own transport for rmcp's service: answers that are ready together leave together, a page of the list is copied
//! rather than written again, and no line, however broken or long, ends the session.

use std::io;

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetMeta as _, JsonRpcMessage, ProtocolVersion,
    RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{RoleServer, ServerInitializeError, ServiceExt as _};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_core::{SHUTDOWN_GRACE, ToolError};

use crate::era::Era;
use crate::server::{Handler, LIST_TTL_MS, LOCAL, McpServer, Note, Pages};

/// The longest message.
pub const LINE_BYTES: usize = 16 * 1024 * 1024;

/// How many messages wait to be written.
const WAITING: usize = 1_024;

/// How many bytes are written at once, where so many are ready.
const WRITE_BYTES: usize = 256 * 1024;

/// Serves standard input and output until the input ends or the process is told to end; running calls then finish, for at most
/// 5 s, and are cancelled.
///
/// # Errors
/// `unavailable` when the streams cannot be served.
pub async fn serve_stdio(server: McpServer) -> Result<(), ToolError> {
    let (read, write) = rmcp::transport::io::stdio_pipes();
    let stop = CancellationToken::new();
    let executor = server.executor().clone();
    let ended = stop.clone();
    let served = tokio::select! {
        served = serve_streams(server, read, write, stop) => served,
        () = asked_to_end() => {
            ended.cancel();
            Ok(())
        }
    };
    executor.shutdown(SHUTDOWN_GRACE).await;
    served
}

/// Completes when the process is told to end: by SIGTERM, or by Ctrl-C where somebody started it in a terminal.
pub async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut term), Ok(mut interrupt)) =
            (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        {
            tokio::select! {
                _ = term.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
    }
    std::future::pending().await
}

/// Serves two streams until the input ends or `stop` is cancelled.
///
/// # Errors
/// `unavailable` when the streams cannot be served.
pub async fn serve_streams(
    server: McpServer,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> Result<(), ToolError> {
    let transport = Lines::new(server.clone(), read, write);
    let handler = Handler { server, pages: Pages::Noted, principal: LOCAL.into() };
    match handler.serve_with_ct(transport, stop).await {
        Ok(running) => match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(ToolError::internal("The server stopped unexpectedly.").source(error)),
        },
        // The client left before it said anything, or the server was stopped.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(ToolError::unavailable("The streams could not be served.").source(error)),
    }
}

/// The transport.
struct Lines<R> {
    server: McpServer,
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is being dropped.
    dropping: bool,
    /// Whether a session is open; before, rmcp takes nothing but requests.
    open: bool,
    /// The answer to a line that was no message.
    refusal: Option<Value>,
    out: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

/// What came of reading a line.
enum Read {
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Send + Unpin> Lines<R> {
    fn new(server: McpServer, read: R, write: impl AsyncWrite + Send + Unpin + 'static) -> Lines<R> {
        let (out, waiting) = mpsc::channel(WAITING);
        let writer = Some(tokio::spawn(write_out(write, waiting)));
        let (read, line) = (BufReader::with_capacity(64 * 1024, read), Vec::new());
        Lines { server, read, line, dropping: false, open: false, refusal: None, out: Some(out), writer }
    }

    /// Reads on until a line is whole. What was read stays in `self` when the future is dropped.
    async fn read_line(&mut self) -> io::Result<Read> {
        loop {
            let ready = self.read.fill_buf().await?;
            if ready.is_empty() {
                return Ok(Read::End);
            }
            let end = ready.iter().position(|byte| *byte == b'\n');
            let take = end.map_or(ready.len(), |at| at + 1);
            let fits = self.line.len() + take <= LINE_BYTES + 1;
            if !self.dropping && fits {
                self.line.extend_from_slice(ready.get(..take).unwrap_or_default());
            }
            self.read.consume(take);
            let was_dropping = self.dropping;
            if !was_dropping && !fits {
                self.line.clear();
                self.dropping = end.is_none();
                return Ok(Read::TooLong);
            }
            if end.is_some() {
                self.dropping = false;
                if !was_dropping {
                    return Ok(Read::Line);
                }
            }
        }
    }

    /// The message on the line, unless it is none.
    fn message(&self) -> Result<Option<ClientJsonRpcMessage>, Value> {
        let line = self.line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        match serde_json::from_slice(line) {
            Ok(message) => Ok(Some(message)),
            Err(_) => refused(line).map_or(Ok(None), Err),
        }
    }

    /// Whether rmcp can take a message now; notes when it opens a session.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if !self.open {
            self.open = opens(message);
            return matches!(message, JsonRpcMessage::Request(_));
        }
        true
    }

    /// Sends the answer to a line that was no message. It stays in `self` until there is room for it.
    async fn refuse(&mut self) {
        let (Some(out), true) = (&self.out, self.refusal.is_some()) else { return };
        let room = out.reserve().await;
        if let (Ok(room), Some(answer)) = (room, self.refusal.take()) {
            room.send(line_of(answer.to_string().into_bytes()));
        }
    }

    fn written(&self, message: &ServerJsonRpcMessage) -> Result<Vec<u8>, serde_json::Error> {
        if let JsonRpcMessage::Response(response) = message
            && let ServerResult::ListToolsResult(result) = &response.result
            && let Some(note) = Note::read(result)
        {
            return self.page(&response.id, &note).map(line_of);
        }
        serde_json::to_vec(message).map(line_of)
    }

    /// The answer to `tools/list`, put together from the tools in writing.
    fn page(&self, id: &RequestId, note: &Note) -> Result<Vec<u8>, serde_json::Error> {
        let sight = self.server.sight();
        let tools = sight.listing(note.era).of(&note.page);
        let size: usize = tools.iter().map(|tool| tool.text.len() + 1).sum();
        let mut text = Vec::with_capacity(size + 256);
        text.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        serde_json::to_writer(&mut text, id)?;
        text.extend_from_slice(b",\"result\":{");
        if note.era == Era::Modern {
            let hints =
                format!("\"resultType\":\"complete\",\"ttlMs\":{LIST_TTL_MS},\"cacheScope\":\"public\",");
            text.extend_from_slice(hints.as_bytes());
        }
        if let Some(next) = &note.page.next {
            text.extend_from_slice(b"\"nextCursor\":");
            serde_json::to_writer(&mut text, next)?;
            text.push(b',');
        }
        text.extend_from_slice(b"\"tools\":[");
        for (at, tool) in tools.iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            text.extend_from_slice(tool.text.as_bytes());
        }
        text.extend_from_slice(b"]}}");
        Ok(text)
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = self.written(&message);
        let out = self.out.clone();
        async move {
            let out = out.ok_or_else(closed)?;
            out.send(line?).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.refuse().await;
            match self.read_line().await {
                Ok(Read::Line) => {}
                Ok(Read::TooLong) => {
                    let text = format!("A message has at most {LINE_BYTES} bytes.");
                    self.refusal = Some(error(Value::Null, ErrorCode::INVALID_REQUEST, &text));
                    continue;
                }
                Ok(Read::End) => return None,
                Err(error) => {
                    tracing::error!(%error, "the input cannot be read");
                    return None;
                }
            }
            let message = self.message();
            self.line.clear();
            self.line.shrink_to(WRITE_BYTES);
            match message {
                Ok(Some(message)) if self.admits(&message) => return Some(message),
                Ok(_) => {}
                Err(answer) => self.refusal = Some(answer),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out = None;
        match self.writer.take() {
            Some(writer) => writer.await.map_err(io::Error::other)?,
            None => Ok(()),
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the output is closed")
}

fn line_of(mut text: Vec<u8>) -> Vec<u8> {
    text.push(b'\n');
    text
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

/// The answer to a line that is no message; none to a notification, which has no answers.
fn refused(line: &[u8]) -> Option<Value> {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Some(error(Value::Null, ErrorCode::PARSE_ERROR, "This is no JSON."));
    };
    let id = value.get("id").filter(|id| id.is_string() || id.is_number());
    if value.get("method").is_some_and(Value::is_string) && value.get("id").is_none() {
        return None;
    }
    let id = id.cloned().unwrap_or_default();
    Some(error(id, ErrorCode::INVALID_REQUEST, "This is no message of JSON-RPC 2.0."))
}

fn error(id: Value, code: ErrorCode, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": ErrorData::new(code, text.to_owned(), None)})
}

/// Writes messages as they come; those that are ready together in one go.
async fn write_out(
    mut write: impl AsyncWrite + Unpin,
    mut waiting: mpsc::Receiver<Vec<u8>>,
) -> io::Result<()> {
    while let Some(mut text) = waiting.recv().await {
        while text.len() < WRITE_BYTES
            && let Ok(more) = waiting.try_recv()
        {
            text.extend_from_slice(&more);
        }
        write.write_all(&text).await?;
        write.flush().await?;
    }
    Ok(())
}
