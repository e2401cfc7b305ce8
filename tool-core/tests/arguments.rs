//! The decoder on real Rust types: what serde is told, what callers get back, and what is refused.

#![allow(clippy::unwrap_used, reason = "it is a test throughout, its shared functions too")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
#[allow(unused_imports, reason = "traits that the answers of a type come from")]
use tool_core::__private::rungs::*;
use tool_core::__private::{ParamDef, ParamKeys, answers, param_with};
use tool_core::args::{Args, Coerce, Coercion, MAX_ISSUES, Rule};
use tool_core::def::{
    Bounds, Cache, Constraint, Doc, Handler, Number, Origin, Range, Run, ToolDef, ToolKeys,
};
use tool_core::{ArgIssue, IssueCode, ToolError};

fn nowhere(_: &mut Args) -> Result<Run, ToolError> {
    Err(ToolError::internal("These tools do not run."))
}

/// A tool of some parameters. It lives as long as the test.
fn tool(params: Vec<ParamDef<'static>>) -> &'static ToolDef<'static> {
    let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
    let mut tool = ToolDef::new("t", Doc::Text("T."), Handler::Sync(nowhere), Origin::DYNAMIC, cache);
    tool.params = params.leak();
    Box::leak(Box::new(tool))
}

macro_rules! param {
    ($name:expr, $doc:expr, $type:ty) => {
        param_with(answers!($type), $name, $doc, None, &ParamKeys::NONE)
    };
}

/// Sets a field of the row, or a key beside it.
macro_rules! key {
    ($param:ident $keys:ident name $value:expr) => {
        $param.name = $value;
    };
    ($param:ident $keys:ident doc $value:expr) => {
        $param.doc = $value;
    };
    ($param:ident $keys:ident schema $value:expr) => {
        $param.schema = $value;
    };
    ($param:ident $keys:ident default $value:expr) => {
        $param.default = $value;
    };
    ($param:ident $keys:ident required $value:expr) => {
        $param.required = $value;
    };
    ($param:ident $keys:ident $key:ident $value:expr) => {
        $keys.$key = $value;
    };
}

macro_rules! x {
    ($type:ty $(, $key:ident: $value:expr)*) => {{
        #[allow(unused_mut)]
        let mut keys = ParamKeys::NONE;
        #[allow(unused_mut)]
        let mut param = param!("x", Doc::Text("X."), $type);
        $(key!(param keys $key $value);)*
        param.keys = Box::leak(Box::new(keys));
        param
    }};
}

type Taken<T> = Result<(T, Map<String, Value>, Vec<Coercion>), ToolError>;

/// Decodes the one parameter of a tool.
fn take_in<T: DeserializeOwned + JsonSchema>(
    param: ParamDef<'static>,
    input: Value,
    mode: Coerce,
) -> Taken<T> {
    let mut args = Args::new(tool(vec![param]), input, mode)?;
    let value = args.take::<T>(0);
    args.finish()?;
    let value = value.ok_or_else(|| args.incomplete())?;
    Ok((value, args.normal().clone(), args.notes().to_vec()))
}

fn take<T: DeserializeOwned + JsonSchema>(param: ParamDef<'static>, x: Value) -> Taken<T> {
    take_in(param, json!({ "x": x }), Coerce::Lenient)
}

/// Path and code of each issue.
fn issues<T: std::fmt::Debug>(taken: Taken<T>) -> Vec<(String, IssueCode)> {
    taken.unwrap_err().arg_issues().iter().map(|issue| (issue.path.clone(), issue.code)).collect()
}

