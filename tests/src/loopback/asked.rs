//! What the server reads from a request, or why the real API would refuse it.

use serde_json::{Map, Value};

/// A request that the real API would take.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The user's texts before the first reply.
    pub(super) prompt: String,
    /// How many replies the history has.
    pub(super) replies: usize,
    /// The last result, as text.
    pub(super) result: String,
    /// Whether the answer comes in events.
    pub(super) stream: bool,
}

impl Asked {
    /// Takes a text of the user; what comes after the first reply is no script.
    pub(super) fn said(&mut self, text: &str) {
        if self.replies == 0 {
            self.prompt.push_str(text);
            self.prompt.push('\n');
        }
    }
}

/// A request that the real API would not take.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The status of the answer.
    pub(super) status: u16,
    /// What is wrong.
    pub(super) reason: String,
}

/// The request is wrong.
pub(super) fn refuse<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { status: 400, reason: reason.into() })
}

/// A condition that the API sets.
pub(super) fn must(holds: bool, reason: impl FnOnce() -> String) -> Result<(), Refusal> {
    if holds { Ok(()) } else { refuse(reason()) }
}

/// The request has no key.
pub(super) fn keyed(has_key: bool) -> Result<(), Refusal> {
    if has_key { Ok(()) } else { Err(Refusal { status: 401, reason: "no key".to_owned() }) }
}

/// An object that has none but known members.
pub(super) fn object<'a>(
    value: &'a Value,
    at: &str,
    known: &[&str],
) -> Result<&'a Map<String, Value>, Refusal> {
    let Some(members) = value.as_object() else { return refuse(format!("{at}: must be an object")) };
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => refuse(format!("{at}: unknown member `{name}`")),
        None => Ok(members),
    }
}

/// A list that has an element.
pub(super) fn list<'a>(value: &'a Value, at: &str) -> Result<&'a Vec<Value>, Refusal> {
    match value.as_array() {
        Some(list) if !list.is_empty() => Ok(list),
        _ => refuse(format!("{at}: must be a list with an element")),
    }
}

/// A text that is not empty.
pub(super) fn text<'a>(value: &'a Value, at: &str) -> Result<&'a str, Refusal> {
    match value.as_str() {
        Some(text) if !text.is_empty() => Ok(text),
        _ => refuse(format!("{at}: must be a text that is not empty")),
    }
}

/// A number of tokens.
pub(super) fn tokens(value: &Value, at: &str, least: u64) -> Result<(), Refusal> {
    must(value.as_u64().is_some_and(|number| number >= least), || {
        format!("{at}: must be an integer of at least {least}")
    })
}

/// Nothing, true or false.
pub(super) fn flag(value: &Value, at: &str) -> Result<bool, Refusal> {
    match value {
        Value::Null => Ok(false),
        Value::Bool(flag) => Ok(*flag),
        _ => refuse(format!("{at}: must be true or false")),
    }
}

/// Letters, digits, `_` and `-`, so many at most.
pub(super) fn name<'a>(value: &'a Value, at: &str, most: usize) -> Result<&'a str, Refusal> {
    let name = text(value, at)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    must(name.len() <= most && name.chars().all(fits), || format!("{at}: `{name}` is no name"))?;
    Ok(name)
}

/// The kind of a block or item.
pub(super) fn kind(value: &Value) -> &str {
    value["type"].as_str().unwrap_or("")
}
