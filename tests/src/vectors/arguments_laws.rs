//! The laws that bind schema and decoder together, on random values of types of the type language. (arguments.md §11)

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use tool_core::ToolDef;
use tool_core::test::{self, Expected, Mutation};

use super::arguments::{Decoded, by_schema, by_type, schema_only, told_by_type};
use super::random::Random;
use super::type_language;
use crate::rounds::rounds;

/// Values, and as many damaged ones, of each type.
fn values() -> usize {
    rounds(2_000)
}

/// The types, one per line.
const TYPES: &str = r#"
"bool"
"i8"
"i16"
"i32"
"i64"
"u8"
"u16"
"u32"
"u64"
"f32"
"f64"
"string"
"char"
"any"
["option", "u8"]
["option", ["option", "i16"]]
["option", ["list", "string"]]
["option", "any"]
["list", "u8"]
["list", "string"]
["list", "bool"]
["list", ["option", "f64"]]
["list", ["list", "u8"]]
["list", "any"]
["set", "u8"]
["set", "string"]
["set", ["tuple", "u8", "bool"]]
["tuple", "u8", "string"]
["tuple", ["list", "u8"], ["option", "bool"]]
["array", 3, "u8"]
["array", 2, ["list", "string"]]
["map", "u32"]
["map", ["option", "string"]]
["map", ["list", "f64"]]
["map", ["map", "bool"]]
["enum", "text", "binary"]
["enum", "Low", "LOW", "mid"]
["enum_doc", {"low": "Little.", "high": "Much."}]
["struct", {"id": "u32", "name": ["option", "string"], "tags?": ["list", "string"]}]
["list", ["struct", {"id": "u32", "name": ["option", "string"]}]]
["map", ["struct", {"id": "f32", "flag?": "bool"}]]
["struct", {"inner": ["struct", {"id": "i8"}], "more?": ["option", ["struct", {"id": "char"}]]}]
["struct", {"a": "any", "b?": "any", "c": ["option", "any"]}]
["tagged", "kind", {"circle": {"radius": "f64"}, "rect": {"w": "u8", "h?": "u8"}, "empty": {}}]
["list", ["tagged", "kind", {"a": {"b": ["option", "bool"]}, "B": {"b": "bool"}}]]
["option", ["tagged", "kind", {"a": {"list": ["list", "u8"]}}]]
["external", {"insert": null, "Delete": null, "replace": {"with": "u8", "all?": "bool"}, "raw": "string"}]
["list", ["external", {"insert": null, "replace": {"with": "u8"}}]]
["struct", {"edit": ["external", {"insert": null, "raw": ["list", "u8"]}], "n?": "u8"}]
["untagged", "u32", "string"]
["untagged", "u32", "bool"]
["untagged", "string", ["list", "string"]]
["untagged", ["struct", {"a": "u32"}], ["struct", {"b": "u32"}]]
["list", ["untagged", "i8", "bool"]]
["rec", "Node", ["struct", {"value": "i32", "children?": ["list", ["self", "Node"]]}]]
["rec", "List", ["struct", {"head": "u8", "next": ["option", ["self", "List"]]}]]
["rec", "Tree", ["untagged", "u8", ["list", ["self", "Tree"]]]]
"#;

/// Fewer types than promised are none of the laws'.
const LEAST_TYPES: usize = 40;

fn types() -> Vec<Value> {
    let lines = TYPES.lines().filter(|line| !line.is_empty());
    let types: Vec<Value> = lines.map(|line| serde_json::from_str(line).expect("a type per line")).collect();
    assert!(types.len() >= LEAST_TYPES, "only {} types", types.len());
    types
}

/// A tool with one parameter of a type, both ways, and what `jsonschema` says of its schema.
struct Subject {
    kind: Value,
    params: Value,
    typed: &'static ToolDef<'static>,
    /// The same, where the type is one that tells all.
    marked: &'static ToolDef<'static>,
    schema_only: &'static ToolDef<'static>,
    validator: Validator,
}

impl Subject {
    fn of(kind: &Value) -> Subject {
        let params = json!([{"name": "x", "type": kind}]);
        let typed = type_language::tool(&json!({ "params": params }));
        let schema = typed.input_schema().expect("a schema").schema();
        let validator = jsonschema::draft202012::new(schema).expect("a valid schema");
        let marked = told_by_type(typed, &params);
        Subject { kind: kind.clone(), params, typed, marked, schema_only: schema_only(typed), validator }
    }

    /// Law 4: both decoders say the same. Integers beyond 64 bits of the Rust type are told by types alone.
    fn decode(&self, input: &Value) -> Decoded {
        let by_type_of = |tool| by_type(tool, &self.params, Ok(input.clone()));
        let by_type = by_type_of(self.typed);
        let by_schema = by_schema(self.schema_only, Ok(input.clone()));
        // As text: the order of keys counts.
        let told = |decoded: &Decoded| match decoded {
            Ok((args, notes)) => json!({ "args": args, "notes": notes }).to_string(),
            Err(error) => error.to_json().to_string(),
        };
        let (type_says, schema_says) = (told(&by_type), told(&by_schema));
        let beyond =
            ["9223372036854775807", "18446744073709551615"].iter().any(|limit| type_says.contains(limit));
        let marked_says = told(&by_type_of(self.marked));
        assert_eq!(type_says, marked_says, "{input} of {}", self.kind);
        if type_says != schema_says && !beyond {
            panic!("{} of {}\nby type:   {type_says}\nby schema: {schema_says}", input, self.kind);
        }
        by_type
    }

