//! How a value is written on the command line, told from its canonical schema alone.
//!
//! The null branch is left aside, since no word means null. A `$ref` stands for a recursive type and is written as JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// At most this many properties become options of their own (`--owner.age`).
pub const STRUCT_MEMBERS: usize = 16;

/// How the words of a parameter become its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `--x`, `--no-x`.
    Switch,
    /// `--x VALUE`, handed on as text.
    Text,
    /// `--x BASE64` or a file.
    Bytes,
    /// `--x A --x B`.
    List(Items),
    /// `--x KEY=VALUE`.
    Map(Items),
    /// `--x JSON` or `--x.member VALUE`.
    Object,
    /// `--x JSON`.
    Json,
}

/// What a list or map holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// Texts, which may look like anything.
    Text,
    /// Other scalars, written as text.
    Scalar,
    /// Anything else, written as JSON.
    Json,
}

impl Kind {
    /// The kind of a value of this schema.
    pub fn of(schema: &Value) -> Kind {
        let schema = without_null(schema);
        let Some(node) = schema.as_object() else { return Kind::Json };
        if node.contains_key("$ref") {
            return Kind::Json;
        }
        if let Some(branches) = branches(node) {
            let scalar = !branches.is_empty() && branches.iter().all(|branch| Kind::of(branch).is_scalar());
            return if scalar { Kind::Text } else { Kind::Json };
        }
        match node.get("type") {
            Some(Value::String(name)) => Kind::of_type(name, node),
            Some(Value::Array(names)) if names.iter().all(is_scalar_type) => Kind::Text,
            None if node.contains_key("enum") || node.contains_key("const") => Kind::of_values(node),
            _ => Kind::Json,
        }
    }

    fn of_type(name: &str, node: &Map<String, Value>) -> Kind {
        match name {
            "boolean" => Kind::Switch,
            "string" if node.get("contentEncoding").is_some_and(|encoding| encoding == "base64") => {
                Kind::Bytes
            }
            "string" | "integer" | "number" => Kind::Text,
            "array" => match node.get("items") {
                _ if node.contains_key("prefixItems") => Kind::Json,
                Some(items) => Kind::of_array(items),
                None => Kind::List(Items::Json),
            },
            "object" => Kind::of_object(node),
            _ => Kind::Json,
        }
    }

    fn of_array(items: &Value) -> Kind {
        match Kind::of(items) {
            Kind::List(_) => Kind::Json,
            Kind::Json if is_array(items) => Kind::Json,
            _ => Kind::List(Items::of(items)),
        }
    }

    fn of_object(node: &Map<String, Value>) -> Kind {
        let members = node.get("properties").and_then(Value::as_object).map_or(0, Map::len);
        if node.contains_key("patternProperties") {
            return Kind::Json;
        }
        match node.get("additionalProperties") {
            _ if (1..=STRUCT_MEMBERS).contains(&members) => Kind::Object,
            _ if members > 0 => Kind::Json,
            Some(Value::Bool(false)) => Kind::Json,
            Some(values) => Kind::Map(Items::of(values)),
            None => Kind::Map(Items::Json),
        }
    }

    fn of_values(node: &Map<String, Value>) -> Kind {
        let listed = node.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let scalar =
            listed.iter().chain(node.get("const")).all(|value| !value.is_array() && !value.is_object());
        if scalar { Kind::Text } else { Kind::Json }
    }

    /// Whether one word is one value, without JSON.
    pub fn is_scalar(self) -> bool {
        matches!(self, Kind::Switch | Kind::Text | Kind::Bytes)
    }

    /// Whether the words of it are JSON, so that `@FILE` and `-` can mean nothing else.
    pub fn is_json(self) -> bool {
        matches!(self, Kind::Json | Kind::Object | Kind::List(Items::Json))
    }

    /// Whether it may be given several times.
    pub fn repeats(self) -> bool {
        matches!(self, Kind::Switch | Kind::List(_) | Kind::Map(_))
    }
}

impl Items {
    fn of(schema: &Value) -> Items {
        let closed = schema.get("enum").is_some() || schema.get("const").is_some();
        match Kind::of(schema) {
            Kind::Text if !closed && takes_text(schema) => Items::Text,
            kind if kind.is_scalar() => Items::Scalar,
            _ => Items::Json,
        }
    }
}

