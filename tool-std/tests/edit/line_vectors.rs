//! Every case of `edit_lines.json` through the line patch engine.
//!
//! A case that expects `issues` is about decoding; here its patches must not decode as the engine's type. That each
//! issue is named is the decoder's promise, and proved with the tool.

use serde_json::Value;
use tool_std::Limits;
use tool_std::edit::{LinePatch, line_patch};
use tool_trials::vectors::judge_all;

use crate::vectors::{bytes, compare_error};

/// Fewer cases are a broken file.
const LEAST: usize = 50;

#[test]
fn vectors_edit_lines() {
    judge_all("edit_lines", LEAST, check);
}

fn check(case: &Value) -> Result<(), String> {
    let file = bytes(case, "file").ok_or("no file")?;
    let expected = case["expect"].get("error");
    let patches = decoded(&case["patches"]);
    let is_about_decoding = expected.is_some_and(|error| error.get("issues").is_some());
    let patches = match (patches, is_about_decoding) {
        (Err(_), true) => return Ok(()),
        (Ok(patches), true) if patches.iter().any(|patch| patch.start_line == 0) => return Ok(()),
        (Ok(_), true) => return Err("decodes".to_owned()),
        (patches, false) => patches.map_err(|error| error.to_string())?,
    };
    match (line_patch::apply(&file, &patches, &Limits::default()), expected) {
        (Err(error), Some(expected)) => compare_error(&error, expected),
        (Err(error), None) => Err(format!("refused: {}", error.to_json())),
        (Ok(edited), _) if Some(&edited.bytes) == bytes(&case["expect"], "ok").as_ref() => Ok(()),
        (Ok(edited), _) => Err(format!("got {:?}", String::from_utf8_lossy(&edited.bytes))),
    }
}

/// The patches as the engine takes them; the decoder turns `"1"` and `1.0` into 1 before.
fn decoded(patches: &Value) -> serde_json::Result<Vec<LinePatch>> {
    let mut patches = patches.clone();
    for patch in patches.as_array_mut().into_iter().flatten() {
        for name in ["start_line", "end_line"] {
            if let Some(whole) = patch.get(name).and_then(whole) {
                patch[name] = whole.into();
            }
        }
    }
    serde_json::from_value(patches)
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::String(digits) => digits.parse().ok(),
        Value::Number(number) => number.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0).map(|n| n as u64),
        _ => None,
    }
}