    /// Law 2: a normal form is valid, and decoding it gives itself without a note.
    fn normal_form_is_stable(&self, normal: &Map<String, Value>, input: &Value) {
        let normal = Value::Object(normal.clone());
        assert!(self.validator.is_valid(&normal), "{normal} of {input} is not valid for {}", self.kind);
        match self.decode(&normal) {
            Ok((again, notes)) => {
                assert_eq!(Value::Object(again).to_string(), normal.to_string(), "{}", self.kind);
                assert!(notes.is_empty(), "{normal} for {} leaves {notes:?}", self.kind);
            }
            Err(error) => panic!("{normal}, the normal form of {input}, for {}: {error}", self.kind),
        }
    }
}

/// A value with whole doubles as integers, as normal forms have them where a type is a number.
fn same_meaning(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_meaning(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same_meaning(a, b)))
        }
        (a, b) => a == b,
    }
}

fn with_defaults(subject: &Subject, input: &Value) -> Value {
    let mut whole = input.clone();
    if whole.get("x").is_none() {
        match subject.kind[0].as_str().or(subject.kind.as_str()) {
            Some("bool") => whole["x"] = json!(false),
            Some("list" | "set") => whole["x"] = json!([]),
            _ => {}
        }
    }
    whole
}

#[test]
fn a_valid_value_decodes_without_notes_and_is_its_own_normal_form() {
    for (number, kind) in types().iter().enumerate() {
        let subject = Subject::of(kind);
        let mut random = Random::new(number as u64);
        let mut taken = 0;
        for _ in 0..values() {
            let mut input = json!({});
            if let Some(value) = random.value(kind, kind, 3) {
                input["x"] = value;
            }
            if !subject.validator.is_valid(&input) {
                // Untagged values of several alternatives, and floats for the integers in them.
                continue;
            }
            match subject.decode(&input) {
                Ok((normal, notes)) => {
                    let expected = with_defaults(&subject, &input);
                    let same = same_meaning(&Value::Object(normal.clone()), &expected);
                    assert!(same, "{input} for {kind} became {normal:?}");
                    assert!(notes.is_empty(), "{input} for {kind} leaves {notes:?}");
                    subject.normal_form_is_stable(&normal, &input);
                    taken += 1;
                }
                Err(error) => panic!("{input} is valid for {kind}, but: {error}"),
            }
        }
        assert!(taken * 2 > values(), "only {taken} of {} values are valid for {kind}", values());
    }
}

#[test]
fn what_is_not_valid_is_refused_or_noted_and_both_decoders_agree() {
    for (number, kind) in types().iter().enumerate() {
        let subject = Subject::of(kind);
        let mut random = Random::new(1_000_000 + number as u64);
        for _ in 0..values() {
            let mut input = json!({"x": random.value(kind, kind, 3).unwrap_or_default()});
            random.damage(&mut input);
            if !input.is_object() {
                continue;
            }
            if let Ok((normal, notes)) = subject.decode(&input) {
                let valid = subject.validator.is_valid(&input);
                assert!(valid || !notes.is_empty(), "{input} is not valid for {kind}, but gave {normal:?}");
                subject.normal_form_is_stable(&normal, &input);
            }
        }
    }
}

/// Why a decoder does not answer a change as it should.
fn misjudged(decoded: &Decoded, change: &Mutation) -> bool {
    let Mutation { path, expected, .. } = change;
    match (expected, decoded) {
        (Expected::Taken, Ok((_, notes))) => !notes.is_empty(),
        (Expected::Noted(rule), Ok((_, notes))) => !notes.contains(&json!({"path": path, "rule": rule})),
        (Expected::Refused(code), Err(error)) => {
            !error.arg_issues().iter().any(|issue| (&issue.path, &issue.code) == (path, code))
        }
        _ => true,
    }
}

#[test]
fn every_change_of_a_valid_value_is_answered_as_it_says() {
    for kind in types() {
        let subject = Subject::of(&kind);
        let schema = subject.typed.input_schema().expect("a schema").schema();
        let mut tried = 0;
        for value in test::values(schema).take(values() / 10) {
            for change in test::mutate(schema, &value) {
                // Another value that fits may have come out.
                let fits = subject.validator.is_valid(&change.value);
                if matches!(change.expected, Expected::Refused(_)) && fits {
                    continue;
                }
                let decoded = subject.decode(&change.value);
                assert!(!misjudged(&decoded, &change), "{change:?} of {value} for {kind}: {decoded:?}");
                tried += 1;
            }
        }
        assert!(tried > 0, "nothing was changed for {kind}");
    }
}

#[test]
fn arbitrary_json_never_panics() {
    let subjects: Vec<Subject> = types().iter().map(Subject::of).collect();
    let mut random = Random::new(42);
    for _ in 0..20_000 {
        let subject = &subjects[random.below(subjects.len())];
        let input = match random.below(3) {
            0 => random.json(4),
            _ => json!({"x": random.json(4)}),
        };
        let _ = subject.decode(&input);
    }
}
