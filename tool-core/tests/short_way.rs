//! Text that takes the short way to values gives what the whole way gives: from good arguments on, with every byte of them taken
//! away, doubled or replaced. (arguments.md §6)

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::args::{MAX_ARGS_BYTES, parse_arguments};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry, ToolResult};

/// Where it is.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Place {
    #[serde(alias = "road")]
    street: String,
    number: u8,
    #[serde(default)]
    floor: Option<i64>,
    tags: Vec<String>,
    sort: Option<Sort>,
    near: Option<Box<Place>>,
}

/// What it is.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    House,
    Flat,
}

/// Gives back what it was given.
#[tool]
fn visit(
    /// A struct.
    place: Option<Place>,
    /// Structs.
    places: Vec<Place>,
    /// A name.
    sort: Option<Sort>,
    /// A pair.
    pair: Option<(i32, String)>,
    /// Numbers in rows.
    rows: Vec<Vec<f64>>,
    /// A flag.
    flag: bool,
) -> Value {
    json!([place, places, sort, pair, rows, flag])
}

const GOOD: &[&str] = &[
    r#"{"place":{"street":"A","number":7,"floor":-1,"tags":["x","y\n"],"sort":"flat","near":{"road":"B","number":0,"tags":[]}}}"#,
    r#"{"places":[{"street":"\"C\" \u00e9 \\","number":255,"tags":["1"]},{"street":"","number":10,"tags":[""],"sort":"house"}]}"#,
    r#"{"sort":"house","pair":[-12,"p"],"rows":[[1,2.5,-0.5,10.25],[],[0]],"flag":true}"#,
];

/// What every byte is replaced with in turn.
const BYTES: &str = "{}[]\":,\\ 019-.eEntaéZ\n\u{0}";

fn told(result: ToolResult) -> String {
    match result {
        Ok(output) => json!([output.structured, output.meta]).to_string(),
        Err(error) => error.to_json().to_string(),
    }
}

#[test]
fn what_is_wrong_by_a_byte_is_told_and_read_as_on_the_whole_way() {
    let registry = Registry::builder().add::<VisitTool>().build().expect("a registry");
    let executor = Executor::standard(registry).build().expect("an executor");
    let mut texts: BTreeSet<String> = GOOD.iter().map(|text| (*text).to_owned()).collect();
    for text in GOOD {
        for (at, character) in text.char_indices() {
            let (before, behind) = (&text[..at], &text[at + character.len_utf8()..]);
            texts.insert(format!("{before}{behind}"));
            texts.insert(format!("{before}{character}{character}{behind}"));
            texts.extend(BYTES.chars().map(|other| format!("{before}{other}{behind}")));
        }
    }
    let (mut taken, mut refused) = (0, 0);
    for text in &texts {
        let short = executor.call_text_blocking("visit", text, &ToolContext::empty(), Caller::Test);
        *(if short.is_ok() { &mut taken } else { &mut refused }) += 1;
        let Ok(args) = parse_arguments(text, MAX_ARGS_BYTES) else {
            assert!(short.is_err(), "{text} is no object");
            continue;
        };
        let whole = executor.call_blocking(Call::new("visit", args), &ToolContext::empty(), Caller::Test);
        assert_eq!(told(short), told(whole), "{text}");
    }
    assert!(taken > 300 && refused > 5000, "{taken} {refused}");
}
