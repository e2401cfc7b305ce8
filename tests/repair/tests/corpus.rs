//! The corpus says what it claims: each call is broken, once, and what was meant is taken without a note.

use std::collections::BTreeSet;

use repair::arguments::NAMES;
use repair::case::kinds;
use repair::{Answer, Ours, Subject, corpus};
use serde_json::Value;

#[test]
fn every_call_is_broken_and_there_once() {
    let mut seen = BTreeSet::new();
    for case in corpus() {
        assert_ne!(serde_json::from_str(&case.sent).ok(), Some(case.meant.clone()), "{case:?}");
        assert!(seen.insert((case.tool.clone(), case.sent.clone())), "twice: {case:?}");
    }
    assert!(seen.len() >= 300, "{}", seen.len());
}

#[test]
fn every_tool_has_calls_and_the_kinds_that_models_are_known_for_are_there() {
    let cases = corpus();
    for tool in NAMES {
        assert!(cases.iter().filter(|case| case.tool == *tool).count() >= 20, "{tool}");
    }
    let kinds = kinds(&cases);
    for kind in [
        "all_strings",
        "boolean_words",
        "choice_case",
        "dotted_keys",
        "extra_key",
        "json_in_string",
        "json_text",
        "key_style",
        "list_for_single",
        "missing",
        "misspelt_key",
        "null_for_absent",
        "number_for_string",
        "out_of_range",
        "single_for_list",
        "string_for_integer",
        "stringified_arguments",
        "units",
        "wrapped",
        "wrong_nesting",
    ] {
        assert!(kinds.contains(&kind), "{kind}");
        assert!(cases.iter().filter(|case| case.kind == kind).count() >= 8, "{kind}");
    }
}

#[test]
fn what_was_meant_reaches_the_function_as_it_is() {
    let mut ours = Ours::new().unwrap();
    for case in corpus() {
        let Answer::Ran(received) = ours.call(&case.tool, &case.meant.to_string()) else {
            panic!("{} refuses {}", case.tool, case.meant);
        };
        for (name, meant) in case.meant.as_object().into_iter().flatten() {
            assert!(is_within(meant, &received[name]), "{} {name}: {received}", case.tool);
        }
    }
}

/// Whether all that was meant is there; defaults may be besides, and whole numbers may have become floats.
fn is_within(meant: &Value, received: &Value) -> bool {
    match (meant, received) {
        (Value::Object(meant), Value::Object(received)) => {
            meant.iter().all(|(name, value)| received.get(name).is_some_and(|found| is_within(value, found)))
        }
        (Value::Array(meant), Value::Array(received)) => {
            meant.len() == received.len() && meant.iter().zip(received).all(|(a, b)| is_within(a, b))
        }
        (Value::Number(meant), Value::Number(received)) => meant.as_f64() == received.as_f64(),
        _ => meant == received,
    }
}
