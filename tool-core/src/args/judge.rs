//! Keywords that the walk does not know, judged by `jsonschema` once a value is coerced. (arguments.md §9)

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use super::issue::IssueCode;
use super::patterns::validator;
use super::place::Place;
use super::texts;
use super::walk::Found;

/// The keywords that are left to it, wherever they stand.
const JUDGED: [&str; 16] = [
    "multipleOf",
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
    "$recursiveRef",
];

/// A validator, where a schema has a keyword that needs one.
#[derive(Debug, Default)]
pub(crate) struct Judge(Option<Validator>);

impl Judge {
    /// The judge of a schema whose references lead to `definitions`.
    pub(crate) fn of(schema: &Value, definitions: &Map<String, Value>) -> Result<Judge, String> {
        let mut seen = Vec::new();
        if !needs_judging(schema, definitions, &mut seen) {
            return Ok(Judge(None));
        }
        let mut whole = schema.clone();
        if let Value::Object(keywords) = &mut whole
            && !definitions.is_empty()
        {
            keywords.insert("$defs".to_owned(), Value::Object(definitions.clone()));
        }
        validator(&whole).map(|validator| Judge(Some(validator))).map_err(|error| error.to_string())
    }

    /// Reports what is wrong with a coerced value that stands at a place.
    pub(crate) fn judge(&self, value: &Value, place: &Place<'_>, secret: bool, found: &mut Found) {
        let Some(validator) = &self.0 else { return };
        for error in validator.iter_errors(value) {
            let pointer = error.instance_path().to_string();
            let at = value.pointer(&pointer).unwrap_or(value);
            found.issue(IssueCode::Invalid, || {
                let got = if secret { texts::got_hidden(at) } else { texts::got(at) };
                let expected = if secret { super::HIDDEN.to_owned() } else { expected(&error) };
                (place.pointer() + &pointer, expected, got, None)
            });
        }
    }
}

/// What would be right, without the value that is not.
fn expected(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Not { schema } => match schema.get("const") {
            Some(value) => format!("another value than {value}"),
            None => error.masked().to_string(),
        },
        _ => error.masked().to_string(),
    }
}

/// Whether a judged keyword occurs in a schema or in what it refers to.
fn needs_judging<'s>(
    schema: &'s Value,
    definitions: &'s Map<String, Value>,
    seen: &mut Vec<&'s str>,
) -> bool {
    match schema {
        Value::Object(keywords) => {
            let beside = ["anyOf", "oneOf"].iter().any(|union| keywords.contains_key(*union))
                && ["type", "properties", "items"].iter().any(|shape| keywords.contains_key(*shape));
            let referred = keywords.get("$ref").and_then(Value::as_str).and_then(|reference| {
                let name = reference.strip_prefix("#/$defs/")?;
                (!seen.contains(&name)).then(|| seen.push(name))?;
                definitions.get(name)
            });
            beside
                || JUDGED.iter().any(|keyword| keywords.contains_key(*keyword))
                || referred.is_some_and(|schema| needs_judging(schema, definitions, seen))
                || keywords.iter().any(|(keyword, part)| match (keyword.as_str(), part) {
                    ("properties" | "$defs", Value::Object(named)) => {
                        named.values().any(|schema| needs_judging(schema, definitions, seen))
                    }
                    ("enum" | "const" | "default" | "examples", _) => false,
                    (_, part) => needs_judging(part, definitions, seen),
                })
        }
        Value::Array(parts) => parts.iter().any(|part| needs_judging(part, definitions, seen)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn issues(schema: Value, value: Value) -> Vec<(String, String)> {
        let mut found = Found::default();
        let judge = Judge::of(&schema, &Map::new()).unwrap();
        judge.judge(&value, &Place::Key(&Place::Top, "x"), false, &mut found);
        found.issues.into_iter().map(|issue| (issue.path, issue.expected)).collect()
    }

    #[test]
    fn only_schemas_with_a_judged_keyword_have_a_validator() {
        let plain = json!({"type": "object", "properties": {"not": {"type": "string"}}, "enum": [{"if": 1}]});
        assert!(Judge::of(&plain, &Map::new()).unwrap().0.is_none());
        assert!(Judge::of(&json!({"items": {"not": {"type": "null"}}}), &Map::new()).unwrap().0.is_some());
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place_without_the_value() {
        let schema = json!({"type": "array", "items": {"type": "integer", "multipleOf": 5}});
        assert_eq!(issues(schema.clone(), json!([5, 10])), []);
        let told = issues(schema, json!([5, 7]));
        assert_eq!(told[0].0, "/x/1");
        assert!(told[0].1.contains("multiple of 5") && !told[0].1.contains('7'), "{}", told[0].1);
    }

    #[test]
    fn what_is_referred_to_or_stands_in_a_list_of_schemas_is_judged_too() {
        let definitions = json!({"Five": {"multipleOf": 5}, "Ring": {"items": {"$ref": "#/$defs/Ring"}}});
        let definitions = definitions.as_object().unwrap();
        for (schema, refused, accepted) in [
            (json!({"$ref": "#/$defs/Five"}), json!(7), json!(10)),
            (json!({"items": {"$ref": "#/$defs/Five"}}), json!([7]), json!([10])),
            (json!({"prefixItems": [{"multipleOf": 5}]}), json!([7]), json!([10])),
        ] {
            let judge = Judge::of(&schema, definitions).unwrap();
            let issues = |value: &Value| {
                let mut found = Found::default();
                judge.judge(value, &Place::Top, false, &mut found);
                found.issues.len()
            };
            assert_eq!((issues(&refused), issues(&accepted)), (1, 0), "{schema}");
        }
        assert!(Judge::of(&json!({"$ref": "#/$defs/Ring"}), definitions).unwrap().0.is_none());
    }
}
