//! What a canonical schema describes, read off once for the walk, the texts and every dialect.
//!
//! A schema is looked at as it stands: references are followed by [`resolve`], null branches are left out by
//! [`without_null`], and unions are told apart by the shape of their branches.

use serde_json::{Map, Value};

use super::reference;

/// A union of alternatives, as serde's four ways of writing an enum look in a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Union<'a> {
    /// Objects that a constant property tells apart (`#[serde(tag = "…")]`).
    Tagged {
        /// The property.
        tag: &'a str,
        /// Its value and the object, in order.
        cases: Vec<(&'a str, &'a Value)>,
    },
    /// Texts, and objects with one key each.
    External {
        /// Name and content, in order; a text has none.
        cases: Vec<(&'a str, Option<&'a Value>)>,
    },
    /// Anything else, in order.
    Untagged {
        /// The alternatives.
        cases: Vec<&'a Value>,
    },
}

/// The union that a schema is, null branches left out; `None` for other schemas.
///
/// Tagged and external unions are only recognised in a `oneOf`: serde tries the alternatives of an `anyOf` one by one.
/// `definitions` are the root's `$defs`.
pub fn union<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> Option<Union<'a>> {
    let (branches, exclusive) = match (schema.get("oneOf"), schema.get("anyOf")) {
        (Some(Value::Array(branches)), _) => (branches, true),
        (None, Some(Value::Array(branches))) => (branches, false),
        _ => return None,
    };
    let cases: Vec<&Value> = branches.iter().filter(|branch| !is_null(branch)).collect();
    if exclusive {
        if let Some(tagged) = tagged(&cases, definitions) {
            return Some(tagged);
        }
        if let Some(external) = external(&cases, definitions) {
            return Some(external);
        }
    }
    Some(Union::Untagged { cases })
}

/// The schema that a local `$ref` leads to; the schema itself when it is none.
///
/// A documented reference, `{"anyOf": [{"$ref": …}], "description": …}`, is followed as well.
pub fn resolve<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> &'a Value {
    let mut at = schema;
    // A chain of references is no longer than the list of definitions.
    for _ in 0..=definitions.len() {
        let lone = match at.get("anyOf") {
            Some(Value::Array(branches)) if branches.len() == 1 => branches.first(),
            _ => None,
        };
        let reference = lone.unwrap_or(at);
        match reference.get("$ref").and_then(Value::as_str).and_then(|path| definition(path, definitions)) {
            Some(next) => at = next,
            None => return at,
        }
    }
    at
}

/// The one alternative besides null of a nullable schema; the schema itself otherwise.
pub fn without_null(schema: &Value) -> &Value {
    let Some(Value::Array(branches)) = schema.get("anyOf") else { return schema };
    let mut others = branches.iter().filter(|branch| !is_null(branch));
    match (others.next(), others.next()) {
        (Some(only), None) if branches.len() > 1 => only,
        _ => schema,
    }
}

/// Whether a schema is that of null alone.
pub fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

/// The types a schema names, null left out.
pub fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let named: &[Value] = match schema.get("type") {
        Some(Value::Array(list)) => list,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    named.iter().filter_map(Value::as_str).filter(|name| *name != "null")
}

/// The definition of a reference `#/$defs/NAME`.
fn definition<'a>(reference: &str, definitions: &'a Map<String, Value>) -> Option<&'a Value> {
    definitions.get(&reference::definition_name(reference)?)
}

fn tagged<'a>(cases: &[&'a Value], definitions: &'a Map<String, Value>) -> Option<Union<'a>> {
    let first = resolve(cases.first()?, definitions);
    let tag = first.get("properties")?.as_object()?.iter().find_map(|(name, property)| {
        let is_tag = cases.iter().all(|case| tag_value(resolve(case, definitions), name).is_some());
        (property.get("const").is_some() && is_tag).then_some(name.as_str())
    })?;
    let cases = cases.iter().filter_map(|case| {
        let case = resolve(case, definitions);
        tag_value(case, tag).map(|value| (value, case))
    });
    Some(Union::Tagged { tag, cases: cases.collect() })
}

fn tag_value<'a>(case: &'a Value, tag: &str) -> Option<&'a str> {
    let required = case.get("required")?.as_array()?.iter().any(|name| name == tag);
    let value = case.get("properties")?.get(tag)?.get("const")?.as_str()?;
    required.then_some(value)
}