/// The schema without its null branch.
pub fn without_null(schema: &Value) -> Cow<'_, Value> {
    let Some(node) = schema.as_object() else { return Cow::Borrowed(schema) };
    if let Some(Value::Array(types)) = node.get("type") {
        let rest: Vec<&Value> = types.iter().filter(|name| *name != "null").collect();
        let mut node = node.clone();
        node.insert(
            "type".into(),
            if let [only] = *rest { only.clone() } else { rest.into_iter().cloned().collect() },
        );
        return Cow::Owned(Value::Object(node));
    }
    let Some(branches) = branches(node) else { return Cow::Borrowed(schema) };
    let rest: Vec<&Value> =
        branches.iter().filter(|branch| branch.get("type").is_none_or(|name| name != "null")).collect();
    match *rest {
        [only] if branches.len() > 1 => Cow::Borrowed(only),
        _ => Cow::Borrowed(schema),
    }
}

/// The branches of a union.
pub fn branches(node: &Map<String, Value>) -> Option<&Vec<Value>> {
    node.get("anyOf").or_else(|| node.get("oneOf")).and_then(Value::as_array)
}

fn is_scalar_type(name: &Value) -> bool {
    ["string", "integer", "number", "boolean", "null"].iter().any(|scalar| name == scalar)
}

fn is_array(schema: &Value) -> bool {
    without_null(schema).get("type").is_some_and(|name| name == "array")
}

/// Whether a text is one of the values.
pub(crate) fn takes_text(schema: &Value) -> bool {
    let schema = without_null(schema);
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|name| name == "string"),
        Some(name) => name == "string",
        None => schema.as_object().and_then(branches).is_some_and(|all| all.iter().any(takes_text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_schema_has_its_kind() {
        let cases = [
            (json!({"type": "boolean"}), Kind::Switch),
            (json!({"type": ["boolean", "null"]}), Kind::Switch),
            (json!({"type": "string"}), Kind::Text),
            (json!({"type": "string", "contentEncoding": "base64"}), Kind::Bytes),
            (json!({"type": ["integer", "string"]}), Kind::Text),
            (json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}), Kind::Text),
            (json!({"enum": [1, 2, 4]}), Kind::Text),
            (json!({"type": "array", "items": {"type": "string"}}), Kind::List(Items::Text)),
            (json!({"type": "array", "items": {"type": "string", "enum": ["a"]}}), Kind::List(Items::Scalar)),
            (json!({"type": "array", "items": {"type": "integer"}}), Kind::List(Items::Scalar)),
            (
                json!({"type": "array", "items": {"type": "object", "properties": {"a": {}}}}),
                Kind::List(Items::Json),
            ),
            (json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}), Kind::Json),
            (json!({"type": "array", "prefixItems": [{"type": "integer"}], "items": false}), Kind::Json),
            (json!({"type": "object", "additionalProperties": {"type": "string"}}), Kind::Map(Items::Text)),
            (
                json!({"type": "object", "additionalProperties": {"type": "integer"}}),
                Kind::Map(Items::Scalar),
            ),
            (json!({"type": "object", "additionalProperties": {"type": "object"}}), Kind::Map(Items::Json)),
            (json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}), Kind::Object),
            (json!({"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "null"}]}), Kind::Object),
            (json!({"oneOf": [{"type": "object", "properties": {"kind": {"const": "a"}}}]}), Kind::Json),
            (json!({"$ref": "#/$defs/Tree"}), Kind::Json),
            (json!({}), Kind::Json),
        ];
        for (schema, kind) in cases {
            assert_eq!(Kind::of(&schema), kind, "{schema}");
        }
    }

    #[test]
    fn more_members_than_the_limit_are_one_json_value() {
        let object = |members: usize| {
            let properties: Map<String, Value> = (0..members).map(|i| (format!("m{i}"), json!({}))).collect();
            json!({"type": "object", "properties": properties, "additionalProperties": false})
        };
        assert_eq!(Kind::of(&object(STRUCT_MEMBERS)), Kind::Object);
        assert_eq!(Kind::of(&object(STRUCT_MEMBERS + 1)), Kind::Json);
    }
}
