//! What a compiled schema costs of what a provider allows per request.

use serde_json::{Map, Value};

use super::super::limits::{self, Limit, Limits};
use crate::schema::{each_child, required_names};

/// What a strict Anthropic tool costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Properties that may be left out, at every depth.
    pub optional: usize,
    /// Properties and items that are a union or have a list of types.
    pub unions: usize,
}

impl Budget {
    /// The cost of a compiled schema.
    pub fn of(schema: &Value) -> Budget {
        let mut budget = Budget::default();
        let mut waiting = vec![schema];
        while let Some(schema) = waiting.pop() {
            let Some(keywords) = schema.as_object() else { continue };
            let required = required_names(keywords);
            if let Some(Value::Object(properties)) = keywords.get("properties") {
                budget.optional += properties.keys().filter(|name| !required.contains(name)).count();
                budget.unions += properties.values().filter(|property| is_union(property)).count();
            }
            budget.unions += keywords.get("items").filter(|items| is_union(items)).map_or(0, |_| 1);
            each_child(keywords, |_, child| waiting.push(child));
        }
        budget
    }
}

fn is_union(schema: &Value) -> bool {
    schema.get("anyOf").is_some() || schema.get("type").is_some_and(Value::is_array)
}

/// The sum of `maxItems` of a schema.
pub(in crate::dialect) fn max_items(schema: &Value) -> usize {
    let mut sum = 0_usize;
    each_schema(schema, |keywords, _| {
        let most = keywords.get("maxItems").and_then(Value::as_u64).unwrap_or(0);
        sum = sum.saturating_add(usize::try_from(most).unwrap_or(usize::MAX));
    });
    sum
}

/// The rows of the table that a strict OpenAI schema exceeds.
pub(in crate::dialect) fn openai_rows(schema: &Value, limits: &Limits) -> Vec<Limit> {
    let (mut properties, mut depth, mut chars, mut values, mut long) = (0, 0, 0, 0, 0);
    each_schema(schema, |keywords, level| {
        depth = depth.max(level);
        let named = ["properties", "$defs"].iter().filter_map(|keyword| keywords.get(*keyword)?.as_object());
        chars += named.flat_map(Map::keys).map(String::len).sum::<usize>();
        properties += keywords.get("properties").and_then(Value::as_object).map_or(0, Map::len);
        let listed = keywords.get("enum").and_then(Value::as_array);
        let size = |value: &Value| value.as_str().map_or(0, str::len);
        let listed_chars: usize = listed.into_iter().flatten().map(size).sum();
        let count = listed.map_or(0, Vec::len);
        values += count;
        chars += listed_chars + keywords.get("const").map_or(0, size);
        if count > limits.get(limits::OPENAI_STRICT_LONG_ENUM) {
            long = long.max(listed_chars);
        }
    });
    let rows = [
        (limits::OPENAI_STRICT_PROPERTIES, properties),
        (limits::OPENAI_STRICT_DEPTH, depth),
        (limits::OPENAI_STRICT_CHARS, chars),
        (limits::OPENAI_STRICT_ENUM_VALUES, values),
        (limits::OPENAI_STRICT_ENUM_CHARS, long),
    ];
    rows.into_iter().filter(|(limit, used)| *used > limits.get(*limit)).map(|row| row.0).collect()
}

/// Visits every schema with the number of objects and arrays around it.
fn each_schema(schema: &Value, mut visit: impl FnMut(&Map<String, Value>, usize)) {
    let mut waiting = vec![(schema, 0)];
    while let Some((schema, level)) = waiting.pop() {
        let Some(keywords) = schema.as_object() else { continue };
        let level =
            level + usize::from(keywords.contains_key("properties") || keywords.contains_key("items"));
        visit(keywords, level);
        each_child(keywords, |_, child| waiting.push((child, level)));
        let definitions = keywords.get("$defs").and_then(Value::as_object);
        waiting.extend(definitions.into_iter().flat_map(Map::values).map(|definition| (definition, 0)));
    }
}