fn told(path: &str, code: IssueCode) -> Vec<(String, IssueCode)> {
    vec![(path.to_owned(), code)]
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Edit {
    #[serde(alias = "line_number")]
    line: u32,
    #[serde(default)]
    all: bool,
    text: Option<String>,
}

#[test]
fn a_struct_is_read_at_any_depth_and_its_normal_form_has_declaration_order() {
    let (edits, normal, notes) =
        take::<Vec<Edit>>(x!(Vec<Edit>), json!([{"text": 5, "line": "7"}, {"all": null, "line": 1}]))
            .unwrap();
    assert_eq!(edits[0], Edit { line: 7, all: false, text: Some("5".into()) });
    assert_eq!(Value::Object(normal).to_string(), r#"{"x":[{"line":7,"text":"5"},{"line":1}]}"#);
    let rules: Vec<_> = notes.iter().map(|note| (note.path.as_str(), note.rule)).collect();
    let expected = [
        ("/x/0/line", Rule::StringToInteger),
        ("/x/0/text", Rule::NumberToString),
        ("/x/1/all", Rule::NullToAbsent),
    ];
    assert_eq!(rules, expected);
}

#[test]
fn an_array_is_no_struct_and_an_unknown_field_is_refused_without_deny_unknown_fields() {
    assert_eq!(issues(take::<Edit>(x!(Edit), json!([1, true, "a"]))), told("/x", IssueCode::Type));
    assert_eq!(
        issues(take::<Edit>(x!(Edit), json!({"line": 1, "lime": 1}))),
        told("/x/lime", IssueCode::Unknown)
    );
    assert!(take::<Edit>(x!(Edit), json!({"line": 1})).is_ok());
}

#[test]
fn aliases_of_serde_hold_also_where_a_coercion_or_an_issue_needs_the_schema() {
    let (edit, normal, _) = take::<Edit>(x!(Edit), json!({"line_number": 3})).unwrap();
    assert_eq!((edit.line, &normal["x"]), (3, &json!({"line_number": 3})));
    let (edit, normal, notes) = take::<Edit>(x!(Edit), json!({"line_number": "3"})).unwrap();
    assert_eq!((edit.line, &normal["x"]), (3, &json!({"line_number": 3})));
    assert_eq!(notes[0].path, "/x/line_number");
    let wrong = json!({"line_number": 3, "all": 7, "text": []});
    assert_eq!(
        issues(take::<Edit>(x!(Edit), wrong)),
        [("/x/all".to_owned(), IssueCode::Type), ("/x/text".to_owned(), IssueCode::Type)]
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle {
        #[serde(alias = "r")]
        radius: f64,
    },
    Rect {
        w: u8,
        h: u8,
    },
    Empty,
}

#[test]
fn what_serde_buffers_is_coerced_and_closed_all_the_same() {
    let (shape, normal, notes) =
        take::<Shape>(x!(Shape), json!({"w": "2", "kind": "RECT", "h": 3.0})).unwrap();
    assert_eq!(shape, Shape::Rect { w: 2, h: 3 });
    assert_eq!(Value::Object(normal).to_string(), r#"{"x":{"kind":"rect","w":2,"h":3}}"#);
    assert_eq!(notes.len(), 3);
    let unknown = json!({"kind": "empty", "w": 1});
    assert_eq!(issues(take::<Shape>(x!(Shape), unknown)), told("/x/w", IssueCode::Unknown));
    assert_eq!(
        take::<Shape>(x!(Shape), json!({"kind": "circle", "r": 2})).unwrap().0,
        Shape::Circle { radius: 2.0 }
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Step {
    Stop,
    #[serde(alias = "pause")]
    Wait,
    Move {
        by: i64,
    },
    Say(String),
    Turn(u8, bool),
}

#[test]
fn every_shape_of_an_externally_tagged_enum_is_read() {
    let one = |x: Value| take::<Step>(x!(Step), x).unwrap().0;
    assert_eq!(one(json!("STOP")), Step::Stop);
    assert_eq!(one(json!("pause")), Step::Wait);
    assert_eq!(one(json!({"move": {"by": "-3"}})), Step::Move { by: -3 });
    assert_eq!(one(json!("{\"Say\": 5}")), Step::Say("5".into()));
    assert_eq!(one(json!({"turn": ["1", "true"]})), Step::Turn(1, true));
    assert_eq!(issues(take::<Step>(x!(Step), json!("move"))), told("/x", IssueCode::Choice));
    assert_eq!(issues(take::<Step>(x!(Step), json!({"stop": null}))), told("/x", IssueCode::Type));
    assert_eq!(issues(take::<Step>(x!(Step), json!({"turn": [1]}))), told("/x/turn", IssueCode::Length));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Page {
    name: String,
    #[serde(flatten)]
    size: Size,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Size {
    width: u16,
    #[serde(default)]
    deep: bool,
}

#[test]
fn fields_that_serde_flattens_are_coerced_and_closed() {
    let (page, _, notes) = take::<Page>(x!(Page), json!({"name": "a", "width": "8"})).unwrap();
    assert_eq!((page.size.width, notes.len()), (8, 1));
    let unknown = json!({"name": "a", "width": 8, "heigth": 1});
    assert_eq!(issues(take::<Page>(x!(Page), unknown)), told("/x/heigth", IssueCode::Unknown));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Bounded {
    #[schemars(range(min = 0))]
    signed: i64,
    #[schemars(length(max = 2), regex(pattern = "^[a-z]*$"))]
    #[serde(default)]
    code: String,
    #[serde(default)]
    set: BTreeSet<u8>,
}

#[test]
fn assertions_that_a_type_does_not_guarantee_are_enforced() {
    assert!(take::<Bounded>(x!(Bounded), json!({"signed": 0, "code": "ab", "set": [1, 2]})).is_ok());
    let wrong = json!({"signed": -1, "code": "abc", "set": [1, "1"]});
    assert_eq!(
        issues(take::<Bounded>(x!(Bounded), wrong)),
        [
            ("/x/signed".to_owned(), IssueCode::Range),
            ("/x/code".to_owned(), IssueCode::Length),
            ("/x/set/1".to_owned(), IssueCode::Duplicate)
        ]
    );
    let pattern = json!({"signed": 1, "code": "A1"});
    assert_eq!(issues(take::<Bounded>(x!(Bounded), pattern)), told("/x/code", IssueCode::Pattern));
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "u32")]
struct Even(u32);

impl TryFrom<u32> for Even {
    type Error = String;

    fn try_from(number: u32) -> Result<Even, String> {
        if number.is_multiple_of(2) { Ok(Even(number)) } else { Err(format!("an even number, not {number}")) }
    }
}

impl JsonSchema for Even {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Even".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        u32::json_schema(generator)
    }
}

#[test]
fn the_refusal_of_a_type_s_own_decoding_is_told_in_its_words_but_not_for_secrets() {
    assert_eq!(take::<Vec<Even>>(x!(Vec<Even>), json!([2, "4"])).unwrap().0, [Even(2), Even(4)]);
    let error = take::<Vec<Even>>(x!(Vec<Even>), json!([2, 3])).unwrap_err();
    let issue = &error.arg_issues()[0];
    assert_eq!(
        (issue.path.as_str(), issue.code, issue.expected.as_str()),
        ("/x/1", IssueCode::Invalid, "an even number, not 3")
    );
    let error = take::<Vec<Even>>(x!(Vec<Even>, secret: true), json!([2, 3])).unwrap_err();
    assert!(!error.to_json().to_string().contains("not 3"), "{error}");
    assert_eq!(error.arg_issues()[0].got, "integer (hidden)");
}

#[test]
fn the_limits_of_64_bits_are_those_of_the_type_for_every_item() {
    let error = take::<Vec<i64>>(x!(Vec<i64>), json!([1, u64::MAX, u64::MAX])).unwrap_err();
    let expected = "integer -9223372036854775808..=9223372036854775807";
    let issues: Vec<_> =
        error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.expected.as_str())).collect();
    assert_eq!(issues, [("/x/1", expected), ("/x/2", expected)]);
    assert_eq!(take::<u64>(x!(u64), json!(9_007_199_254_740_993_u64)).unwrap().0, 9_007_199_254_740_993);
}

#[test]
fn a_number_that_no_json_holds_is_told_the_limits_that_hold() {
    let beyond = "170141183460469231731687303715884105727";
    let expected = |refused: Result<_, ToolError>| -> String {
        let error: ToolError = refused.unwrap_err();
        assert_eq!(error.arg_issues()[0].code, IssueCode::Range);
        error.arg_issues()[0].expected.clone()
    };
    let signed = "integer -9223372036854775808..=18446744073709551615";
    assert_eq!(expected(take::<i128>(x!(i128), json!(beyond)).map(drop)), signed);
    let unsigned = "integer 0..=18446744073709551615";
    assert_eq!(expected(take::<u128>(x!(u128), json!(beyond)).map(drop)), unsigned);
    assert_eq!(take::<i128>(x!(i128), json!(u64::MAX)).unwrap().0, u64::MAX.into());
    assert_eq!(take::<u128>(x!(u128), json!("18446744073709551615")).unwrap().0, u64::MAX.into());
}

#[test]
fn a_map_is_told_how_many_members_it_may_have() {
    let len = Bounds { len: Range { min: 0, max: Some(1) }, ..Bounds::NONE };
    let two = json!({"a": 1, "b": 2});
    let error = take::<BTreeMap<String, i8>>(x!(BTreeMap<String, i8>, bounds: len), two).unwrap_err();
    let issue = &error.arg_issues()[0];
    assert_eq!((issue.code, issue.path.as_str()), (IssueCode::Length, "/x"));
    assert_eq!(issue.expected, "object of integer -128..=127 with at most 1 member");
    assert!(take::<BTreeMap<String, i8>>(x!(BTreeMap<String, i8>, bounds: len), json!({"a": 1})).is_ok());
}

#[test]
fn bounds_of_a_parameter_reach_through_options_and_into_lists() {
    let bounds = Bounds { min: Some(Number::Int(1)), max: Some(Number::Int(10)), ..Bounds::NONE };
    assert!(take::<Option<Vec<u32>>>(x!(Option<Vec<u32>>, bounds: bounds), json!([1, "10"])).is_ok());
    assert_eq!(
        issues(take::<Option<Vec<u32>>>(x!(Option<Vec<u32>>, bounds: bounds), json!([0, 5, 11]))),
        [("/x/0".to_owned(), IssueCode::Range), ("/x/2".to_owned(), IssueCode::Range)]
    );
    let pattern = Bounds { pattern: Some("^a"), len: Range { min: 0, max: Some(2) }, ..Bounds::NONE };
    assert!(take::<String>(x!(String, bounds: pattern), json!("ab")).is_ok());
    assert_eq!(
        issues(take::<String>(x!(String, bounds: pattern), json!("ba"))),
        told("/x", IssueCode::Pattern)
    );
    assert_eq!(
        issues(take::<String>(x!(String, bounds: pattern), json!("abc"))),
        told("/x", IssueCode::Length)
    );
    let choices = Bounds { choices: &["eu", "us"], ..Bounds::NONE };
    let (value, normal, notes) = take::<Vec<String>>(x!(Vec<String>, bounds: choices), json!("EU")).unwrap();
    assert_eq!((value, &normal["x"], notes.len()), (vec!["eu".to_owned()], &json!(["eu"]), 2));
}

#[test]
fn a_broken_pattern_is_the_tool_s_fault_and_not_the_caller_s() {
    let bounds = Bounds { pattern: Some("("), ..Bounds::NONE };
    let error = take::<String>(x!(String, bounds: bounds), json!("a")).unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("internal", "bad_pattern"));
}

#[test]
fn maps_take_keys_as_they_are_and_parse_those_of_other_types() {
    let (map, ..) = take::<BTreeMap<u32, f32>>(x!(BTreeMap<u32, f32>), json!({"7": "1.5"})).unwrap();
    assert_eq!(map, BTreeMap::from([(7, 1.5)]));
    assert!(take::<BTreeMap<u32, f32>>(x!(BTreeMap<u32, f32>), json!({"seven": 1})).is_err());
    let (map, ..) =
        take::<HashMap<String, Option<u8>>>(x!(HashMap<String, Option<u8>>), json!({"": null})).unwrap();
    assert_eq!(map, HashMap::from([(String::new(), None)]));
}

#[test]
fn texts_and_lone_values_are_not_guessed_at() {
    assert_eq!(take::<Vec<String>>(x!(Vec<String>), json!("a,b")).unwrap().0, ["a,b"]);
    assert_eq!(take::<Vec<Vec<u8>>>(x!(Vec<Vec<u8>>), json!([[5], "[6]"])).unwrap().0, [[5], [6]]);
    assert_eq!(issues(take::<Vec<Vec<u8>>>(x!(Vec<Vec<u8>>), json!([5]))), told("/x/0", IssueCode::Type));
    assert_eq!(issues(take::<Vec<Vec<u8>>>(x!(Vec<Vec<u8>>), json!(5))), told("/x", IssueCode::Type));
    for blank in ["", " \t"] {
        assert_eq!(issues(take::<Option<u8>>(x!(Option<u8>), json!(blank))), told("/x", IssueCode::Type));
        assert_eq!(issues(take::<Vec<u8>>(x!(Vec<u8>), json!(blank))), told("/x", IssueCode::Type));
        assert_eq!(take::<String>(x!(String), json!(blank)).unwrap().0, blank);
    }
    assert_eq!(issues(take::<String>(x!(String), json!(1.5))), told("/x", IssueCode::Type));
}

#[test]
fn three_states_of_an_option_are_told_apart() {
    let state = |input: Value| {
        take_in::<Option<Option<u8>>>(x!(Option<Option<u8>>), input, Coerce::Lenient).unwrap().0
    };
    assert_eq!(state(json!({})), None);
    assert_eq!(state(json!({"x": null})), Some(None));
    assert_eq!(state(json!({"x": "5"})), Some(Some(5)));
}

#[test]
fn strict_refuses_what_would_leave_a_note_and_text_leaves_none_for_scalars() {
    let strict = |x: Value| take_in::<Vec<u8>>(x!(Vec<u8>), json!({ "x": x }), Coerce::Strict);
    assert!(strict(json!([1])).is_ok());
    for refused in [json!(["1"]), json!(1), json!("[1]"), json!([1.0]), json!(null)] {
        assert_eq!(strict(refused.clone()).unwrap_err().arg_issues()[0].code, IssueCode::Type, "{refused}");
    }
    let choice = take_in::<Step>(x!(Step), json!({"x": "Stop"}), Coerce::Strict);
    assert_eq!(issues(choice), told("/x", IssueCode::Choice));
    let (value, normal, notes) = take_in::<Vec<u8>>(x!(Vec<u8>), json!({"x": ["1"]}), Coerce::Text).unwrap();
    assert_eq!((value, &normal["x"], notes.len()), (vec![1], &json!([1]), 0));
}

#[test]
fn a_flattened_enum_stands_beside_the_other_parameters() {
    let params = vec![
        param!("query", Doc::Text("Q."), String),
        x!(Shape, flatten: true),
        param!("deep", Doc::Text("D."), bool),
    ];
    let tool = tool(params);
    let run = |input: Value| {
        let mut args = Args::new(tool, input, Coerce::Lenient)?;
        let (_, shape, _) = (args.take::<String>(0), args.take::<Shape>(1), args.take::<bool>(2));
        args.finish().map(|()| (shape, Value::Object(args.normal().clone()).to_string()))
    };
    let (shape, normal) = run(json!({"h": 1, "deep": true, "kind": "Rect", "w": 2, "query": "q"})).unwrap();
    assert_eq!(shape, Some(Shape::Rect { w: 2, h: 1 }));
    assert_eq!(normal, r#"{"query":"q","kind":"rect","w":2,"h":1,"deep":true}"#);
    let error = run(json!({"kind": "empty", "query": "q", "w": 1})).unwrap_err();
    let issue = &error.arg_issues()[0];
    assert_eq!(
        (issue.path.as_str(), issue.expected.as_str()),
        ("/w", "one of the parameters query, kind, deep")
    );
    let error = run(json!({"w": 1, "query": "q"})).unwrap_err();
    assert_eq!(error.arg_issues().iter().map(|issue| issue.path.as_str()).collect::<Vec<_>>(), ["/kind"]);
}

#[test]
fn a_flattened_struct_spreads_its_fields() {
    let tool = tool(vec![x!(Size, flatten: true), param!("name", Doc::Text("N."), String)]);
    let run = |input: Value| {
        let mut args = Args::new(tool, input, Coerce::Lenient)?;
        let (size, _) = (args.take::<Size>(0), args.take::<String>(1));
        args.finish().map(|()| (size, args.notes().to_vec()))
    };
    let (size, notes) = run(json!({"name": "n", "width": "5"})).unwrap();
    assert_eq!((size, notes[0].path.as_str()), (Some(Size { width: 5, deep: false }), "/width"));
    let error = run(json!({"name": "n", "widht": 5})).unwrap_err();
    let issues: Vec<_> =
        error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.hint.as_deref())).collect();
    assert_eq!(issues, [("/width", None), ("/widht", Some("did you mean `width`?"))]);
    // Its own name is no key, wherever it stands.
    for input in [
        json!({"x": {"width": 6}, "width": 5, "name": "n"}),
        json!({"name": "n", "x": {"width": 6}, "width": 5}),
    ] {
        let error = run(input.clone()).unwrap_err();
        let issues: Vec<_> =
            error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.code)).collect();
        assert_eq!(issues, [("/x", IssueCode::Unknown)], "{input}");
    }
}

#[test]
fn what_was_meant_for_a_secret_parameter_is_not_repeated() {
    let secret = ParamDef {
        keys: &ParamKeys { secret: true, ..ParamKeys::NONE },
        ..param!("password", Doc::Text("P."), String)
    };
    let tool = tool(vec![secret, param!("name", Doc::Text("N."), String)]);
    let mut args = Args::new(tool, json!({"pasword": "hunter2", "nme": "Ada"}), Coerce::Lenient).unwrap();
    assert_eq!((args.take::<String>(0), args.take::<String>(1)), (None, None));
    let told = args.finish().unwrap_err().to_json().to_string();
    assert!(!told.contains("hunter2") && told.contains("Ada"), "{told}");
}

#[test]
fn ten_thousand_unknown_keys_are_counted_and_fifty_are_listed() {
    let mut input: Map<String, Value> = (0..10_000).map(|i| (format!("key_{i}"), json!(i))).collect();
    input.insert("x".into(), json!(1));
    let error = take_in::<u8>(x!(u8), Value::Object(input.clone()), Coerce::Lenient).unwrap_err();
    assert_eq!((error.arg_issues().len(), &error.details()["more"]), (MAX_ISSUES, &json!(9_950)));
    assert_eq!(error.message(), "10000 arguments do not fit.");
    let error = take::<Edit>(x!(Edit), Value::Object(input)).unwrap_err();
    assert_eq!((error.arg_issues().len(), &error.details()["more"]), (MAX_ISSUES, &json!(9_952)));
    let error = take::<Vec<u8>>(x!(Vec<u8>), (0..10_000).map(|i| json!([i])).collect()).unwrap_err();
    assert_eq!((error.arg_issues().len(), &error.details()["more"]), (MAX_ISSUES, &json!(9_950)));
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
#[allow(dead_code, reason = "it is only decoded")]
enum Branch {
    Left { next: Option<Box<Branch>>, left: Option<u8> },
    Right { next: Option<Box<Branch>>, right: Option<u8> },
}

#[test]
fn unions_inside_unions_are_not_tried_again_and_again() {
    let deep = (0..60).fold(json!({"up": 1}), |inner, _| json!({ "next": inner }));
    assert_eq!(issues(take::<Branch>(x!(Branch), deep)), told("/x", IssueCode::Type));
    let Branch::Right { right, .. } = take::<Branch>(x!(Branch), json!({"right": "1"})).unwrap().0 else {
        panic!("the alternative that has the field");
    };
    assert_eq!(right, Some(1));
}

#[test]
fn what_a_surface_found_is_merged_in_declaration_order_and_not_found_again() {
    let names = ["a", "b", "c"];
    let tool = tool(names.map(|name| param!(name, Doc::Text("P."), u8)).to_vec());
    let found = |path: &str| ArgIssue {
        path: path.into(),
        code: IssueCode::Invalid,
        expected: "a file".into(),
        got: "nothing there".into(),
        hint: None,
    };
    let input = json!({"b": "x", "c": "x", "d": 1, "e": [1], "de": 1});
    let args = Args::new(tool, input, Coerce::Text).unwrap();
    let mut args = args.with_issues(vec![found("/e/0"), found("/d"), found("/b")]);
    for i in 0..3 {
        assert_eq!(args.take::<u8>(i), None);
    }
    let expected = [
        ("/a", IssueCode::Missing),
        ("/b", IssueCode::Invalid),
        ("/c", IssueCode::Type),
        ("/e/0", IssueCode::Invalid),
        ("/d", IssueCode::Invalid),
        ("/de", IssueCode::Unknown),
    ];
    let error = args.finish().unwrap_err();
    let issues: Vec<_> = error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.code)).collect();
    assert_eq!(issues, expected);
}

