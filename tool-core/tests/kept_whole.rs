//! What a caller sent reaches the function whole, or is refused: where serde would read something else than the schema, or
//! drop a part, there is an issue.

#![allow(dead_code, reason = "what is decoded is only shown")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry, Tool};

/// A struct that serde also reads from an array.
#[derive(Debug, Deserialize, JsonSchema)]
struct Point {
    /// Across.
    x: i32,
    /// Name.
    name: Option<String>,
}

/// The lesser alternative first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Open {
    /// By number.
    Id { id: u32 },
    /// By number and name.
    Both { id: u32, name: String },
    /// A place.
    Place(Point),
    /// Numbers.
    List(Vec<Option<i32>>),
}

/// The same, closed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Closed {
    /// By number.
    Id { id: u32 },
    /// By number and name.
    Both { id: u32, name: String },
}

/// The greater alternative first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Ordered {
    /// By number and name.
    Both { id: u32, name: String },
    /// By number.
    Id { id: u32 },
    /// A pair.
    Pair(i32, i32),
    /// A struct, which no array reaches.
    Point { x: i32, y: i32 },
}

/// A struct whose fields have defaults.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Filled {
    /// Across.
    x: i32,
    /// Weight.
    weight: f64,
    /// Count.
    count: u8,
}

/// A struct before a list of numbers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Short {
    /// A struct.
    Filled(Filled),
    /// Numbers.
    Bytes(Vec<u8>),
}

/// Shows what it got.
#[tool(register = false)]
fn show(
    /// Anything.
    #[arg(any)]
    any: Option<Value>,
    /// By number.
    numbers: Option<BTreeMap<i32, bool>>,
    /// Alternatives.
    open: Option<Open>,
    /// Alternatives.
    closed: Option<Closed>,
    /// Alternatives.
    ordered: Vec<Ordered>,
    /// Alternatives.
    short: Option<Short>,
    /// Alternatives of each key.
    map: Option<BTreeMap<String, Vec<Open>>>,
) -> String {
    format!("{any:?} {numbers:?} {open:?} {closed:?} {ordered:?} {short:?} {map:?}")
}

fn call(args: Value) -> Result<String, Vec<(String, String)>> {
    call_of::<ShowTool>("show", args)
}

fn call_of<T: Tool>(name: &str, args: Value) -> Result<String, Vec<(String, String)>> {
    let registry = Registry::builder().add::<T>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let called = executor.call_blocking(Call::new(name, args), &ToolContext::empty(), Caller::Test);
    let told = |issue: &tool_core::ArgIssue| (issue.path.clone(), issue.code.as_str().to_owned());
    called
        .map(|output| output.data().as_str().unwrap_or_default().to_owned())
        .map_err(|error| error.arg_issues().iter().map(told).collect())
}

fn taken(args: Value, expected: &str) {
    let shown = call(args.clone()).unwrap_or_else(|issues| panic!("{args}: {issues:?}"));
    assert!(shown.contains(expected), "{args}: {shown}");
}

fn refused(args: Value, path: &str, code: &str) {
    assert_eq!(call(args.clone()), Err(vec![(path.to_owned(), code.to_owned())]), "{args}");
}

#[test]
fn text_that_serde_json_would_read_for_an_object_is_refused() {
    for key in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
        refused(json!({"any": {key: "{\"path\":\"/etc\"}"}}), "/any", "invalid");
        refused(json!({"any": [1, {"a": {key: "1"}}]}), "/any/1/a", "invalid");
        taken(json!({"any": {"a": key}}), key);
    }
}

#[test]
fn keys_that_mean_one_number_are_not_two() {
    refused(json!({"numbers": {"7": true, "007": false}}), "/numbers/007", "duplicate");
    refused(json!({"numbers": {"-01": true, "2": true, "-1": "false"}}), "/numbers/-1", "duplicate");
    taken(json!({"numbers": {"007": true, "8": false}}), "{7: true, 8: false}");
}

#[test]
fn an_alternative_that_would_drop_a_member_is_not_taken() {
    refused(json!({"open": {"id": 1, "name": "a"}}), "/open", "ambiguous");
    refused(json!({"open": {"id": "1", "name": "a"}}), "/open", "ambiguous");
    refused(json!({"map": {"a": {"id": 1, "name": "a"}}}), "/map/a", "ambiguous");
    taken(json!({"open": {"id": 1}}), "Id { id: 1 }");
    taken(json!({"closed": {"id": 1, "name": "a"}}), "Both { id: 1, name: \"a\" }");
    taken(
        json!({"ordered": [{"id": 1, "name": "a"}, {"id": 2}]}),
        "[Both { id: 1, name: \"a\" }, Id { id: 2 }]",
    );
}

/// Cases with a tag.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    /// Something else.
    Other { other: u8 },
    /// Alternatives.
    Inner { inner: Open },
}

/// Cases of one key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum External {
    /// Something else.
    Other(u8),
    /// Alternatives.
    Inner(Open),
}

/// Alternatives in an alternative.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Nested {
    /// A number.
    Number(i32),
    /// Alternatives.
    Inner { inner: Open },
}

/// Other alternatives of the same members.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Again {
    /// By number.
    Id { id: u64 },
    /// By number and name.
    Both { id: u64, name: String },
}

/// Two values of alternatives.
#[derive(Debug, Deserialize, JsonSchema)]
struct Two {
    /// First.
    first: Open,
    /// Second.
    second: Again,
}

/// By number alone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OnlyId {
    /// Number.
    id: u32,
}

