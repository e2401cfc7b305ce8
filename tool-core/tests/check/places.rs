//! The places of a tool's arguments, and what is said around each.

use serde_json::{Value, json};
use tool_core::contract::{Place, Subject};
use tool_core::def::LogMode;
use tool_core::{Registry, tool};

use crate::sets::{closed, one, set, typed, with};

/// Each place, with its role, its level, and what else is said of it.
fn places(registry: &Registry) -> Vec<String> {
    let subject = Subject::of(registry, registry.iter().next().unwrap());
    let line = |place: &Place<'_>| {
        let said = [
            place.name.map(|name| format!(" {name}")),
            place.param.map(|param| format!(" param={}", param.name)),
            place.told.then(|| " told".to_owned()),
            place.logged.then(|| " logged".to_owned()),
        ];
        format!(
            "{} {:?} {}{}",
            place.path,
            place.role,
            place.level,
            said.map(Option::unwrap_or_default).concat()
        )
    };
    let mut lines: Vec<String> = subject.places().iter().map(line).collect();
    lines.sort();
    lines
}

fn text() -> Value {
    json!({"type": "string"})
}

#[test]
fn every_part_of_a_schema_is_a_place() {
    let schema = closed(
        json!({
            "list": {"type": "array", "items": {"type": "array", "items": text()}},
            "map": {"type": "object", "additionalProperties": text(), "patternProperties": {"^x": {"type": "integer"}}},
            "pair": {"type": "array", "prefixItems": [text(), {"type": "integer"}]},
            "either": {"anyOf": [{"type": "integer"}, closed(json!({"size": text()}), &[]), {"type": "null"}]},
            "beside": {"type": "string", "anyOf": [{"minLength": 1}, {"anyOf": [{"pattern": "a"}]}]},
            "not": {"type": "string", "not": {"const": "a"}},
        }),
        &[],
    );
    let expected = [
        " Root 0",
        "/beside Param 1 beside param=beside",
        "/beside Part 1",
        "/beside Part 1",
        "/beside Part 1",
        "/either Branch 1",
        "/either Branch 1",
        "/either Param 1 either param=either",
        "/either/size Field 2 size",
        "/list Param 1 list param=list",
        "/list/* Item 2",
        "/list/*/* Item 3",
        "/map Param 1 map param=map",
        "/map/* Item 2",
        "/map/* Item 2",
        "/not Param 1 not param=not",
        "/pair Param 1 pair param=pair",
        "/pair/0 Item 2",
        "/pair/1 Item 2",
    ];
    assert_eq!(places(&one(schema)), expected);
}

#[test]
fn a_definition_is_entered_once() {
    let node = closed(json!({"next": {"$ref": "#/$defs/Node"}, "word": text()}), &[]);
    let mut schema = closed(json!({"a": {"$ref": "#/$defs/Node"}, "b": {"$ref": "#/$defs/Node"}}), &[]);
    schema["$defs"] = json!({ "Node": node });
    let expected = [
        " Root 0",
        "/a Branch 1",
        "/a Param 1 a param=a",
        "/a/next Field 2 next",
        "/a/word Field 2 word",
        "/b Param 1 b param=b",
    ];
    assert_eq!(places(&one(schema)), expected);
}

#[test]
fn the_sole_content_of_a_case_is_told_by_the_case() {
    let case = |properties: Value, description: Option<&str>| {
        let mut case = closed(properties, &[]);
        if let Some(description) = description {
            case["description"] = description.into();
        }
        json!({"anyOf": [case, {"type": "integer"}]})
    };
    let schema = closed(
        json!({
            "sole": case(json!({"a": {"type": "array", "items": text()}}), Some("What a is.")),
            "two": case(json!({"a": text(), "b": text()}), Some("What both are.")),
            "untold": case(json!({"a": text()}), None),
            "no_case": {"type": "object", "description": "What a is.", "properties": {"a": text()}},
        }),
        &[],
    );
    let told: Vec<String> = places(&one(schema)).into_iter().filter(|line| line.contains(" told")).collect();
    assert_eq!(told, ["/sole/a Field 2 a told"]);
}

#[test]
fn what_is_below_a_place_that_says_how_it_is_logged_is_logged_so() {
    let boxed = |mut schema: Value, key: &str, value: Value| {
        schema[key] = value;
        schema
    };
    let inner = closed(json!({"pin": text(), "said": {"type": "string", "x-log": "hash"}}), &[]);
    let schema = closed(
        json!({
            "open": inner,
            "log": boxed(inner.clone(), "x-log", json!("hash")),
            "write": boxed(inner.clone(), "writeOnly", json!(true)),
            "read": boxed(inner.clone(), "writeOnly", json!(false)),
            "keyed": inner,
            "pin": {"type": "array", "items": text()},
        }),
        &[],
    );
    let registry = set([with("find_things", schema, |tool| {
        tool.param("keyed", |param| param.log(LogMode::Hash)).param("pin", |param| param.secret())
    })]);
    let logged: Vec<String> =
        places(&registry).into_iter().filter(|line| line.ends_with(" logged")).collect();
    let expected = [
        "/keyed Param 1 keyed param=keyed logged",
        "/keyed/pin Field 2 pin logged",
        "/keyed/said Field 2 said logged",
        "/log Param 1 log param=log logged",
        "/log/pin Field 2 pin logged",
        "/log/said Field 2 said logged",
        "/open/said Field 2 said logged",
        "/pin Param 1 pin param=pin logged",
        "/pin/* Item 2 logged",
        "/read/said Field 2 said logged",
        "/write Param 1 write param=write logged",
        "/write/pin Field 2 pin logged",
        "/write/said Field 2 said logged",
    ];
    assert_eq!(logged, expected);
}

/// What is found.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Key {
    /// The key.
    key: String,
}

/// Finds by a key.
#[tool(register = false)]
fn find_key(
    #[arg(flatten)] key: Key,
    /** Another one. */
    other: Key,
) -> String {
    key.key + &other.key
}

#[test]
fn what_a_flattened_parameter_holds_is_not_that_parameter() {
    let expected =
        [" Root 0", "/key Param 1 key", "/other Param 1 other param=other", "/other/key Field 2 key"];
    assert_eq!(places(&typed::<FindKeyTool>()), expected);
}
