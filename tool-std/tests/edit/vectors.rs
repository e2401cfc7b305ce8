//! What the cases of both engines have in common: bytes, and errors that are expected.

use serde_json::Value;
use tool_core::ToolError;

/// The bytes of a member, as text or, with `_hex`, in hex.
pub(crate) fn bytes(object: &Value, name: &str) -> Option<Vec<u8>> {
    if let Some(text) = object[name].as_str() {
        return Some(text.as_bytes().to_vec());
    }
    let hex = object[format!("{name}_hex")].as_str()?;
    let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    Some(digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect())
}

/// What differs between an error and what a case expects of it.
pub(crate) fn compare_error(error: &ToolError, expected: &Value) -> Result<(), String> {
    let found = error.to_json();
    for name in ["kind", "code", "message"] {
        if expected.get(name).is_some_and(|wanted| *wanted != found[name]) {
            return Err(format!("{name}: expected {}, got {found}", expected[name]));
        }
    }
    for (name, wanted) in expected["details"].as_object().into_iter().flatten() {
        if found["details"][name] != *wanted {
            return Err(format!("details.{name}: expected {wanted}, got {found}"));
        }
    }
    Ok(())
}
