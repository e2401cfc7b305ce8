//! The limits of arguments for a value that a transport has parsed already: levels, and bytes of its compact JSON.
//!
//! A text is measured by [`super::parse`] while it is read.

use serde_json::Value;

use super::parse::{MAX_DEPTH, too_deep, too_large};
use crate::error::ToolError;

/// Checks the limits of a value that a transport has parsed already. Never recurses.
///
/// # Errors
/// `too_deep` or `args_too_large`.
pub fn measure(value: &Value, max_bytes: usize) -> Result<(), ToolError> {
    let mut at_most = 0_usize;
    let mut open = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next {
            at_most = at_most.saturating_add(most_bytes(value));
            if let Some(children) = Children::of(value) {
                if open.len() == MAX_DEPTH {
                    return Err(too_deep());
                }
                open.push(children);
            }
        }
        let Some(children) = open.last_mut() else { break };
        match children.next() {
            Some((key, child)) => {
                at_most = at_most.saturating_add(key.map_or(1, |key| most_text_bytes(key) + 2));
                next = Some(child);
            }
            None => {
                open.pop();
                next = None;
            }
        }
    }
    // The estimate is cheap and never too low; only what it cannot clear is counted byte by byte.
    if at_most > max_bytes && compact_bytes_exceed(value, max_bytes) {
        return Err(too_large(max_bytes));
    }
    Ok(())
}

/// The values inside an array or object that are still to be looked at.
enum Children<'a> {
    Items(std::slice::Iter<'a, Value>),
    Members(serde_json::map::Iter<'a>),
}

impl<'a> Children<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Array(items) => Some(Children::Items(items.iter())),
            Value::Object(members) => Some(Children::Members(members.iter())),
            _ => None,
        }
    }

    fn next(&mut self) -> Option<(Option<&'a str>, &'a Value)> {
        match self {
            Children::Items(items) => items.next().map(|item| (None, item)),
            Children::Members(members) => members.next().map(|(key, value)| (Some(key.as_str()), value)),
        }
    }
}

/// An upper bound of a value's own bytes in compact JSON, children left out.
fn most_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 25,
        Value::String(text) => most_text_bytes(text),
        Value::Array(_) | Value::Object(_) => 2,
    }
}

/// Each byte is written as `\u00ff` at worst.
fn most_text_bytes(text: &str) -> usize {
    text.len().saturating_mul(6).saturating_add(2)
}

/// Whether the compact JSON of a value of bounded depth is longer than that.
fn compact_bytes_exceed(value: &Value, max_bytes: usize) -> bool {
    struct Budget(usize);
    impl std::io::Write for Budget {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            match self.0.checked_sub(bytes.len()) {
                Some(left) => {
                    self.0 = left;
                    Ok(bytes.len())
                }
                None => Err(std::io::ErrorKind::FileTooLarge.into()),
            }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer(Budget(max_bytes), value).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_limit_is_that_of_the_compact_text_wherever_its_bytes_stand() {
        for value in [
            json!("x".repeat(100)),
            json!("\u{1}".repeat(100)),
            json!({"\u{1}": ""}),
            json!({"x".repeat(100): null}),
            json!([1, [2.5e300, true], {}]),
            json!({}),
        ] {
            let bytes = value.to_string().len();
            assert!(measure(&value, bytes).is_ok(), "{value}");
            let error = measure(&value, bytes - 1).unwrap_err();
            assert_eq!(error.code_str(), "args_too_large", "{value}");
        }
    }
}
