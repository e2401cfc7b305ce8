//! Reading a reply: whole, or in server-sent events that add up to one. Nothing is read beyond [`MAX_BODY_BYTES`].

use eventsource_stream::{EventStreamError, Eventsource as _};
use futures_util::StreamExt as _;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use tool_core::ToolError;
use tool_core::dialect::{Dialect as _, DialectId};

use super::key::Key;
use super::{MAX_BODY_BYTES, failure};
use crate::model::ModelRequest;

/// How much of an answer is shown that is none.
const SHOWN_CHARACTERS: usize = 200;

/// The mark of byte order at the start of a text. The framing of events stumbles over it.
const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// The bytes of a response, as far as the limit goes.
pub(super) async fn read(mut response: Response) -> Result<Vec<u8>, ToolError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failure::of_transport)? {
        if bytes.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Whether a response comes in events. One that was asked to and says that it is something else is read whole.
pub(super) fn is_events(response: &Response) -> bool {
    let kind = content_type(response);
    kind.is_empty() || kind.starts_with("text/event-stream")
}

fn content_type(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.unwrap_or("").trim().to_ascii_lowercase()
}

/// A reply that comes whole.
pub(super) async fn whole(response: Response, key: &Key) -> Result<Value, ToolError> {
    let kind = content_type(&response);
    let bytes = read(response).await?;
    let text = String::from_utf8_lossy(&bytes);
    let text = key.hidden_in(&text);
    let body = serde_json::from_str(&text)
        .map_err(|error| bad_response("The model's answer is no JSON.", &kind, &text).source(error))?;
    match failure::told(&body) {
        Some(error) => Err(error),
        None => Ok(body),
    }
}

/// A reply that comes in events: the body that it adds up to. One that ends early is told by its reason to stop; one whose
/// connection breaks is none.
pub(super) async fn streamed(
    response: Response,
    dialect: DialectId,
    request: &ModelRequest<'_>,
    key: &Key,
) -> Result<Value, ToolError> {
    let kind = content_type(&response);
    let mut assembler = dialect.assembler(request.plan, request.turn);
    let mut lines = Lines::default();
    let bytes = response.bytes_stream().map(move |piece| lines.take(&piece.map_err(Broken::Transport)?));
    let mut events = bytes.eventsource();
    let (mut any, mut other) = (false, String::new());
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(EventStreamError::Transport(Broken::Transport(error))) => {
                return Err(failure::of_transport(error));
            }
            Err(EventStreamError::Transport(Broken::TooLarge)) => return Err(too_large()),
            Err(EventStreamError::Utf8(_) | EventStreamError::Parser(_)) => {
                return Err(bad_response("The model's answer is no stream of events.", &kind, &other));
            }
        };
        let data = key.hidden_in(&event.data);
        // Servers end with texts such as `[DONE]`.
        let Ok(event) = serde_json::from_str::<Value>(&data) else {
            other.push_str(&data);
            continue;
        };
        if let Some(error) = failure::told(&event) {
            return Err(error);
        }
        any = true;
        let _ = assembler.feed(&event);
    }
    match any {
        true => Ok(assembler.body()),
        false => Err(bad_response("The model's answer has no events.", &kind, &other)),
    }
}

/// Why bytes stop to come.
#[derive(Debug)]
enum Broken {
    Transport(reqwest::Error),
    TooLarge,
}

/// What the framing of events is handed: whole lines, because it reads a piece of one from its start again and again,
/// and no mark of byte order, which it stumbles over.
#[derive(Debug, Default)]
struct Lines {
    /// The line that has not ended.
    open: Vec<u8>,
    read: usize,
    text: bool,
}

impl Lines {
    /// The lines that end with a piece.
    fn take(&mut self, piece: &[u8]) -> Result<Vec<u8>, Broken> {
        self.read = self.read.saturating_add(piece.len());
        if self.read > MAX_BODY_BYTES {
            return Err(Broken::TooLarge);
        }
        let end = piece.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
        let (ended, open) = piece.split_at(end);
        if ended.is_empty() {
            self.open.extend_from_slice(open);
            return Ok(Vec::new());
        }
        let mut lines = std::mem::replace(&mut self.open, open.to_vec());
        lines.extend_from_slice(ended);
        if !std::mem::replace(&mut self.text, true) {
            while lines.starts_with(&MARK) {
                lines.drain(..MARK.len());
            }
        }
        Ok(lines)
    }
}

/// An answer that is none.
fn bad_response(text: &'static str, kind: &str, body: &str) -> ToolError {
    let shown: String = body.chars().take(SHOWN_CHARACTERS).collect();
    ToolError::unavailable(text).code("bad_response").detail("content_type", kind).detail("body", shown)
}

fn too_large() -> ToolError {
    ToolError::failed(format!("The model's answer is larger than {MAX_BODY_BYTES} bytes."))
        .code("response_too_large")
}
