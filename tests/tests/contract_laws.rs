//! What the comparison of contracts says of random schemas: the direction of a known change, and that whatever shuts out a
//! value is breaking. (registry.md, acceptance 10)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use serde_json::{Map, Value, json};
use tool_core::contract::{Change, Class, Entry, compare, worst};
use tool_core::test::{Random, Values};

/// Pairs of schemas.
const PAIRS: u64 = 500;

#[test]
fn a_change_of_known_direction_is_told_as_that() {
    let mut met = Map::new();
    for seed in 0..PAIRS {
        let mut random = Random::new(seed);
        let old = object(&mut random, 2);
        let (new, change) = changed(&mut random, &old);
        let changes = compared(&old, &new);
        let told: Vec<(&str, &str)> =
            changes.iter().map(|change| (change.code, change.path.as_str())).collect();
        assert_eq!(
            told,
            [(change.code, change.path.as_str())],
            "seed {seed}, {}:\n{old}\n{new}",
            change.name
        );
        met.insert(change.name.to_owned(), Value::Null);
    }
    assert_eq!(met.len(), CHANGES.len(), "only {:?} were tried", met.keys().collect::<Vec<_>>());
}

#[test]
fn a_schema_that_shuts_out_a_value_is_a_breaking_change() {
    let (mut breaking, mut kept) = (0, 0);
    for seed in 0..PAIRS {
        let mut random = Random::new(1_000_000 + seed);
        let mut old = object(&mut random, 2);
        // A third of the pairs have little in common, the others a few changes between them or other alternatives.
        let new = match random.below(3) {
            0 => object(&mut random, 2),
            1 => (0..=random.below(3)).fold(old.clone(), |schema, _| changed(&mut random, &schema).0),
            _ => {
                let mut new = old.clone();
                for schema in [&mut old, &mut new] {
                    schema["anyOf"] = alternatives(&mut random);
                }
                new
            }
        };
        let (takes, still_takes) = (validator(&old), validator(&new));
        let mut values = Values::new(seed);
        let shut_out = (0..200)
            .map(|_| values.of(&old))
            .find(|value| takes.is_valid(value) && !still_takes.is_valid(value));
        let class = worst(&compared(&old, &new));
        if let Some(value) = shut_out {
            assert_eq!(class, Class::Breaking, "seed {seed}: {value} is taken no more:\n{old}\n{new}");
            breaking += 1;
        } else {
            kept += u64::from(class < Class::Breaking);
        }
    }
    assert!(breaking * 4 > PAIRS, "only {breaking} pairs had a value that tells them apart");
    assert!(kept * 20 > PAIRS, "only {kept} pairs kept every value");
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::draft202012::new(schema).unwrap()
}

/// Two tools that have one parameter, an object of that schema.
fn compared(old: &Value, new: &Value) -> Vec<Change> {
    let entry = |schema: &Value| -> Entry {
        let input = json!({"type": "object", "properties": {"it": schema}, "required": ["it"], "additionalProperties": false});
        serde_json::from_value(json!({"name": "tool", "params": [{"name": "it"}], "input": input})).unwrap()
    };
    compare(&[entry(old)], &[entry(new)])
}

/// A canonical schema of an object.
fn object(random: &mut Random, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in ["a", "b", "c", "d"].iter().take(1 + random.below(4)) {
        properties.insert((*name).to_owned(), schema(random, depth));
        if random.one_in(2) {
            required.push(*name);
        }
    }
    let mut object =
        json!({"type": "object", "properties": properties, "additionalProperties": random.one_in(4)});
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn schema(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 5 } else { 11 }) {
        0 => json!({"type": "boolean"}),
        1 => json!({"type": "integer", "minimum": random.between(-9, 0), "maximum": random.between(10, 99)}),
        2 => json!({"type": "number", "minimum": random.between(-9, 0)}),
        3 => json!({"type": "string", "minLength": random.between(1, 2), "maxLength": random.between(5, 9)}),
        4 => json!({"type": "string", "enum": ["low", "mid", "high"]}),
        5 => json!({"type": "array", "items": schema(random, depth - 1), "maxItems": random.between(3, 6)}),
        6 => json!({"type": "object", "additionalProperties": schema(random, depth - 1)}),
        7 => json!({"anyOf": [schema(random, depth - 1), {"type": "null"}]}),
        8 => json!({"oneOf": [tagged(random, "one"), tagged(random, "two")]}),
        9 => {
            let mut object = object(random, depth - 1);
            object["anyOf"] = alternatives(random);
            object
        }
        _ => object(random, depth - 1),
    }
}

/// One of two names must be there.
fn alternatives(random: &mut Random) -> Value {
    let mut name = || *random.pick(&["a", "b", "c", "d"]).unwrap();
    json!([{"required": [name()]}, {"required": [name()]}])
}

