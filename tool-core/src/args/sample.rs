//! A small value that a canonical schema takes, made up to ask the type with. (arguments.md §4)

use serde_json::{Map, Value};

use super::walk::is_required;
use crate::schema::form::{self, Union};

/// How deep a value is made; recursive types end earlier or take nothing anyway.
const MOST_LEVELS: usize = 8;

/// The most items or characters that a least length asks for.
const MOST_ITEMS: u64 = 64;

/// A value of a schema. It keeps to the types and the least lengths; patterns and formats are not looked at.
pub(super) fn sample(schema: &Value, definitions: &Map<String, Value>) -> Value {
    Sampling { definitions }.value(schema, MOST_LEVELS)
}

struct Sampling<'s> {
    definitions: &'s Map<String, Value>,
}

impl Sampling<'_> {
    fn value(&self, schema: &Value, levels: usize) -> Value {
        let Some(levels) = levels.checked_sub(1) else { return Value::Null };
        let schema = form::resolve(schema, self.definitions);
        let schema = form::resolve(form::without_null(schema), self.definitions);
        let listed = schema.get("const").or_else(|| schema.get("enum")?.get(0));
        if let Some(value) = listed {
            return value.clone();
        }
        match form::union(schema, self.definitions) {
            Some(Union::Tagged { cases, .. }) => cases.first().map(|case| self.value(case.1, levels)),
            Some(Union::External { cases }) => cases.first().map(|case| match case {
                (name, None) => Value::from(*name),
                (name, Some(content)) => {
                    Value::Object(Map::from_iter([((*name).to_owned(), self.value(content, levels))]))
                }
            }),
            Some(Union::Untagged { cases }) => cases.first().map(|case| self.value(case, levels)),
            None => form::types(schema).next().map(|name| self.typed(name, schema, levels)),
        }
        .unwrap_or(Value::Null)
    }

    fn typed(&self, name: &str, schema: &Value, levels: usize) -> Value {
        let least = |keyword: &str| schema.get(keyword).and_then(Value::as_u64).unwrap_or(0).min(MOST_ITEMS);
        match name {
            "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| Value::from(0)),
            "boolean" => Value::Bool(false),
            "string" => Value::from("a".repeat(usize::try_from(least("minLength")).unwrap_or(0))),
            "array" => {
                let first =
                    schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let rest = schema.get("items").filter(|items| items.is_object());
                let count = usize::try_from(least("minItems")).unwrap_or(0).max(first.len());
                let item = |i| first.get(i).or(rest).map_or(Value::Null, |schema| self.value(schema, levels));
                Value::Array((0..count).map(item).collect())
            }
            "object" => {
                let fields = schema.get("properties").and_then(Value::as_object);
                let required = fields.into_iter().flatten().filter(|(name, _)| is_required(schema, name));
                Value::Object(
                    required.map(|(name, field)| (name.clone(), self.value(field, levels))).collect(),
                )
            }
            _ => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sample_keeps_to_types_and_least_lengths() {
        let definitions = json!({"Leaf": {"type": "boolean"}, "Ring": {"$ref": "#/$defs/Ring"}});
        let table = [
            (json!({"type": "integer", "minimum": 3}), json!(3)),
            (json!({"type": "string", "minLength": 2}), json!("aa")),
            (json!({"type": "string", "enum": ["b", "c"]}), json!("b")),
            (json!({"type": ["number", "null"]}), json!(0)),
            (json!({"anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "null"}]}), json!(false)),
            (json!({"type": "array", "items": {"type": "string"}, "minItems": 1}), json!([""])),
            (
                json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}),
                json!([0, ""]),
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}),
                json!({"a": 0}),
            ),
            (json!({"$ref": "#/$defs/Ring"}), Value::Null),
        ];
        for (schema, expected) in table {
            assert_eq!(sample(&schema, definitions.as_object().unwrap()), expected, "{schema}");
        }
    }
}