/// A closed alternative before an open one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Third {
    /// By number.
    Id(OnlyId),
    /// By name.
    Name { name: String },
    /// By number and name.
    Both { id: u32, name: String },
}

/// An earlier alternative that takes no part of the later ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Apart {
    /// A flag.
    Flag { flag: bool },
    /// By number and name.
    Both { id: u32, name: String },
    /// By something else, and name.
    Odd { id: bool, name: String },
}

/// A struct with a field that may be left out, before a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Sparse {
    /// A place.
    Place(Point),
    /// Numbers.
    List(Vec<Option<i32>>),
}

/// Shows what it got, wherever alternatives stand.
#[tool(register = false)]
fn deep(
    /// With a tag.
    tagged: Option<Tagged>,
    /// Of one key.
    external: Option<External>,
    /// In an alternative.
    nested: Option<Nested>,
    /// In a struct.
    two: Option<Two>,
    /// Of three.
    third: Option<Third>,
    /// Apart.
    apart: Option<Apart>,
    /// Sparse.
    sparse: Option<Sparse>,
) -> String {
    format!("{tagged:?} {external:?} {nested:?} {two:?} {third:?} {apart:?} {sparse:?}")
}

#[test]
fn a_member_is_not_dropped_wherever_the_alternatives_stand() {
    let both = json!({"id": 1, "name": "a"});
    for (args, paths) in [
        (json!({"tagged": {"kind": "inner", "inner": both}}), vec!["/tagged/inner"]),
        (json!({"external": {"inner": both}}), vec!["/external/inner"]),
        (json!({"nested": {"inner": both}}), vec!["/nested/inner"]),
        (json!({"two": {"first": both, "second": both}}), vec!["/two/first", "/two/second"]),
        (json!({"two": {"first": {"id": 1}, "second": both}}), vec!["/two/second"]),
        (json!({"third": both}), vec!["/third"]),
        (json!({"sparse": [1, null]}), vec!["/sparse"]),
    ] {
        let told = paths.into_iter().map(|path| (path.to_owned(), "ambiguous".to_owned())).collect();
        assert_eq!(call_of::<DeepTool>("deep", args.clone()), Err(told), "{args}");
    }
    let id = json!({"id": 1});
    for (args, shown) in [
        (json!({"tagged": {"kind": "inner", "inner": id}}), "Inner { inner: Id { id: 1 } }"),
        (json!({"external": {"inner": id}}), "Inner(Id { id: 1 })"),
        (json!({"nested": {"inner": id}}), "Inner { inner: Id { id: 1 } }"),
        (json!({"two": {"first": id, "second": id}}), "Two { first: Id { id: 1 }, second: Id { id: 1 } }"),
        (json!({"third": id}), "Id(OnlyId { id: 1 })"),
        (json!({"apart": both}), "Both { id: 1, name: \"a\" }"),
        (json!({"sparse": [1, 2, null]}), "List([Some(1), Some(2), None])"),
    ] {
        let taken = call_of::<DeepTool>("deep", args.clone());
        assert!(taken.as_ref().is_ok_and(|taken| taken.contains(shown)), "{args}: {taken:?}");
    }
}

#[test]
fn a_list_is_not_taken_for_a_struct() {
    refused(json!({"open": [1, null]}), "/open", "ambiguous");
    refused(json!({"short": [1]}), "/short", "ambiguous");
    taken(json!({"short": [1, 2, 3, 4]}), "Bytes([1, 2, 3, 4])");
    taken(json!({"open": [1]}), "List([Some(1)])");
    taken(json!({"open": [1, 2]}), "List([Some(1), Some(2)])");
    taken(json!({"open": [1, 2, 3]}), "List([Some(1), Some(2), Some(3)])");
    taken(json!({"ordered": [[1, 2]]}), "Pair(1, 2)");
}

#[test]
fn what_was_coerced_is_told_as_it_was_sent() {
    let issue = |args: Value| {
        let registry = Registry::builder().add::<NonzeroTool>().build().unwrap();
        let executor = Executor::standard(registry).build().unwrap();
        let call = Call::new("nonzero", args);
        let error = executor.call_blocking(call, &ToolContext::empty(), Caller::Test).unwrap_err();
        let issue = error.arg_issues().first().cloned().unwrap();
        (issue.path, issue.expected, issue.got)
    };
    let told = |path: &str, expected: &str, got: &str| (path.to_owned(), expected.to_owned(), got.to_owned());
    let nonzero = "another value than 0";
    assert_eq!(issue(json!({"one": "0"})), told("/one", nonzero, "string \"0\""));
    assert_eq!(issue(json!({"one": 0})), told("/one", nonzero, "integer 0"));
    assert_eq!(issue(json!({"one": 1, "more": "0"})), told("/more", nonzero, "string \"0\""));
    assert_eq!(issue(json!({"one": 1, "more": [1, 0.0]})), told("/more/1", nonzero, "number 0.0"));
    assert_eq!(
        issue(json!({"one": 1, "keys": {"x": true}})),
        told("/keys/x", "a key matching ^\\d+$", "boolean true")
    );
}

/// Takes numbers that are not zero.
#[tool(register = false)]
fn nonzero(
    /// One.
    one: std::num::NonZeroI64,
    /// More.
    more: Vec<std::num::NonZeroI64>,
    /// By number.
    keys: Option<BTreeMap<u8, bool>>,
) -> String {
    format!("{one} {more:?} {keys:?}")
}
