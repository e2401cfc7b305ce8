//! What the APIs refuse in the schemas of tools. Written from the providers' pages, not from the code that is tested:
//! <https://developers.openai.com/docs/guides/structured-outputs>,
//! <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>, <https://ai.google.dev/api/caching#Schema>.

use std::collections::BTreeSet;

use serde_json::Value;

use super::asked::{Refusal, must, refuse};

/// The subset of JSON Schema along which an API generates.
pub(super) struct Subset {
    keywords: &'static [&'static str],
    formats: &'static [&'static str],
    /// Whether every property must be required.
    all_required: bool,
    /// The most that `minItems` may say.
    min_items: u64,
    recursion: bool,
}

/// What both subsets have.
macro_rules! keywords {
    ($($more:literal),*) => {
        &["type", "enum", "const", "description", "properties", "required", "additionalProperties", "items", "anyOf",
            "$ref", "$defs", "format", "minItems", $($more),*]
    };
}

/// Strict tools of OpenAI.
pub(super) const OPENAI: Subset = Subset {
    keywords: keywords!(
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "maxItems"
    ),
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    all_required: true,
    min_items: u64::MAX,
    recursion: true,
};

/// Strict tools of Anthropic.
pub(super) const ANTHROPIC: Subset = Subset {
    keywords: keywords!("default"),
    formats: &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
    all_required: false,
    min_items: 1,
    recursion: false,
};

/// The most properties, levels, characters of names and values, and values of enums of a strict tool of OpenAI.
const OPENAI_MOST: [usize; 4] = [5_000, 10, 120_000, 1_000];

/// The most strict tools, optional properties and unions of a request to Anthropic.
const ANTHROPIC_MOST: [usize; 3] = [20, 24, 16];

/// What a schema has of everything that is limited.
#[derive(Debug, Default)]
struct Sum {
    properties: usize,
    depth: usize,
    characters: usize,
    values: usize,
    optional: usize,
    unions: usize,
}

/// Judges a strict schema of OpenAI.
pub(super) fn openai(schema: &Value, at: &str) -> Result<(), Refusal> {
    must(schema.get("anyOf").is_none(), || format!("{at}: the root must not be a union"))?;
    let mut sum = Sum::default();
    OPENAI.judge(schema, schema, at, 0, &mut sum)?;
    let counted = [sum.properties, sum.depth, sum.characters, sum.values];
    let over = counted.iter().zip(OPENAI_MOST).any(|(count, most)| *count > most);
    must(!over, || format!("{at}: too large: {sum:?}"))
}

/// Judges the strict schemas of a request to Anthropic.
pub(super) fn anthropic(schemas: &[(&Value, String)]) -> Result<(), Refusal> {
    let mut sum = Sum::default();
    for (schema, at) in schemas {
        ANTHROPIC.judge(schema, schema, at, 0, &mut sum)?;
    }
    let counted = [schemas.len(), sum.optional, sum.unions];
    let over = counted.iter().zip(ANTHROPIC_MOST).any(|(count, most)| *count > most);
    must(!over, || format!("strict tools: too many: {} tools, {sum:?}", schemas.len()))
}

