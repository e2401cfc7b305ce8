//! What of a result may be written down, where the output schema of its tool marks parts of it: content of files, output of
//! commands. Texts of such a result say the same once more, so they are left out.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::mode::Nodes;
use super::{Form, KnownSecrets, redact};
use crate::call::READ_RESULT;
use crate::def::{LogMode, ToolDef};
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::schema::form;

/// How many of the hidden parts of a result are named.
const NAMED: usize = 20;

/// What whoever gets a recorded result again is told where parts of it were not kept.
const INCOMPLETE: &str = "the call ran before, and of these parts of its result only a digest was kept: read them where they come from, \
                          or make another call";

/// A result for the journal; `None` where nothing of it is marked, and all of it may be written. What was hidden is named in
/// `meta.incomplete`, by JSON pointers.
pub(crate) fn recordable(def: &ToolDef<'_>, output: &ToolOutput) -> Option<ToolOutput> {
    let value = output.data();
    let judge = judge_of(def, &value)?;
    let kept = redact(&value, &judge, &KnownSecrets::default(), Form::Journal).value;
    let kept = in_its_type(&value, kept);
    let mut hidden = Vec::new();
    differing(&value, &kept, String::new(), &mut hidden);
    let mut meta = output.meta.clone();
    if !hidden.is_empty() {
        meta.insert("incomplete".to_owned(), json!(hidden));
        meta.entry("hint").or_insert_with(|| json!(INCOMPLETE));
    }
    Some(ToolOutput { content: Vec::new(), structured: Some(kept.into()), meta, ..output.clone() })
}

/// The schema by which a value is judged; `None` where nothing of it is marked. Parts of results that were parked are content, and
/// so are texts in the place of a value of another type, as a model gets them first of a result that is too long.
fn judge_of<'d>(def: &'d ToolDef<'_>, value: &Value) -> Option<Cow<'d, Value>> {
    let content = || Cow::Owned(json!({"x-log": LogMode::Hash.as_str()}));
    if def.name == READ_RESULT {
        return Some(content());
    }
    let schema = def.output_schema().filter(|schema| is_marked(schema))?;
    let given = match value {
        Value::String(_) => "string",
        Value::Array(_) => "array",
        _ => return Some(Cow::Borrowed(schema)),
    };
    let is_another = form::types(schema).next().is_some() && form::types(schema).all(|name| name != given);
    Some(if is_another { content() } else { Cow::Borrowed(schema) })
}

/// Where two values differ: the outermost places that do not have the same form, or not the same scalar.
fn differing(value: &Value, kept: &Value, at: String, found: &mut Vec<String>) {
    match (value, kept) {
        _ if found.len() >= NAMED => {}
        (Value::Object(members), Value::Object(kept)) => {
            for (key, value) in members {
                let below = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                differing(value, kept.get(key).unwrap_or(&Value::Null), below, found);
            }
        }
        (Value::Array(items), Value::Array(kept)) if items.len() == kept.len() => {
            let pairs = items.iter().zip(kept).enumerate();
            pairs.for_each(|(nth, (item, kept))| differing(item, kept, format!("{at}/{nth}"), found));
        }
        (value, kept) if value != kept => found.push(at),
        _ => {}
    }
}

/// A result for the audit: the members that its schema marks, and what is left. `None` where nothing of it is marked.
pub(crate) fn shown(
    def: &ToolDef<'_>,
    value: &Value,
    secrets: &KnownSecrets,
) -> Option<(Map<String, Value>, Value)> {
    let judge = judge_of(def, value)?;
    let schema = &*judge;
    let nodes = Nodes::of(schema, schema);
    let is_whole = |key: &str| nodes.member(schema, key).mode().is_some_and(is_told_whole);
    Some(match redact(value, schema, secrets, Form::Audit).value {
        Value::Object(members) => {
            let (marked, rest): (Map<_, _>, Map<_, _>) =
                members.into_iter().partition(|(key, _)| is_whole(key));
            (marked, rest.into())
        }
        other => (Map::new(), other),
    })
}