#[test]
fn rules_between_parameters_wait_until_every_argument_fits() {
    let mut def = *tool(["a", "b"].map(|name| param!(name, Doc::Text("P."), Option<u8>)).to_vec());
    def.keys = &ToolKeys { constraints: &[Constraint::ExactlyOne(&["a", "b"])], ..ToolKeys::NONE };
    let run = |input: Value| {
        let mut args = Args::new(&def, input, Coerce::Lenient)?;
        let _ = (args.take::<Option<u8>>(0), args.take::<Option<u8>>(1));
        args.finish()
    };
    assert!(run(json!({"a": 1, "b": null})).is_ok());
    let both = run(json!({"a": 1, "b": 2})).unwrap_err();
    assert_eq!((both.arg_issues()[0].path.as_str(), both.arg_issues()[0].got.as_str()), ("", "2 given"));
    assert_eq!(run(json!({"a": "x", "b": 2})).unwrap_err().arg_issues()[0].code, IssueCode::Type);
}

#[test]
fn a_parameter_is_refused_with_one_it_conflicts_with_and_without_one_it_requires() {
    static CONFLICTING: ParamKeys<'static> = ParamKeys { conflicts_with: &["b"], ..ParamKeys::NONE };
    static REQUIRING: ParamKeys<'static> = ParamKeys { requires: &["b"], ..ParamKeys::NONE };
    for (keys, input, told) in [
        (&CONFLICTING, json!({"a": 1, "b": 2}), Some(("not together with `b`", "both given"))),
        (&CONFLICTING, json!({"a": 1}), None),
        (&CONFLICTING, json!({"b": 2}), None),
        (&CONFLICTING, json!({"a": 1, "b": null}), None),
        (&REQUIRING, json!({"a": 1}), Some(("`b` as well", "`b` missing"))),
        (&REQUIRING, json!({"a": 1, "b": null}), Some(("`b` as well", "`b` missing"))),
        (&REQUIRING, json!({"a": 1, "b": 2}), None),
        (&REQUIRING, json!({"b": 2}), None),
    ] {
        let [a, b] = ["a", "b"].map(|name| param!(name, Doc::Text("P."), Option<u8>));
        let mut args =
            Args::new(tool(vec![ParamDef { keys, ..a }, b]), input.clone(), Coerce::Lenient).unwrap();
        let _ = (args.take::<Option<u8>>(0), args.take::<Option<u8>>(1));
        let error = args.finish().err();
        let issue = error.as_ref().map(|error| &error.arg_issues()[0]);
        let found = issue.map(|issue| (issue.path.as_str(), issue.expected.as_str(), issue.got.as_str()));
        assert_eq!(found, told.map(|(expected, got)| ("/a", expected, got)), "{input}");
    }
}

