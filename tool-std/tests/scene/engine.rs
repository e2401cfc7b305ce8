//! Cases of the engines, which are about bytes, as calls of the tools: the file on disk before and after.
#![allow(dead_code, clippy::unwrap_used, reason = "not every test uses them")]

use serde_json::{Value, json};

/// The call of a tool that takes one more argument of that name.
pub(crate) fn case(case: &Value, tool: &str, argument: &str) -> Value {
    let hex = |object: &Value, name: &str| match object[name].as_str() {
        Some(text) => text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>(),
        None => object[format!("{name}_hex")].as_str().unwrap().to_owned(),
    };
    let before = hex(case, "file");
    let is_refused = case["expect"].get("error").is_some();
    let after = if is_refused { before.clone() } else { hex(&case["expect"], "ok") };
    json!({
        "id": case["id"],
        "setup": [["writehex", "{ROOT}/f", before]],
        "call": {"tool": tool, "args": {"path": "f", argument: case[argument]}},
        "expect": if is_refused { case["expect"].clone() } else { json!({"ok": {"path": "f"}}) },
        "after_hex": {"{ROOT}/f": after},
        "entries": {"{ROOT}": ["f"]},
    })
}

/// The lines at which the hunks of a result were found, where those are not the ones that the case names.
pub(crate) fn wrong_places(case: &Value, result: &Value) -> Option<String> {
    let starts = case["expect"]["old_starts"].as_array()?.iter();
    let found: Vec<&Value> = result["hunks"].as_array()?.iter().map(|hunk| &hunk["old_start"]).collect();
    (found != starts.collect::<Vec<_>>()).then(|| format!("old_starts are {found:?}"))
}