impl Subset {
    fn judge(
        &self,
        root: &Value,
        schema: &Value,
        at: &str,
        depth: usize,
        sum: &mut Sum,
    ) -> Result<(), Refusal> {
        let Some(members) = schema.as_object() else {
            return refuse(format!("{at}: must be a schema object"));
        };
        if let Some(name) = members.keys().find(|name| !self.keywords.contains(&name.as_str())) {
            return refuse(format!("{at}: `{name}` is not permitted in a strict schema"));
        }
        let says_what =
            ["type", "anyOf", "$ref", "enum", "const"].iter().any(|key| members.contains_key(*key));
        must(says_what, || format!("{at}: must have a `type`"))?;
        if let Some(format) = schema["format"].as_str() {
            must(self.formats.contains(&format), || format!("{at}: format `{format}` is not supported"))?;
        }
        let least = schema["minItems"].as_u64().unwrap_or(0);
        must(least <= self.min_items, || format!("{at}: `minItems` must be 0 or 1"))?;
        let values = schema["enum"].as_array();
        sum.values += values.map_or(0, Vec::len);
        sum.characters += values.into_iter().flatten().filter_map(Value::as_str).map(str::len).sum::<usize>();
        sum.unions += usize::from(schema.get("anyOf").is_some() || schema["type"].is_array());
        if has_type(schema, "object") {
            self.object(root, schema, at, depth, sum)?;
        }
        if has_type(schema, "array") {
            must(schema["items"].is_object(), || format!("{at}: array schema missing items"))?;
            self.judge(root, &schema["items"], &format!("{at}/items"), depth, sum)?;
        }
        for (i, branch) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
            self.judge(root, branch, &format!("{at}/anyOf/{i}"), depth, sum)?;
        }
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            must(self.recursion || !is_recursive(root, name), || format!("{at}: `{name}` is recursive"))?;
            self.judge(root, definition, &format!("{at}/$defs/{name}"), depth, sum)?;
        }
        match schema["$ref"].as_str() {
            Some(target) => {
                must(definition(root, target).is_some(), || format!("{at}: `{target}` leads nowhere"))
            }
            None => Ok(()),
        }
    }

    fn object(
        &self,
        root: &Value,
        schema: &Value,
        at: &str,
        depth: usize,
        sum: &mut Sum,
    ) -> Result<(), Refusal> {
        must(schema["additionalProperties"] == false, || {
            format!("{at}: `additionalProperties` must be false")
        })?;
        let Some(properties) = schema["properties"].as_object() else {
            return refuse(format!("{at}: an object must have `properties`"));
        };
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let left = properties.keys().find(|name| !required.contains(name.as_str()));
        must(!self.all_required || left.is_none() && schema["required"].is_array(), || {
            format!("{at}: `required` must have every property; missing: {left:?}")
        })?;
        sum.properties += properties.len();
        sum.depth = sum.depth.max(depth + 1);
        sum.optional += properties.keys().filter(|name| !required.contains(name.as_str())).count();
        for (name, property) in properties {
            sum.characters += name.len();
            self.judge(root, property, &format!("{at}/properties/{name}"), depth + 1, sum)?;
        }
        Ok(())
    }
}

fn has_type(schema: &Value, name: &str) -> bool {
    schema["type"] == name
        || schema["type"].as_array().is_some_and(|names| names.iter().any(|one| one == name))
}

fn definition<'a>(root: &'a Value, target: &str) -> Option<&'a Value> {
    root.pointer(target.strip_prefix('#')?)
}

