//! What a client is told of bytes that are no message of JSON-RPC, on every transport.

use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// What can be read of a message of which not everything can.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
}

/// The answer to bytes that are no message; none to a notification, which has no answers.
pub(crate) fn refused(bytes: &[u8]) -> Option<Value> {
    let value = match serde_json::from_slice::<Value>(bytes) {
        Ok(value) => value,
        Err(error) => return unread(bytes, &error),
    };
    if value.get("method").is_some_and(Value::is_string) && value.get("id").is_none() {
        return None;
    }
    let id = value.get("id").filter(is_id).cloned().unwrap_or_default();
    Some(error(id, ErrorCode::INVALID_REQUEST, "This is no message of JSON-RPC 2.0."))
}

/// The answer to bytes that no value can be read from. Whoever sent half of a pair of surrogates, a number that is too large or
/// lists without end wrote a message all the same, and waits for an answer to it.
fn unread(bytes: &[u8], why: &serde_json::Error) -> Option<Value> {
    let Ok(Head { id, method }) = serde_json::from_slice::<Head<'_>>(bytes) else {
        return Some(error(Value::Null, ErrorCode::PARSE_ERROR, "This is no JSON."));
    };
    let id = id.and_then(|id| serde_json::from_str(id.get()).ok()).filter(is_id);
    if id.is_none() && method.is_some() {
        return None;
    }
    // Where in the line is no use to a client, which has not written it itself.
    let why = why.to_string();
    let why = why.split(" at line ").next().unwrap_or_default();
    Some(error(id.unwrap_or_default(), ErrorCode::PARSE_ERROR, &format!("This cannot be read: {why}.")))
}

fn is_id(id: &impl std::borrow::Borrow<Value>) -> bool {
    id.borrow().is_string() || id.borrow().is_number()
}

/// An error as a message.
pub(crate) fn error(id: Value, code: ErrorCode, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": ErrorData::new(code, text.to_owned(), None)})
}

/// The answer to a request whose id another one has that is not answered: whoever asked could not tell their answers apart, nor end
/// one of them.
pub(crate) fn repeated(id: RequestId) -> ServerJsonRpcMessage {
    let text = "A request with this id is not answered yet. Use another id.";
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode::INVALID_REQUEST, text, None), Some(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<(Value, i64)> {
        let answer = refused(text.as_bytes())?;
        Some((answer["id"].clone(), answer["error"]["code"].as_i64().unwrap_or_default()))
    }

    #[test]
    fn what_was_asked_by_somebody_is_answered_to_them_and_a_notification_is_not() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for (args, code) in
            [(r#""\ud800""#, -32700), ("1e400", -32700), (deep.as_str(), -32700), ("5", -32600)]
        {
            let request = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{args}}}"#);
            assert_eq!(told(&request), Some((json!(7), code)), "{args}");
            let notification = format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{args}}}"#);
            assert_eq!(told(&notification), None, "{args}");
        }
        for (text, code) in
            [("", -32700), ("{", -32700), ("[]", -32600), (r#"{"id":[1],"method":5}"#, -32600)]
        {
            assert_eq!(told(text), Some((Value::Null, code)), "{text}");
        }
    }
}