/// An object that a tag tells from others.
fn tagged(random: &mut Random, tag: &str) -> Value {
    let mut object = object(random, 0);
    object["properties"]["tag"] = json!({ "const": tag });
    match object["required"].as_array_mut() {
        Some(required) => required.push(json!("tag")),
        None => object["required"] = json!(["tag"]),
    }
    object
}

/// A change that was made to a schema.
struct Made {
    name: &'static str,
    code: &'static str,
    path: String,
}

/// What is changed where: none where the change does not apply.
type Apply = fn(&mut Map<String, Value>) -> Option<()>;

const WIDER: &str = "input_widened";
const NARROWER: &str = "input_narrowed";
const OTHER: &str = "input_changed";

/// Every kind of change, with the code that it has.
const CHANGES: [(&str, &str, Apply); 19] = [
    ("bound moved outwards", WIDER, |schema| shift(schema, "minimum", -1)),
    ("bound moved inwards", NARROWER, |schema| shift(schema, "minimum", 1)),
    ("upper bound moved outwards", WIDER, |schema| shift(schema, "maximum", 1)),
    ("upper bound moved inwards", NARROWER, |schema| shift(schema, "maximum", -1)),
    ("bound dropped", WIDER, |schema| drop_key(schema, "maximum")),
    ("integer to number", WIDER, |schema| replace(schema, "type", &json!("integer"), json!("number"))),
    ("longer texts", WIDER, |schema| shift(schema, "maxLength", 1)),
    ("shorter texts", NARROWER, |schema| shift(schema, "maxLength", -1)),
    ("no empty text more", NARROWER, |schema| shift(schema, "minLength", 1)),
    ("pattern added", NARROWER, |schema| {
        schema
            .contains_key("maxLength")
            .then(|| schema.insert("pattern".to_owned(), json!("^[a-z]*$")))?
            .map_or(Some(()), |_| None)
    }),
    ("case added", WIDER, |schema| {
        schema.get_mut("enum")?.as_array_mut()?.push(json!("more"));
        Some(())
    }),
    ("case removed", NARROWER, |schema| schema.get_mut("enum")?.as_array_mut()?.pop().map(drop)),
    ("case replaced", OTHER, |schema| {
        schema.get_mut("enum")?.as_array_mut()?.first_mut().map(|case| *case = json!("new"))
    }),
    ("longer lists", WIDER, |schema| shift(schema, "maxItems", 1)),
    ("shorter lists", NARROWER, |schema| shift(schema, "maxItems", -1)),
    ("each item once", NARROWER, |schema| {
        schema
            .contains_key("maxItems")
            .then(|| schema.insert("uniqueItems".to_owned(), json!(true)))?
            .map_or(Some(()), |_| None)
    }),
    ("opened", WIDER, |schema| replace(schema, "additionalProperties", &json!(false), json!(true))),
    ("closed", NARROWER, |schema| replace(schema, "additionalProperties", &json!(true), json!(false))),
    ("another type", OTHER, |schema| replace(schema, "type", &json!("boolean"), json!("null"))),
];

fn shift(schema: &mut Map<String, Value>, key: &str, by: i64) -> Option<()> {
    let bound = schema.get_mut(key)?;
    *bound = json!(bound.as_i64()? + by);
    Some(())
}

fn drop_key(schema: &mut Map<String, Value>, key: &str) -> Option<()> {
    schema.shift_remove(key).map(drop)
}

fn replace(schema: &mut Map<String, Value>, key: &str, old: &Value, new: Value) -> Option<()> {
    let value = schema.get_mut(key).filter(|value| *value == old)?;
    *value = new;
    Some(())
}

/// The schema after one change, at some place of it.
fn changed(random: &mut Random, schema: &Value) -> (Value, Made) {
    let mut places = Vec::new();
    visit(schema, "", "/it", &mut places);
    loop {
        let (pointer, path) = random.pick(&places).unwrap();
        let (name, code, apply) = random.pick(&CHANGES).unwrap();
        let mut new = schema.clone();
        if apply(new.pointer_mut(pointer).unwrap().as_object_mut().unwrap()).is_some() {
            return (new, Made { name, code, path: path.clone() });
        }
    }
}

/// Where the schemas of a schema are, and how their place is told.
fn visit(schema: &Value, pointer: &str, path: &str, places: &mut Vec<(String, String)>) {
    places.push((pointer.to_owned(), path.to_owned()));
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        visit(property, &format!("{pointer}/properties/{name}"), &format!("{path}/{name}"), places);
    }
    for key in ["items", "additionalProperties"] {
        if schema[key].is_object() {
            visit(&schema[key], &format!("{pointer}/{key}"), &format!("{path}/*"), places);
        }
    }
}