/// What an error carries of the result of its tool: details under the names of the result's members, if one of them is
/// marked. What only the error says to be content is none of it.
pub(crate) fn carried(def: &ToolDef<'_>, error: &ToolError) -> Option<Value> {
    let schema = def.output_schema()?;
    let nodes = Nodes::of(schema, schema);
    let mode = |key: &str| nodes.member(schema, key).mode();
    let is_part = |key: &str| nodes.declares(key) && (!error.is_content(key) || mode(key).is_some_and(hides));
    let parts = error.details().iter().filter(|(key, _)| is_part(key));
    let parts: Map<String, Value> = parts.map(|(key, value)| (key.clone(), value.clone())).collect();
    parts.keys().any(|key| mode(key).is_some_and(is_told_whole)).then_some(Value::Object(parts))
}

/// What is hidden is short, and `full` is asked for.
fn is_told_whole(mode: LogMode) -> bool {
    mode != LogMode::Preview
}

pub(super) fn hides(mode: LogMode) -> bool {
    !matches!(mode, LogMode::Preview | LogMode::Full)
}

/// Whether the results of a tool have parts that are secrets, or that nobody but its caller is to hear of.
pub(crate) fn has_secret_parts(def: &ToolDef<'_>) -> bool {
    def.output_schema().is_some_and(|schema| has_secret_node(schema))
}

fn has_secret_node(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            let mode = members.get("x-log").and_then(Value::as_str);
            let is_secret = mode == Some(LogMode::Secret.as_str()) || mode == Some(LogMode::Omit.as_str());
            let is_write_only = members.get("writeOnly") == Some(&Value::Bool(true));
            is_secret || is_write_only || members.values().any(has_secret_node)
        }
        Value::Array(items) => items.iter().any(has_secret_node),
        _ => false,
    }
}

/// Whether a node of a schema has a mode.
fn is_marked(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.contains_key("x-log") || members.values().any(is_marked),
        Value::Array(items) => items.iter().any(is_marked),
        _ => false,
    }
}

