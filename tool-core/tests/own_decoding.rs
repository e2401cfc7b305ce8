//! A type may refuse a value that its schema takes; the refusal stands at the place of the value, however deep.

#![allow(dead_code, reason = "what is decoded is only shown")]
#![allow(clippy::unwrap_used, reason = "it is a test throughout, its shared functions too")]

use std::collections::BTreeMap;
use std::ffi::CString;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry, ToolOutput};

/// An even number, for its schema any number.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "u32")]
#[schemars(with = "u32")]
struct Even(u32);

impl TryFrom<u32> for Even {
    type Error = &'static str;

    fn try_from(number: u32) -> Result<Even, &'static str> {
        if number.is_multiple_of(2) { Ok(Even(number)) } else { Err("an even number") }
    }
}

/// What holds one.
#[derive(Debug, Deserialize, JsonSchema)]
struct Holder {
    /// The number.
    n: Even,
}

/// One way or another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// By that much.
    By(Even),
    /// Within that.
    In { n: Even },
}

/// Takes even numbers.
#[tool(register = false)]
#[allow(clippy::too_many_arguments, reason = "each is one place")]
fn evens(
    /// Alone.
    #[arg(aliases = ["lone"])]
    one: Even,
    /// Perhaps.
    maybe: Option<Even>,
    /// With a default.
    #[arg(default = 2, with = even, schema_with = number)]
    filled: u32,
    /// Several.
    list: Vec<Even>,
    /// Of a struct.
    holder: Holder,
    /// Of a map.
    map: BTreeMap<String, Even>,
    /// Of cases.
    steps: Vec<Step>,
    /// Two.
    pair: (Even, Even),
) -> String {
    format!("{one:?} {maybe:?} {filled} {list:?} {holder:?} {map:?} {steps:?} {pair:?}")
}

mod even {
    use serde::Deserialize as _;

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        super::Even::deserialize(from).map(|even| even.0)
    }

    pub(super) fn serialize<S: serde::Serializer>(number: &u32, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(*number)
    }
}

fn number(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    u32::json_schema(generator)
}

fn call(args: Value) -> Result<ToolOutput, ToolError> {
    let registry = Registry::builder().add::<EvensTool>().build().map_err(ToolError::from)?;
    Executor::standard(registry).build()?.call_blocking(
        Call::new("evens", args),
        &ToolContext::empty(),
        Caller::Test,
    )
}

fn args(number: u32) -> Value {
    json!({
        "lone": number,
        "maybe": number,
        "filled": number,
        "list": [2, number],
        "holder": {"n": number},
        "map": {"a/b": number},
        "steps": [{"by": number}, {"in": {"n": number}}],
        "pair": [2, number],
    })
}

#[test]
fn a_refusal_stands_at_the_place_of_the_value() {
    let error = call(args(3)).unwrap_err();
    let issues: Vec<(&str, &str, &str, &str)> = error
        .arg_issues()
        .iter()
        .map(|issue| (issue.path.as_str(), issue.code.as_str(), issue.expected.as_str(), issue.got.as_str()))
        .collect();
    let places =
        ["/lone", "/maybe", "/filled", "/list/1", "/holder/n", "/map/a~1b", "/steps/0/by", "/pair/1"];
    assert_eq!(issues, places.map(|place| (place, "invalid", "an even number", "integer 3")));
    assert!(call(args(4)).is_ok());
}

#[test]
fn a_lone_value_of_a_list_is_refused_where_the_caller_wrote_it() {
    let with = |name: &str, list: Value| {
        let mut args = args(4);
        args[name] = list;
        call(args).map_err(|error| error.arg_issues()[0].path.clone())
    };
    assert_eq!(with("list", json!(3)).unwrap_err(), "/list");
    assert_eq!(with("list", json!("3")).unwrap_err(), "/list");
    assert_eq!(with("steps", json!({"by": "3"})).unwrap_err(), "/steps/by");
    assert_eq!(with("steps", json!([{"by": "3"}])).unwrap_err(), "/steps/0/by");
    assert!(with("list", json!("6")).is_ok() && with("steps", json!({"by": "6"})).is_ok());
}

/// Bytes, which serde reads from an array or a text.
#[derive(Debug, Deserialize, JsonSchema)]
struct Bytes(#[schemars(with = "Vec<u8>")] CString);

/// A choice that its schema does not tell.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(with = "String")]
enum Hidden {
    Slow,
    Quick,
}

/// A number that repeats why it was refused.
#[derive(Debug, JsonSchema)]
#[schemars(with = "Value")]
struct Pages(u8);

impl<'de> Deserialize<'de> for Pages {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Pages, D::Error> {
        let told = |error| serde::de::Error::custom(format!("pages: {error}"));
        u8::deserialize(from).map(Pages).map_err(told)
    }
}

/// Takes what its schema says less about than its types.
#[tool(register = false)]
fn silent(
    /// Bytes.
    bytes: Option<Bytes>,
    /// Two of a list.
    #[arg(schema_with = numbers)]
    pair: Option<(u8, u8)>,
    /// A choice.
    mode: Option<Hidden>,
    /// Pages.
    pages: Option<Pages>,
) -> String {
    format!("{bytes:?} {pair:?} {mode:?} {pages:?}")
}

fn numbers(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    Vec::<u8>::json_schema(generator)
}

#[test]
fn what_only_the_type_knows_is_told_in_the_words_of_the_decoder() {
    let call = |args: Value| {
        let registry = Registry::builder().add::<SilentTool>().build().unwrap();
        let executor = Executor::standard(registry).build().unwrap();
        executor.call_blocking(Call::new("silent", args), &ToolContext::empty(), Caller::Test)
    };
    for (args, path, code, expected) in [
        (json!({"pair": [1]}), "/pair", "length", "array of 2 items"),
        (json!({"pair": [1, 2, 3]}), "/pair", "length", "array of 2 items"),
        (json!({"mode": "fast"}), "/mode", "choice", "one of \"slow\", \"quick\""),
        (json!({"mode": ""}), "/mode", "type", "one of \"slow\", \"quick\""),
        (json!({"pages": "many"}), "/pages", "invalid", "pages: integer 0..=255"),
    ] {
        let error = call(args.clone()).unwrap_err();
        let issue = error.arg_issues().first().unwrap();
        let told = (issue.path.as_str(), issue.code.as_str(), issue.expected.as_str());
        assert_eq!(told, (path, code, expected), "{args}");
    }
    for (args, shown) in [
        (json!({"bytes": [104, 105]}), "Bytes(\"hi\")"),
        (json!({"pair": [1, 2]}), "(1, 2)"),
        (json!({"mode": "quick"}), "Quick"),
        (json!({"pages": 7}), "Pages(7)"),
    ] {
        let output = call(args.clone()).unwrap().data().to_string();
        assert!(output.replace('\\', "").contains(shown), "{args}: {output}");
    }
}
