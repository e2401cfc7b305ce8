//! What a failed request means. The provider's own words are in the details, and no key is anywhere.

use std::time::{Duration, SystemTime};

use reqwest::Response;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;
use tool_core::{ErrorKind, ToolError};

use super::reply::read;

/// The most characters of a provider's message that are told.
const SHOWN_CHARACTERS: usize = 500;

/// What OpenAI sends beside `retry-after`, in milliseconds.
const RETRY_AFTER_MS: &str = "retry-after-ms";

/// A request that had no answer, or none to its end.
pub(super) fn of_transport(error: reqwest::Error) -> ToolError {
    // The address may carry what nobody should read.
    let error = error.without_url();
    if error.is_timeout() {
        return ToolError::timeout("The model did not answer in time.").source(error);
    }
    if error.is_builder() {
        return ToolError::failed("The request to the model could not be made.").source(error);
    }
    let text = match error.is_body() || error.is_decode() {
        true => "The model's answer broke off.",
        false => "The model could not be reached.",
    };
    ToolError::unavailable(text).source(error)
}

/// The kinds of statuses.
const STATUSES: &[(&[u16], ErrorKind, &str)] = &[
    (&[401, 403], ErrorKind::Denied, "The provider refused the key."),
    (&[404], ErrorKind::NotFound, "The provider does not know the model or address."),
    (&[400, 413, 422], ErrorKind::Failed, "The provider rejected the request."),
    (&[408, 504], ErrorKind::Timeout, "The provider did not answer in time."),
    (&[429], ErrorKind::RateLimited, "The provider limits the rate of requests."),
];

/// What errors are called that come without a status of their own, and the status that they have elsewhere.
const NAMES: &[(&[&str], u16)] = &[
    (&["rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "RESOURCE_EXHAUSTED"], 429),
    (&["authentication_error", "permission_error", "invalid_api_key", "PERMISSION_DENIED"], 401),
    (&["not_found_error", "model_not_found", "NOT_FOUND"], 404),
    (&["invalid_request_error", "request_too_large", "invalid_prompt", "INVALID_ARGUMENT"], 400),
    (&["timeout_error", "DEADLINE_EXCEEDED"], 504),
];

/// An answer that is no success.
pub(super) async fn of_status(response: Response) -> ToolError {
    let status = response.status().as_u16();
    let after = retry_after(response.headers());
    let body = read(response).await.unwrap_or_default();
    let error = of_kind(status).detail("status", status).detail("message", message(&body));
    match after.filter(|_| matches!(error.kind(), ErrorKind::RateLimited | ErrorKind::Unavailable)) {
        Some(after) => error.retry_after(after),
        None => error,
    }
}

/// The error of a status.
fn of_kind(status: u16) -> ToolError {
    match STATUSES.iter().find(|row| row.0.contains(&status)) {
        Some((_, ErrorKind::Failed, text)) => ToolError::failed(*text).code("provider_rejected"),
        Some((_, kind, text)) => ToolError::new(*kind, *text),
        None if status >= 500 => ToolError::unavailable("The provider is not available."),
        None => ToolError::failed("The provider gave an unexpected answer.").code("provider_rejected"),
    }
}

/// When to come back: seconds, or a date. (RFC 9110 §10.2.3)
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let said = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok();
    if let Some(milliseconds) = said(RETRY_AFTER_MS).and_then(number) {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    let text = said(RETRY_AFTER.as_str())?;
    match number(text) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        // A date that has passed means now.
        None => {
            Some(httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).unwrap_or_default())
        }
    }
}

/// The failure that a body or an event tells of, if it does: a provider may fail after it began to answer.
pub(super) fn told(body: &Value) -> Option<ToolError> {
    let failed = matches!(body.get("type").and_then(Value::as_str), Some("error" | "response.failed"));
    let error =
        body.get("error").or_else(|| body.pointer("/response/error")).filter(|error| !error.is_null());
    if !failed && error.is_none() {
        return None;
    }
    let error = error.unwrap_or(body);
    let text = error.get("message").unwrap_or(error).as_str().unwrap_or("");
    let text: String = text.chars().take(SHOWN_CHARACTERS).collect();
    let error = match status_of(error) {
        Some(status) => of_kind(status),
        None => ToolError::unavailable("The provider failed while it answered.").code("provider_failed"),
    };
    Some(error.detail("message", text))
}

/// The status that an error has elsewhere: as a number, or by one of its names.
fn status_of(error: &Value) -> Option<u16> {
    if let Some(code) = error.get("code").and_then(Value::as_u64) {
        return u16::try_from(code).ok().filter(|code| *code >= 400);
    }
    let names = ["type", "code", "status"].map(|key| error.get(key).and_then(Value::as_str).unwrap_or(""));
    NAMES.iter().find(|row| names.iter().any(|name| row.0.contains(name))).map(|row| row.1)
}

/// The provider's message, wherever it stands.
fn message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let parsed: Value = serde_json::from_str(&text).unwrap_or_default();
    // Gemini streams a list.
    let parsed = parsed.get(0).unwrap_or(&parsed);
    let told = parsed.pointer("/error/message").or_else(|| parsed.get("message")).and_then(Value::as_str);
    told.unwrap_or(&text).chars().take(SHOWN_CHARACTERS).collect()
}
