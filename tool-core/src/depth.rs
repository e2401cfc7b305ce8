//! How deep values may be nested: whatever walks one by recursion (copying, writing, comparing, dropping) ends where its stack
//! ends.
//!
//! Values are bounded where they come in: what a caller gives before anything else is done with it, what a tool returns
//! before a layer sees it. What is too deep is taken apart here, without recursion.

mod serializer;

use serde_json::Value;

pub(crate) use serializer::{Unwritable, to_text};

use crate::def::Behavior;
use crate::error::{Effect, ToolError};
use crate::output::{Content, ToolOutput, ToolResult};

/// The most levels of what a tool returns. Parsers that stop at 128 levels, such as serde_json's, still read it inside of
/// the envelopes of journal and surfaces.
pub const MAX_OUTPUT_DEPTH: usize = 100;

/// Whether arrays and objects are nested deeper than that. The recursion ends at the limit.
pub(crate) fn exceeds(value: &Value, levels: usize) -> bool {
    let deeper = |inner: &Value| match inner {
        Value::Array(_) | Value::Object(_) => levels == 0 || exceeds(inner, levels - 1),
        _ => false,
    };
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(deeper),
        Value::Object(members) => levels == 0 || members.values().any(deeper),
        _ => false,
    }
}

/// The same of JSON as text.
#[inline]
pub(crate) fn text_exceeds(text: &str, levels: usize) -> bool {
    // Each level is opened and closed.
    text.len() > 2 * levels && is_deep(text.as_bytes(), levels)
}

fn is_deep(text: &[u8], levels: usize) -> bool {
    let (mut depth, mut in_text, mut bytes) = (0, false, text.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' => {
                // Only in texts, where it stands before what it escapes.
                let _ = bytes.next();
            }
            _ if in_text => {}
            b'[' | b'{' if depth == levels => return true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Puts null in the place of every array and object below that many levels.
pub(crate) fn prune(value: &mut Value, levels: usize) {
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => dismantle(value.take()),
        Value::Array(items) => items.iter_mut().for_each(|item| prune(item, levels - 1)),
        Value::Object(members) => members.values_mut().for_each(|member| prune(member, levels - 1)),
        _ => {}
    }
}

/// Drops a value of any depth.
pub(crate) fn dismantle(value: Value) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.into_iter().map(|(_, member)| member)),
            _ => {}
        }
    }
}

/// What a tool returned, or `internal`, code `output_too_deep`, where a value in it is nested deeper than
/// [`MAX_OUTPUT_DEPTH`].
#[inline]
pub(crate) fn within_depth(tool: &str, behavior: Behavior, mut result: ToolResult) -> ToolResult {
    match has_deep(&mut result) {
        false => result,
        true => Err(refused(tool, behavior, &result)),
    }
}

/// Whether a value is nested too deep; what is, is null from then on.
#[inline]
pub(crate) fn has_deep(result: &mut ToolResult) -> bool {
    let mut deep = false;
    if let Ok(ToolOutput { structured: Some(value), .. }) = result
        && value.exceeds(MAX_OUTPUT_DEPTH)
    {
        deep = true;
        value.dismantle();
    }
    each_value(result, |value| {
        if exceeds(value, MAX_OUTPUT_DEPTH) {
            deep = true;
            dismantle(value.take());
        }
    });
    deep
}

/// What becomes of a result in which [`has_deep`] found something.
#[cold]
pub(crate) fn refused(tool: &str, behavior: Behavior, result: &ToolResult) -> ToolError {
    match result {
        Ok(_) => too_deep(tool, behavior),
        Err(error) => too_deep(tool, behavior).maybe_effect(error.effect_value()),
    }
}

/// The values of a result beside the structured one.
fn each_value(result: &mut ToolResult, mut visit: impl FnMut(&mut Value)) {
    match result {
        Ok(output) => {
            for block in &mut output.content {
                if let Content::Json { value } = block {
                    visit(value);
                }
            }
            if !output.meta.is_empty() {
                output.meta.values_mut().for_each(visit);
            }
        }
        Err(error) => error.details_mut().values_mut().for_each(&mut visit),
    }
}

fn too_deep(tool: &str, behavior: Behavior) -> ToolError {
    let (done, effect) = match behavior.side_effect {
        true => (format!("{tool} finished; only its result is"), Some(Effect::Done)),
        false => (format!("The result of {tool} is"), None),
    };
    let text = format!("{done} nested deeper than {MAX_OUTPUT_DEPTH} levels.");
    ToolError::internal(text).code("output_too_deep").maybe_effect(effect)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> Value {
        (1..levels).fold(json!([]), |inner, level| if level % 2 == 0 { json!([inner]) } else { wrap(inner) })
    }

    /// `json!` would serialise, and so recurse.
    fn wrap(inner: Value) -> Value {
        Value::Object(std::iter::once(("k".to_owned(), inner)).collect())
    }

    #[test]
    fn a_scalar_has_no_level_and_each_container_one() {
        assert!(!exceeds(&json!(1), 0));
        assert!(exceeds(&json!([]), 0));
        assert!(!exceeds(&nested(5), 5));
        assert!(exceeds(&nested(6), 5));
    }

    #[test]
    fn texts_are_as_deep_as_their_values() {
        for levels in [1, 5, 6, 40] {
            let text = nested(levels).to_string();
            assert!(!text_exceeds(&text, levels), "{text}");
            assert!(text_exceeds(&text, levels - 1), "{text}");
        }
        let siblings = json!([[], {"a": []}, [[]], {}, [], [], [], []]).to_string();
        assert!(!text_exceeds(&siblings, 3), "{siblings}");
        assert!(text_exceeds(&siblings, 2), "{siblings}");
        let brackets = json!(["[[[[", {"{{\"[[[[\\": "]]"}, "\\", "[["]).to_string();
        assert!(!text_exceeds(&brackets, 2), "{brackets}");
        assert!(text_exceeds(&brackets, 1), "{brackets}");
    }

    #[test]
    fn pruning_leaves_what_lies_above() {
        let mut value = json!({"a": [[1], 2], "b": 3});
        prune(&mut value, 2);
        assert_eq!(value, json!({"a": [null, 2], "b": 3}));
    }
}