#[test]
fn one_at_least_is_asked_for_and_a_field_of_a_flattened_parameter_counts() {
    let mut def = *tool(vec![x!(Size, flatten: true), param!("name", Doc::Text("N."), Option<String>)]);
    let of_two = &ToolKeys { constraints: &[Constraint::AtLeastOne(&["deep", "name"])], ..ToolKeys::NONE };
    let of_one = &ToolKeys { constraints: &[Constraint::AtLeastOne(&["deep"])], ..ToolKeys::NONE };
    for (keys, input, got) in [
        (of_two, json!({"width": 1}), Some("none given")),
        (of_two, json!({"width": 1, "name": null}), Some("none given")),
        (of_two, json!({"width": 1, "name": "n"}), None),
        (of_two, json!({"width": 1, "deep": true}), None),
        (of_two, json!({"width": 1, "deep": true, "name": "n"}), None),
        (of_one, json!({"width": 1, "deep": false}), None),
        (of_one, json!({"width": 1, "name": "n"}), Some("none given")),
    ] {
        def.keys = keys;
        let mut args = Args::new(&def, input.clone(), Coerce::Lenient).unwrap();
        let _ = (args.take::<Size>(0), args.take::<Option<String>>(1));
        let told = args.finish().err().map(|error| error.arg_issues()[0].got.clone());
        assert_eq!(told.as_deref(), got, "{input}");
    }
}