/// Whether a definition leads to itself.
fn is_recursive(root: &Value, name: &str) -> bool {
    let start = format!("#/$defs/{name}");
    let (mut open, mut seen) = (vec![start.clone()], BTreeSet::new());
    while let Some(target) = open.pop() {
        let Some(schema) = definition(root, &target) else { continue };
        let mut found = Vec::new();
        references(schema, &mut found);
        if found.contains(&start) {
            return true;
        }
        open.extend(found.into_iter().filter(|target| seen.insert(target.clone())));
    }
    false
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// What every API wants of a schema, strict or not: an object at the root, and lists that say of what.
pub(super) fn loose(schema: &Value, at: &str) -> Result<(), Refusal> {
    must(schema["type"] == "object", || format!("{at}: the root must be of type object"))?;
    let union = ["oneOf", "anyOf", "allOf", "enum", "not"].iter().find(|key| schema.get(**key).is_some());
    must(union.is_none(), || format!("{at}: `{}` is not permitted at the root", union.unwrap_or(&"")))?;
    lists(schema, at)
}

/// Lists say of what they are.
fn lists(schema: &Value, at: &str) -> Result<(), Refusal> {
    must(!has_type(schema, "array") || schema["items"].is_object(), || {
        format!("{at}: array schema missing items")
    })?;
    for key in ["properties", "$defs"] {
        for (name, property) in schema[key].as_object().into_iter().flatten() {
            lists(property, &format!("{at}/{key}/{name}"))?;
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for (i, branch) in schema[key].as_array().into_iter().flatten().enumerate() {
            lists(branch, &format!("{at}/{key}/{i}"))?;
        }
    }
    for key in ["items", "additionalProperties"] {
        if schema[key].is_object() {
            lists(&schema[key], &format!("{at}/{key}"))?;
        }
    }
    Ok(())
}

/// What all `maxItems` of a schema add up to.
pub(super) fn max_items(schema: &Value) -> u64 {
    match schema {
        Value::Object(members) => {
            let own = members.get("maxItems").and_then(Value::as_u64).unwrap_or(0);
            members.values().map(max_items).fold(own, u64::saturating_add)
        }
        Value::Array(items) => items.iter().map(max_items).fold(0, u64::saturating_add),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(properties: Value, required: Value) -> Value {
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    #[test]
    fn openai_takes_its_subset_and_nothing_else() {
        let fine = [
            object(json!({}), json!([])),
            object(json!({"a": {"type": ["integer", "null"], "minimum": 1}}), json!(["a"])),
            object(
                json!({"a": {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "null"}]}}),
                json!(["a"]),
            ),
        ];
        for schema in &fine {
            openai(schema, "").unwrap();
        }
        let refused = [
            (object(json!({"a": {"type": "integer"}}), json!([])), "every property"),
            (object(json!({"a": {"type": "integer", "default": 1}}), json!(["a"])), "`default`"),
            (object(json!({"a": {"type": "string", "format": "uri"}}), json!(["a"])), "format `uri`"),
            (object(json!({"a": {"type": "array"}}), json!(["a"])), "missing items"),
            (object(json!({"a": {}}), json!(["a"])), "must have a `type`"),
            (object(json!({"a": {"$ref": "#/$defs/B"}}), json!(["a"])), "leads nowhere"),
            (json!({"type": "object", "properties": {}, "required": []}), "`additionalProperties`"),
            (json!({"anyOf": []}), "union"),
        ];
        for (schema, reason) in refused {
            let refusal = openai(&schema, "").unwrap_err();
            assert!(refusal.reason.contains(reason), "{schema}: {}", refusal.reason);
        }
        let deep =
            (0..11).fold(json!({"type": "null"}), |inner, _| object(json!({"a": inner}), json!(["a"])));
        assert!(openai(&deep, "").unwrap_err().reason.contains("too large"));
        openai(&deep["properties"]["a"], "").unwrap();
    }

    #[test]
    fn anthropic_takes_its_subset_and_its_sums() {
        let judge = |schema: &Value| anthropic(&[(schema, String::new())]).map_err(|refusal| refusal.reason);
        judge(&object(
            json!({"a": {"type": "array", "items": {"type": "string"}, "minItems": 1}}),
            json!([]),
        ))
        .unwrap();
        let node = object(json!({"next": {"$ref": "#/$defs/Node"}}), json!([]));
        let mut recursive = object(json!({"a": {"$ref": "#/$defs/Node"}}), json!([]));
        recursive["$defs"] = json!({"Node": node});
        let refused = [
            (object(json!({"a": {"type": "integer", "minimum": 1}}), json!([])), "`minimum`"),
            (
                object(
                    json!({"a": {"type": "array", "items": {"type": "string"}, "minItems": 2}}),
                    json!([]),
                ),
                "0 or 1",
            ),
            (recursive, "recursive"),
        ];
        for (schema, reason) in refused {
            assert!(judge(&schema).unwrap_err().contains(reason), "{schema}");
        }
        let many = |count: usize| {
            let one = object(json!({"a": {"type": "string"}}), json!([]));
            let all: Vec<_> = (0..count).map(|_| (&one, String::new())).collect();
            anthropic(&all).map_err(|refusal| refusal.reason)
        };
        many(20).unwrap();
        assert!(many(21).unwrap_err().contains("21 tools"));
    }

    #[test]
    fn every_root_is_an_object_and_every_list_says_of_what() {
        loose(&object(json!({"a": {"type": "array", "items": {}}}), json!([])), "").unwrap();
        for schema in [json!({"oneOf": []}), object(json!({"a": {"type": "array"}}), json!([]))] {
            assert!(loose(&schema, "").is_err(), "{schema}");
        }
    }
}
