//! Reading a reply: whole, or in server-sent events that add up to one.

use eventsource_stream::Eventsource as _;
use futures_util::StreamExt as _;
use reqwest::Response;
use serde_json::Value;
use tool_core::ToolError;
use tool_core::dialect::{Dialect as _, DialectId};

use super::{MAX_BODY_BYTES, failure};
use crate::model::ModelRequest;

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

/// A reply that comes whole.
pub(super) async fn whole(response: Response) -> Result<Value, ToolError> {
    let bytes = read(response).await?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let shown: String = String::from_utf8_lossy(&bytes).chars().take(200).collect();
        ToolError::unavailable("The model's answer is no JSON.")
            .code("bad_response")
            .detail("body", shown)
            .source(error)
    })
}

/// A reply that comes in events: the body that it adds up to. One that ends early is told by its reason to stop.
pub(super) async fn streamed(
    response: Response,
    dialect: DialectId,
    request: &ModelRequest<'_>,
) -> Result<Value, ToolError> {
    let mut assembler = dialect.assembler(request.plan, request.turn);
    let mut events = response.bytes_stream().eventsource();
    let mut bytes = 0_usize;
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(eventsource_stream::EventStreamError::Transport(error)) if error.is_timeout() => {
                return Err(failure::of_transport(error));
            }
            // What came so far is a reply that was cut.
            Err(_) => break,
        };
        bytes = bytes.saturating_add(event.data.len());
        if bytes > MAX_BODY_BYTES {
            return Err(too_large());
        }
        // Servers end with texts such as `[DONE]`.
        let Ok(event) = serde_json::from_str::<Value>(&event.data) else { continue };
        if let Some(error) = failure::in_stream(&event) {
            return Err(error);
        }
        let _ = assembler.feed(&event);
    }
    Ok(assembler.body())
}

fn too_large() -> ToolError {
    ToolError::failed(format!("The model's answer is larger than {MAX_BODY_BYTES} bytes."))
        .code("response_too_large")
}
