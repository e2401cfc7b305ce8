//! The common requests, read in one pass: the arguments of a call are the only tree that is built.
//!
//! What is not exactly as expected here is [`None`], and rmcp's to read, to answer or to refuse: unknown members, names with
//! escapes, keys given twice, ids that are no plain number or text. So there is one place that says what is wrong with a message.

use rmcp::model::{JsonObject, ProgressToken, RequestId};
use serde::Deserialize;
use serde_json::value::RawValue;
use tool_core::args::Members;

/// A request that the direct way knows.
pub(super) struct Message<'a> {
    pub(super) id: Id<'a>,
    pub(super) method: Method<'a>,
    pub(super) meta: Meta<'a>,
}

/// What is asked for.
pub(super) enum Method<'a> {
    Call { tool: &'a str, args: Option<JsonObject> },
    List { cursor: Option<&'a str> },
    Ping,
}

/// The id of a request, as it was written.
#[derive(Clone, Copy)]
pub(super) struct Id<'a>(&'a str);

/// What `_meta` says that a request depends on; whatever else is there concerns nobody.
#[derive(Default, Deserialize)]
pub(super) struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    progress: Option<&'a RawValue>,
    // As in `server::IDEMPOTENCY_KEY`, which a test holds it to.
    #[serde(rename = "toolbox/idempotencyKey")]
    pub(super) idempotency_key: Option<String>,
    /// As in `server::TRACEPARENT`.
    pub(super) traceparent: Option<String>,
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    pub(super) version: Option<&'a str>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    pub(super) info: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(super) capabilities: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    /// Reads a line.
    pub(super) fn read(line: &'a [u8]) -> Option<Message<'a>> {
        // Looked at as a whole, it need not be looked at text by text.
        let line = std::str::from_utf8(line).ok()?;
        let Line { jsonrpc, id, method, params } = serde_json::from_str(line).ok()?;
        if jsonrpc != "2.0" {
            return None;
        }
        let id = Id::read(id)?;
        let (given, params) = (params.is_some(), params.unwrap_or_default());
        let args = params.arguments.map(|Members(args)| args);
        let method = match (method, params.name, args, params.cursor) {
            ("tools/call", Some(tool), args, None) => Method::Call { tool, args },
            ("tools/list", None, None, cursor) => Method::List { cursor },
            ("ping", None, None, None) if !given => Method::Ping,
            _ => return None,
        };
        Some(Message { id, method, meta: params.meta.unwrap_or_default() })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

/// The parameters of all of them; which belong to which is looked at afterwards, for they may stand before the method.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Params<'a> {
    name: Option<&'a str>,
    arguments: Option<Members>,
    cursor: Option<&'a str>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

impl<'a> Id<'a> {
    /// An id that is sent back as it came: a number without sign and fraction, or a text without escapes.
    fn read(raw: &'a RawValue) -> Option<Id<'a>> {
        let text = raw.get();
        let plain = match text.as_bytes() {
            [b'"', .., b'"'] => !text.contains('\\'),
            digits => digits.iter().all(u8::is_ascii_digit) && text.parse::<i64>().is_ok(),
        };
        plain.then_some(Id(text))
    }

    /// An id that was read as one before.
    pub(super) fn of(text: &'a str) -> Id<'a> {
        Id(text)
    }

    /// As it is written.
    pub(super) fn as_str(self) -> &'a str {
        self.0
    }

    /// As rmcp has it.
    pub(super) fn typed(self) -> RequestId {
        match self.0.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(text) => RequestId::String(text.into()),
            None => RequestId::Number(self.0.parse().unwrap_or_default()),
        }
    }
}

impl Meta<'_> {
    /// The token that progress is told under; `Err` for one that is none.
    pub(super) fn progress(&self) -> Result<Option<ProgressToken>, serde_json::Error> {
        self.progress.map(|token| serde_json::from_str(token.get())).transpose()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::server::{IDEMPOTENCY_KEY, TRACEPARENT};

    fn is_read(message: &Value) -> bool {
        Message::read(message.to_string().as_bytes()).is_some()
    }

    #[test]
    fn the_key_is_that_of_every_way() {
        let meta = json!({IDEMPOTENCY_KEY: "k", TRACEPARENT: "t"}).to_string();
        let meta: Meta<'_> = serde_json::from_str(&meta).unwrap();
        assert_eq!(meta.traceparent.as_deref(), Some("t"));
        assert_eq!(meta.idempotency_key.as_deref(), Some("k"));
    }

    #[test]
    fn an_id_is_the_same_as_it_is_written_and_as_rmcp_has_it() {
        for id in ["0", "7", "9223372036854775807", r#""""#, r#""a b""#, r#""7""#, r#""grün""#] {
            let raw: &RawValue = serde_json::from_str(id).unwrap();
            let read = Id::read(raw).unwrap_or_else(|| panic!("{id} is an id"));
            assert_eq!(read.as_str(), id);
            assert_eq!(read.typed(), serde_json::from_str::<RequestId>(id).unwrap(), "{id}");
        }
    }

    #[test]
    fn what_is_not_as_expected_is_left_to_rmcp() {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "add", "arguments": {"a": 1}, "_meta": {"progressToken": 1, "other": [1]}}});
        assert!(is_read(&call));
        let with = |pointer: &str, value: Value| {
            let mut call = call.clone();
            *call.pointer_mut(pointer).unwrap() = value;
            call
        };
        assert!(is_read(&with("/id", json!("a b"))));
        let others = [
            with("/jsonrpc", json!("1.0")),
            with("/id", json!(-1)),
            with("/id", json!(1.5)),
            with("/id", json!(u64::MAX)),
            with("/id", json!("a\"b")),
            with("/id", Value::Null),
            with("/method", json!("tools/list")),
            with("/method", json!("initialize")),
            with("/params", json!({})),
            with("/params", Value::Null),
            with("/params", json!({"name": "add", "task": {}})),
            with("/params", json!({"name": "add", "requestState": "s"})),
            with("/params", json!({"name": "add", "cursor": "c"})),
            with("/params/name", json!("a\"b")),
            with("/params/arguments", json!([1])),
            with("/params/_meta", json!(1)),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        ];
        for other in others {
            assert!(!is_read(&other), "{other}");
        }
        assert!(Message::read(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}").is_none());
        let twice = call.to_string().replace("{\"a\":1}", "{\"a\":{\"b\":1,\"b\":1}}");
        assert!(twice.contains("\"b\"") && Message::read(twice.as_bytes()).is_none());
    }
}