#[test]
fn an_object_is_given_under_the_name_of_its_parameter_and_not_of_its_fields() {
    let mut def = *tool(vec![x!(Size)]);
    for (name, given) in [("x", true), ("width", false)] {
        let constraints: &'static [Constraint<'static>] =
            Box::leak(Box::new([Constraint::AtLeastOne(Box::leak(Box::new([name])))]));
        def.keys = Box::leak(Box::new(ToolKeys { constraints, ..ToolKeys::NONE }));
        let mut args = Args::new(&def, json!({"x": {"width": 1}}), Coerce::Lenient).unwrap();
        let _ = args.take::<Size>(0);
        assert_eq!(args.finish().is_ok(), given, "{name}");
    }
}

#[test]
fn an_object_whose_fields_lie_at_the_root_is_told_where_to_put_them() {
    let tool = tool(vec![x!(Size)]);
    for (input, hint) in [
        (json!({"width": 1, "deep": true}), Some("put `width`, `deep` inside `x`")),
        (json!({"other": 1}), None),
    ] {
        let mut args = Args::new(tool, input.clone(), Coerce::Lenient).unwrap();
        assert_eq!(args.take::<Size>(0), None);
        let error = args.finish().unwrap_err();
        let first = &error.arg_issues()[0];
        assert_eq!((first.code, first.hint.as_deref()), (IssueCode::Missing, hint), "{input}");
    }
}

