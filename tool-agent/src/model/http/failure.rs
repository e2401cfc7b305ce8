//! What a failed request means. The provider's own words are in the details, and no key is anywhere.

use std::time::Duration;

use reqwest::Response;
use reqwest::header::RETRY_AFTER;
use serde_json::Value;
use tool_core::{ErrorKind, ToolError};

use super::reply::read;

/// The most characters of a provider's message that are told.
const SHOWN_CHARACTERS: usize = 500;

/// A request that had no answer.
pub(super) fn of_transport(error: reqwest::Error) -> ToolError {
    // The address may carry what nobody should read.
    let error = error.without_url();
    if error.is_timeout() {
        return ToolError::timeout("The model did not answer in time.").source(error);
    }
    ToolError::unavailable("The model could not be reached.").source(error)
}

/// The kinds of statuses.
const STATUSES: &[(&[u16], ErrorKind, &str)] = &[
    (&[401, 403], ErrorKind::Denied, "The provider refused the key."),
    (&[404], ErrorKind::NotFound, "The provider does not know the model or address."),
    (&[400, 413, 422], ErrorKind::Failed, "The provider rejected the request."),
    (&[408, 504], ErrorKind::Timeout, "The provider did not answer in time."),
    (&[429], ErrorKind::RateLimited, "The provider limits the rate of requests."),
];

/// An answer that is no success.
pub(super) async fn of_status(response: Response) -> ToolError {
    let status = response.status().as_u16();
    let after =
        response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let body = read(response).await.unwrap_or_default();
    let row = STATUSES.iter().find(|row| row.0.contains(&status));
    let (kind, text) = match row {
        Some((_, kind, text)) => (*kind, *text),
        None if status >= 500 => (ErrorKind::Unavailable, "The provider is not available."),
        None => (ErrorKind::Failed, "The provider gave an unexpected answer."),
    };
    let error = ToolError::new(kind, text).detail("status", status).detail("message", message(&body));
    let error = if kind == ErrorKind::Failed { error.code("provider_rejected") } else { error };
    match after.filter(|_| kind == ErrorKind::RateLimited) {
        Some(seconds) => error.retry_after(Duration::from_secs(seconds)),
        None => error,
    }
}

/// The failure that an event of a stream tells of, if it does.
pub(super) fn in_stream(event: &Value) -> Option<ToolError> {
    let failed = matches!(event.get("type").and_then(Value::as_str), Some("error" | "response.failed"));
    let error =
        event.get("error").or_else(|| event.pointer("/response/error")).filter(|error| !error.is_null());
    if !failed && error.is_none() {
        return None;
    }
    let told = error.and_then(|error| error.get("message")).or_else(|| event.get("message"));
    let told: String = told.and_then(Value::as_str).unwrap_or("").chars().take(SHOWN_CHARACTERS).collect();
    Some(
        ToolError::unavailable("The provider failed while it answered.")
            .code("provider_failed")
            .detail("message", told),
    )
}

/// The provider's message, wherever it stands.
fn message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let parsed: Value = serde_json::from_str(&text).unwrap_or_default();
    let told = parsed.pointer("/error/message").or_else(|| parsed.get("message")).and_then(Value::as_str);
    told.unwrap_or(&text).chars().take(SHOWN_CHARACTERS).collect()
}
