//! Reading a text out of what a provider sends.

use serde_json::Value;

/// The text of a member; empty where there is none.
pub(super) fn said<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}