#[test]
fn a_handler_made_by_hand_may_take_a_value_by_its_schema_or_by_a_seed() {
    let tool = tool(vec![x!(u8, default: Some(|| json!(7)))]);
    for (input, value, typed) in [
        (json!({"x": "5"}), Some(json!(5)), Some(5)),
        (json!({}), Some(json!(7)), Some(7)),
        (json!({"x": "y"}), None, None),
    ] {
        let mut args = Args::new(tool, input.clone(), Coerce::Lenient).unwrap();
        assert_eq!(args.take_value(0), value, "{input}");
        assert_eq!(args.finish().is_ok(), value.is_some(), "{input}");
        let mut args = Args::new(tool, input.clone(), Coerce::Lenient).unwrap();
        assert_eq!(args.take_seed(0, PhantomData::<u8>), typed, "{input}");
        assert_eq!(args.finish().is_ok(), typed.is_some(), "{input}");
    }
}

#[test]
fn a_text_for_the_object_of_arguments_is_refused_where_nothing_is_coerced() {
    let text = || json!("{\"x\": 5}");
    let error = take_in::<u8>(x!(u8), text(), Coerce::Strict).unwrap_err();
    assert_eq!(error.code_str(), "not_an_object");
    let (value, _, notes) = take_in::<u8>(x!(u8), text(), Coerce::Lenient).unwrap();
    assert_eq!((value, notes[0].rule), (5, Rule::JsonStringToObject));
}

