//! Values of a schema for proptest: all satisfy it, and of those that fail a test the smallest is found.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at what it cannot build")]

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use serde_json::{Value, json};
use tool_core::test::strategy;

fn runner() -> TestRunner {
    let config = Config { cases: tool_trials::cases(), failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// The smallest value for which something does not hold.
fn smallest(schema: &Value, holds: impl Fn(&Value) -> bool) -> Value {
    let judge = jsonschema::draft202012::new(schema).unwrap();
    let test = |value: Value| {
        assert!(judge.is_valid(&value), "{value} is no value of {schema}");
        if holds(&value) {
            Ok(())
        } else {
            Err(proptest::test_runner::TestCaseError::fail("it does not hold"))
        }
    };
    match runner().run(&strategy(schema), test) {
        Err(TestError::Fail(_, value)) => value,
        other => panic!("it held: {other:?}"),
    }
}

fn object() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "limit": {"type": "integer", "minimum": -5, "maximum": 90},
            "ratio": {"type": "number"},
            "deep": {"type": "boolean"},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

#[test]
fn what_fails_is_made_as_small_as_the_schema_lets_it() {
    let schema = object();
    let path_of_one = |rest: Value| {
        let mut value = json!({"path": "x"});
        value.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        value
    };
    let without_path = |mut value: Value| {
        assert_eq!(value["path"].as_str().unwrap().chars().count(), 1, "{value}");
        value["path"] = "x".into();
        value
    };
    let found = |holds: fn(&Value) -> bool| without_path(smallest(&schema, holds));
    assert_eq!(found(|_| false), path_of_one(json!({})));
    assert_eq!(found(|value| value.get("limit").is_none()), path_of_one(json!({"limit": 0})));
    assert_eq!(
        found(|value| value["limit"].as_i64().is_none_or(|limit| limit < 17)),
        path_of_one(json!({"limit": 17}))
    );
    assert_eq!(
        found(|value| value["limit"].as_i64().is_none_or(|limit| limit > -3)),
        path_of_one(json!({"limit": -3}))
    );
    assert_eq!(found(|value| value["deep"] != true), path_of_one(json!({"deep": true})));
    assert_eq!(found(|value| value.get("deep").is_none()), path_of_one(json!({"deep": false})));
    let names = found(|value| value["names"].as_array().is_none_or(|names| names.len() < 3));
    assert_eq!(names, path_of_one(json!({"names": ["", "", ""]})));
    let long = found(|value| {
        !value["names"].as_array().into_iter().flatten().any(|name| name.as_str().unwrap().len() > 4)
    });
    assert_eq!(long["names"].as_array().map(Vec::len), Some(1), "{long}");
    let ratio = found(|value| value["ratio"].as_f64().is_none_or(|ratio| ratio <= 5.0));
    assert_eq!(ratio, path_of_one(json!({"ratio": 6})));
    let huge =
        found(|value| value["ratio"].as_f64().is_none_or(|ratio| ratio < 1e19))["ratio"].as_f64().unwrap();
    assert!((1e19..2e19).contains(&huge), "{huge}");
}

#[test]
fn a_value_is_kept_where_nothing_smaller_fails() {
    let schema = json!({"type": "integer", "minimum": 40, "maximum": 50});
    assert_eq!(smallest(&schema, |_| false), 40);
    assert_eq!(smallest(&schema, |value| value.as_i64().unwrap() % 7 != 0), 42);
    assert_eq!(smallest(&json!({"enum": ["a", "b"]}), |value| value != "b"), "b");
    assert_eq!(smallest(&json!({"type": "null"}), |_| false), json!(null));
}

#[test]
fn what_is_tried_in_vain_is_taken_back() {
    let mut tree =
        strategy(&json!({"type": "integer", "minimum": 10, "maximum": 10})).new_tree(&mut runner()).unwrap();
    assert_eq!(
        (tree.current(), tree.simplify(), tree.complicate(), tree.current()),
        (json!(10), false, false, json!(10))
    );
    let mut tree =
        strategy(&json!({"type": "integer", "minimum": 8, "maximum": 16})).new_tree(&mut runner()).unwrap();
    let first = tree.current();
    while tree.simplify() {
        // Whatever is tried holds.
        while tree.complicate() {}
        assert_eq!(tree.current(), first);
    }
    assert_eq!(tree.current(), first);
}

#[test]
fn a_schema_that_is_none_or_has_no_values_is_told() {
    let told = |schema: Value| strategy(&schema).new_tree(&mut runner()).unwrap_err().message().to_owned();
    assert_eq!(told(json!({"type": "strin"})), "the schema is not valid");
    assert_eq!(
        told(json!({"type": "string", "pattern": "^nobody has this text$"})),
        "no value that was tried satisfies the schema"
    );
    assert!(strategy(&json!({"type": "string"})).new_tree(&mut runner()).is_ok());
}