/// A text that was hidden stays a text: who replays the result may judge it by the schema.
pub(super) fn in_its_type(value: &Value, kept: Value) -> Value {
    match (value, kept) {
        (Value::String(_), Value::Object(hidden)) => {
            let told = |key: &str| Some(hidden.get(key)?.to_string().replace('"', ""));
            let mode = told("$redacted").unwrap_or_default();
            json!(match (told("bytes"), told("sha256")) {
                (Some(bytes), Some(sha256)) => format!("[{mode}: {bytes} bytes, sha256 {sha256}]"),
                (Some(bytes), None) => format!("[{mode}: {bytes} bytes]"),
                _ => format!("[{mode}]"),
            })
        }
        (Value::Array(items), Value::Array(kept)) if items.len() == kept.len() => {
            items.iter().zip(kept).map(|(item, kept)| in_its_type(item, kept)).collect()
        }
        (Value::Object(members), Value::Object(kept)) => {
            let typed = |(key, kept): (String, Value)| match members.get(&key) {
                Some(value) => (key, in_its_type(value, kept)),
                None => (key, kept),
            };
            Value::Object(kept.into_iter().map(typed).collect())
        }
        (_, kept) => kept,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

    use schemars::JsonSchema;
    use serde::Serialize;

    use super::*;
    use crate::registry::Registry;
    use crate::tool;

    #[derive(Serialize, JsonSchema)]
    #[schemars(extend("x-log" = "length"))]
    struct Word(String);

    #[derive(Serialize, JsonSchema)]
    struct Part {
        #[schemars(extend("x-log" = "secret"))]
        a: Option<String>,
    }

    /// Says a word.
    #[tool(register = false)]
    fn word() -> Word {
        Word(String::new())
    }

    /// Gives a part.
    #[tool(register = false)]
    fn part() -> Part {
        Part { a: None }
    }

    /// Says something that nothing marks.
    #[tool(register = false)]
    fn plain() -> String {
        String::new()
    }

    #[test]
    fn a_result_of_another_type_than_its_schema_says_is_content() {
        let registry =
            Registry::builder().add::<WordTool>().add::<PartTool>().add::<PlainTool>().build().unwrap();
        let kept = |tool: &str, value: Value| {
            let kept = recordable(registry.get(tool).unwrap().def(), &ToolOutput::structured(value))?;
            Some((kept.data(), kept.meta.contains_key("incomplete")))
        };
        assert_eq!(kept("word", json!("abc")), Some((json!("[length: 3 bytes]"), true)));
        assert_eq!(kept("part", json!({"a": null, "b": "abc"})).map(|kept| kept.1), Some(true));
        assert_eq!(kept("part", json!({"b": "abc"})), Some((json!({"b": "abc"}), false)));
        for (tool, other) in [("word", json!(["abc"])), ("part", json!("abc")), ("part", json!(["abc"]))] {
            let (value, incomplete) = kept(tool, other).unwrap();
            assert!(incomplete && !value.to_string().contains("abc"), "{tool}: {value}");
        }
        assert_eq!(kept("plain", json!("abc")), None);
    }

    #[test]
    fn a_tool_with_a_secret_in_its_result_is_told_from_one_without() {
        let registry = Registry::builder().add::<WordTool>().add::<PartTool>().build().unwrap();
        for (tool, private) in [("part", true), ("word", false)] {
            assert_eq!(has_secret_parts(registry.get(tool).unwrap().def()), private, "{tool}");
        }
    }

    #[test]
    fn a_result_is_private_where_any_node_of_its_schema_is_a_secret_or_left_out() {
        for (schema, private) in [
            (json!({"x-log": "secret"}), true),
            (json!({"x-log": "omit"}), true),
            (json!({"writeOnly": true}), true),
            (json!({"properties": {"a": {"items": {"x-log": "secret"}}}}), true),
            (json!({"anyOf": [{"type": "null"}, {"writeOnly": true}]}), true),
            (json!({"x-log": "hash"}), false),
            (json!({"x-log": "full", "writeOnly": false}), false),
            (json!({"anyOf": [{"type": "null"}, {"x-log": "length"}]}), false),
            (json!(true), false),
        ] {
            assert_eq!(has_secret_node(&schema), private, "{schema}");
        }
    }

    #[test]
    fn a_schema_is_marked_where_any_of_its_nodes_is() {
        for (schema, marked) in [
            (json!({"x-log": "full"}), true),
            (json!({"properties": {"a": {"x-log": "hash"}}}), true),
            (json!({"anyOf": [{}, {"x-log": "hash"}]}), true),
            (json!({"anyOf": [{}, {"type": "string"}]}), false),
            (json!({"type": "object"}), false),
            (json!(true), false),
        ] {
            assert_eq!(is_marked(&schema), marked, "{schema}");
        }
    }

    #[test]
    fn only_what_hides_is_hidden_and_only_a_preview_is_not_told_whole() {
        for (mode, hidden, whole) in [
            (LogMode::Full, false, true),
            (LogMode::Preview, false, false),
            (LogMode::Length, true, true),
            (LogMode::Hash, true, true),
            (LogMode::Secret, true, true),
            (LogMode::Omit, true, true),
        ] {
            assert_eq!((hides(mode), is_told_whole(mode)), (hidden, whole), "{mode:?}");
        }
    }

    #[test]
    fn the_outermost_places_that_differ_are_named_and_no_more_than_twenty() {
        let places = |value: Value, kept: Value| {
            let mut found = Vec::new();
            differing(&value, &kept, String::new(), &mut found);
            found
        };
        assert_eq!(places(json!([1, {"a/b": 2, "c": 3}]), json!([1, {"a/b": 9, "c": 3}])), ["/1/a~1b"]);
        assert_eq!(places(json!({"a": [1, 2]}), json!({"a": [1]})), ["/a"]);
        assert_eq!(places(json!({"a": 1, "b": 2}), json!({"a": 1})), ["/b"]);
        assert_eq!(places(json!([1, 2]), json!([1, 2])), Vec::<String>::new());
        let many: Vec<u32> = (0..30).collect();
        assert_eq!(places(json!(many), json!(vec!["x"; 30])).len(), NAMED);
    }

    #[test]
    fn a_hidden_text_stays_a_text_at_its_place_and_a_list_that_was_cut_stays_as_it_was_kept() {
        let hidden = json!({"$redacted": "length", "bytes": 3});
        assert_eq!(in_its_type(&json!("abc"), hidden.clone()), json!("[length: 3 bytes]"));
        assert_eq!(in_its_type(&json!(["abc", 1]), json!([hidden, 1])), json!(["[length: 3 bytes]", 1]));
        assert_eq!(
            in_its_type(&json!({"a": "abc"}), json!({"a": hidden})),
            json!({"a": "[length: 3 bytes]"})
        );
        assert_eq!(in_its_type(&json!(["abc", "abc"]), json!([hidden])), json!([hidden]));
        assert_eq!(in_its_type(&json!("abc"), json!({"$redacted": "secret"})), json!("[secret]"));
    }
}