/// What is surely small is not measured, so what is taken for small must be.
#[test]
fn no_value_of_any_form_gets_past_the_limit_of_bytes() {
    let long = "\u{1}".repeat(200);
    let empty_texts = Value::from(vec![""; 400]);
    let rows = [
        json!({"x": long}),
        json!({"x": [long]}),
        json!({ long.as_str(): 1 }),
        json!({"x": empty_texts}),
        json!({"x": {"y": long}}),
        json!({"x": [[long]]}),
        json!({"x": vec![1; 600]}),
        json!({"": []}),
    ];
    for input in rows {
        let bytes = input.to_string().len();
        for (most, fits) in [(bytes, true), (bytes - 1, false)] {
            let made = Args::within(tool(vec![x!(String)]), input.clone(), Coerce::Lenient, most);
            let code = made.err().map(|error| error.code_str().to_owned());
            assert_eq!(code, (!fits).then(|| "args_too_large".to_owned()), "{most} for {input}");
        }
    }
}

#[test]
fn issues_and_unknown_keys_together_are_no_more_than_fifty() {
    let mut input: Map<String, Value> = (0..60).map(|i| (format!("key_{i}"), json!(i))).collect();
    input.insert("a".into(), json!("no number"));
    let def = tool(["a", "b"].map(|name| param!(name, Doc::Text("P."), u8)).to_vec());
    let mut args = Args::new(def, Value::Object(input), Coerce::Lenient).unwrap();
    let _ = (args.take::<u8>(0), args.take::<u8>(1));
    let error = args.finish().unwrap_err();
    assert_eq!((error.arg_issues().len(), &error.details()["more"]), (MAX_ISSUES, &json!(12)));
}