fn external<'a>(cases: &[&'a Value], definitions: &'a Map<String, Value>) -> Option<Union<'a>> {
    let mut named = Vec::new();
    for case in cases {
        let case = resolve(case, definitions);
        if let Some(text) = case.get("const").and_then(Value::as_str) {
            named.push((text, None));
        } else if let Some(Value::Array(texts)) = case.get("enum") {
            for text in texts {
                named.push((text.as_str()?, None));
            }
        } else {
            let (name, content) = only_member(case)?;
            named.push((name, Some(content)));
        }
    }
    (!named.is_empty()).then_some(Union::External { cases: named })
}

/// The one key that a closed object must have, with its schema.
fn only_member(case: &Value) -> Option<(&str, &Value)> {
    let properties = case.get("properties")?.as_object()?;
    let required = case.get("required")?.as_array()?;
    let closed = case.get("additionalProperties") == Some(&Value::Bool(false));
    let (name, content) = properties.iter().next()?;
    let only = properties.len() == 1 && required.len() == 1 && required.first().is_some_and(|r| r == name);
    (closed && only).then_some((name.as_str(), content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

    fn case(tag: &str) -> Value {
        json!({"type": "object", "properties": {"kind": {"type": "string", "const": tag}}, "required": ["kind"]})
    }

    #[test]
    fn a_one_of_with_a_constant_in_each_object_is_tagged() {
        let schema = json!({"oneOf": [case("a"), case("b")]});
        let Some(Union::Tagged { tag, cases }) = union(&schema, &NONE) else { panic!() };
        assert_eq!((tag, cases.iter().map(|case| case.0).collect::<Vec<_>>()), ("kind", vec!["a", "b"]));
    }

    #[test]
    fn texts_and_single_keys_are_external_but_only_in_a_one_of() {
        let data = json!({"type": "object", "properties": {"r": {}}, "required": ["r"], "additionalProperties": false});
        let branches = json!([{"type": "string", "enum": ["i", "j"]}, data]);
        let exclusive = json!({"oneOf": branches});
        let Some(Union::External { cases }) = union(&exclusive, &NONE) else { panic!() };
        assert_eq!(
            cases.iter().map(|c| (c.0, c.1.is_some())).collect::<Vec<_>>(),
            [("i", false), ("j", false), ("r", true)]
        );
        assert!(matches!(union(&json!({"anyOf": branches}), &NONE), Some(Union::Untagged { .. })));
    }

    #[test]
    fn null_is_no_alternative_and_references_are_followed() {
        let definitions = json!({"A": case("a"), "x/y": {"$ref": "#/$defs/A"}});
        let definitions = definitions.as_object().unwrap();
        let nullable = json!({"anyOf": [{"$ref": "#/$defs/x~1y"}, {"type": "null"}]});
        assert_eq!(resolve(without_null(&nullable), definitions), &definitions["A"]);
        let documented = json!({"anyOf": [{"$ref": "#/$defs/A"}], "description": "D."});
        assert_eq!(resolve(&documented, definitions), &definitions["A"]);
        let circle = json!({"A": {"$ref": "#/$defs/A"}});
        resolve(&circle["A"], circle.as_object().unwrap());
    }

    #[test]
    fn only_a_lone_alternative_is_followed_and_only_one_beside_null_is_the_value() {
        let definitions = json!({"A": case("a")});
        let definitions = definitions.as_object().unwrap();
        for branches in [json!([{"$ref": "#/$defs/A"}, {"type": "null"}]), json!([])] {
            let several = json!({ "anyOf": branches });
            assert_eq!(resolve(&several, definitions), &several);
        }
        for branches in [json!([case("a")]), json!([case("a"), case("b"), {"type": "null"}]), json!([])] {
            let schema = json!({ "anyOf": branches });
            assert_eq!(without_null(&schema), &schema);
        }
    }

    #[test]
    fn what_only_some_cases_are_told_by_is_no_tag_and_no_name() {
        let object = |names: &[&str], required: &[&str], others: bool| {
            let properties: Map<String, Value> =
                names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
            json!({"properties": properties, "required": required, "additionalProperties": others})
        };
        assert!(matches!(
            union(&json!({"oneOf": [object(&["r"], &["r"], false)]}), &NONE),
            Some(Union::External { .. })
        ));
        for other in [
            object(&["r"], &["r"], true),
            object(&["r"], &[], false),
            object(&["r"], &["s"], false),
            object(&["r", "s"], &["r"], false),
            object(&["r", "s"], &["r", "s"], false),
            object(&["r"], &["r", "s"], false),
        ] {
            let schema = json!({"oneOf": [other]});
            assert!(matches!(union(&schema, &NONE), Some(Union::Untagged { .. })), "{schema}");
            let schema = json!({"oneOf": [case("a"), other]});
            assert!(matches!(union(&schema, &NONE), Some(Union::Untagged { .. })), "{schema}");
        }
    }
}