#[test]
fn a_default_is_used_as_typed_and_stands_in_the_normal_form() {
    let mut limit = param!("limit", Doc::Text("L."), u32);
    limit.default = Some(|| json!(10));
    let tool = tool(vec![limit]);
    for (input, expected) in [(json!({}), 10), (json!({"limit": null}), 10), (json!({"limit": "3"}), 3)] {
        let mut args = Args::new(tool, input, Coerce::Lenient).unwrap();
        assert_eq!(args.take_or::<u32>(0, || 10), Some(expected));
        args.finish().unwrap();
        assert_eq!(args.normal()["limit"], json!(expected));
    }
}

#[test]
fn a_default_that_is_a_whole_number_is_written_like_one_that_is_given() {
    let mut wait = param!("wait", Doc::Text("W."), f64);
    wait.default = Some(|| json!(2.0));
    let tool = tool(vec![wait]);
    for input in [json!({}), json!({"wait": null}), json!({"wait": 2.0}), json!({"wait": 2})] {
        let mut args = Args::new(tool, input.clone(), Coerce::Lenient).unwrap();
        assert_eq!(args.take_or::<f64>(0, || 2.0), Some(2.0));
        args.finish().unwrap();
        assert_eq!(json!(args.normal()).to_string(), r#"{"wait":2}"#, "{input}");
    }
}
