//! Serde's aliases of fields and cases: every word that a type takes names its field, wherever the field stands.

#![allow(clippy::unwrap_used, reason = "it is a test throughout, its shared functions too")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tool_core::__private::ToolArg;
use tool_core::args::{Args, Coerce};
use tool_core::prelude::*;
use tool_core::{IssueCode, Tool, ToolDef};

/// What is looked at.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Place {
    /// The file.
    #[serde(alias = "file", alias = "filename")]
    path: String,
    /// The most lines.
    #[serde(alias = "lines")]
    #[schemars(range(max = 100))]
    limit: Option<i64>,
}

/// Where it goes.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Target {
    /// The file, written under a word that is a name of another.
    #[serde(alias = "path", alias = "filename", alias = "query", alias = "out")]
    target: String,
}

/// What is drawn.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    /// Round.
    Circle {
        /// How wide.
        #[serde(alias = "r")]
        #[schemars(range(max = 10.0))]
        radius: f64,
        /// How often.
        #[serde(default, alias = "times")]
        count: u8,
        /// Its centre.
        #[serde(alias = "at")]
        centre: Option<Point>,
    },
    /// Nothing.
    Empty,
}

/// A place.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Point {
    /// From the left.
    #[serde(alias = "left")]
    x: i32,
}

/// Looks at a place.
#[tool(register = false)]
fn look(
    /// Words.
    query: String,
    /// The place.
    #[arg(flatten)]
    place: Place,
    /// The target.
    #[arg(flatten)]
    target: Target,
) {
    let _ = (query, place, target);
}

/// Draws beside something.
#[tool(register = false)]
fn draw(
    /// Words.
    query: String,
    /// What.
    #[arg(flatten)]
    shape: Shape,
) {
    let _ = (query, shape);
}

/// Draws many.
#[tool(register = false)]
fn draw_all(
    /// What.
    shapes: Vec<Shape>,
) {
    let _ = shapes;
}

/// Looks at one place.
#[tool(register = false)]
fn look_inside(
    /// Where.
    place: Place,
) {
    let _ = place;
}

/// A path, code, `expected`, `got` and hint.
type Issue = (String, IssueCode, String, String, Option<String>);

fn finished(args: &mut Args<'_>) -> Result<Value, Vec<Issue>> {
    let issues = |error: ToolError| -> Vec<Issue> {
        let issues = error.arg_issues().iter().cloned();
        issues.map(|one| (one.path, one.code, one.expected, one.got, one.hint)).collect()
    };
    args.finish().map_err(issues)?;
    Ok(Value::Object(args.normal().clone()))
}

fn looked(input: Value, mode: Coerce) -> Result<(Place, Target, Value), Vec<Issue>> {
    let mut args = Args::new(LookTool::DEF, input, mode).unwrap();
    let (_, place, target) = (args.take::<String>(0), args.take::<Place>(1), args.take::<Target>(2));
    let normal = finished(&mut args)?;
    Ok((place.unwrap(), target.unwrap(), normal))
}

fn one<T: DeserializeOwned + ToolArg>(
    tool: &'static ToolDef<'static>,
    i: usize,
    input: Value,
) -> Result<(T, Value), Vec<Issue>> {
    let mut args = Args::new(tool, input, Coerce::Lenient).unwrap();
    if i == 1 {
        args.take::<String>(0).unwrap();
    }
    let taken = args.take::<T>(i);
    let normal = finished(&mut args)?;
    Ok((taken.unwrap(), normal))
}

fn drawn(input: Value) -> Result<(Shape, Value), Vec<Issue>> {
    one::<Shape>(DrawTool::DEF, 1, input)
}

fn all_drawn(shapes: Value) -> Result<(Vec<Shape>, Value), Vec<Issue>> {
    one::<Vec<Shape>>(DrawAllTool::DEF, 0, json!({ "shapes": shapes }))
}

fn circle(radius: f64, count: u8, centre: Option<i32>) -> Shape {
    Shape::Circle { radius, count, centre: centre.map(|x| Point { x }) }
}

/// Paths and codes of what was refused.
fn told<T: std::fmt::Debug>(refused: Result<T, Vec<Issue>>) -> Vec<(String, IssueCode)> {
    refused.unwrap_err().into_iter().map(|(path, code, ..)| (path, code)).collect()
}

fn at(path: &str, code: IssueCode) -> Vec<(String, IssueCode)> {
    vec![(path.to_owned(), code)]
}

// ---- flattened structs --------------------------------------------------------------------------------------------------

#[test]
fn a_flattened_struct_is_called_by_its_aliases_and_known_by_its_names() {
    let (place, target, normal) =
        looked(json!({"lines": 5, "out": "t", "query": "q", "file": "a"}), Coerce::Lenient).unwrap();
    assert_eq!(place, Place { path: "a".into(), limit: Some(5) });
    assert_eq!(target.target, "t");
    assert_eq!(normal.to_string(), r#"{"query":"q","path":"a","limit":5,"target":"t"}"#);
    let again = looked(normal.clone(), Coerce::Strict).unwrap();
    assert_eq!((again.0, again.2), (place, normal));
}

#[test]
fn coercions_strictness_and_bounds_hold_behind_an_alias_at_the_root() {
    let text = json!({"query": "q", "file": "a", "lines": "7", "out": "t"});
    let (place, _, normal) = looked(text.clone(), Coerce::Lenient).unwrap();
    assert_eq!((place.limit, &normal["limit"]), (Some(7), &json!(7)));
    assert_eq!(told(looked(text, Coerce::Strict)), at("/lines", IssueCode::Type));
    let far = json!({"query": "q", "file": "a", "lines": 101, "out": "t"});
    assert_eq!(told(looked(far, Coerce::Lenient)), at("/lines", IssueCode::Range));
    let wrong = json!({"query": "q", "file": [], "lines": "many", "out": "t"});
    assert_eq!(
        told(looked(wrong, Coerce::Lenient)),
        [("/file".to_owned(), IssueCode::Type), ("/lines".to_owned(), IssueCode::Type)]
    );
}

#[test]
fn a_name_and_its_alias_at_the_root_are_one_argument_given_twice() {
    let both = json!({"query": "q", "path": "a", "file": "b", "out": "t"});
    let issues = looked(both, Coerce::Lenient).unwrap_err();
    let expected = (
        "/file".to_owned(),
        IssueCode::Duplicate,
        "`path` once".to_owned(),
        "also given as `path`".to_owned(),
        None,
    );
    assert_eq!(issues, [expected]);
    let aliases = json!({"query": "q", "filename": "a", "file": "b", "out": "t"});
    assert_eq!(told(looked(aliases, Coerce::Lenient)), at("/file", IssueCode::Duplicate));
}

#[test]
fn a_key_near_an_alias_at_the_root_is_led_to_the_name() {
    let near = json!({"query": "q", "filenam": "a", "out": "t"});
    let issues = looked(near, Coerce::Lenient).unwrap_err();
    let hints: Vec<_> = issues.iter().map(|issue| (issue.0.as_str(), issue.1, issue.4.as_deref())).collect();
    let hint = Some("did you mean `path` or `target`?");
    assert_eq!(hints, [("/path", IssueCode::Missing, None), ("/filenam", IssueCode::Unknown, hint)]);
    let far = json!({"query": "q", "path": "a", "out": "t", "zzz": 1});
    assert_eq!(told(looked(far, Coerce::Lenient)), at("/zzz", IssueCode::Unknown));
}

#[test]
fn a_name_wins_over_an_alias_and_of_two_aliases_the_first_declared() {
    // `path` and `query` are aliases of `target` too.
    let stolen = json!({"path": "a", "query": "q"});
    assert_eq!(told(looked(stolen, Coerce::Lenient)), at("/target", IssueCode::Missing));
    let (place, target, _) =
        looked(json!({"filename": "a", "out": "t", "query": "q"}), Coerce::Lenient).unwrap();
    assert_eq!((place.path.as_str(), target.target.as_str()), ("a", "t"));
    // Given once by its name, `path` leaves the word to nobody else: it names `path`.
    let twice = json!({"path": "a", "filename": "t", "query": "q"});
    let codes = told(looked(twice, Coerce::Lenient));
    assert_eq!(
        codes,
        [("/filename".to_owned(), IssueCode::Duplicate), ("/target".to_owned(), IssueCode::Missing)]
    );
}

// ---- cases of an internally tagged enum ---------------------------------------------------------------------------------

#[test]
fn an_alias_in_a_case_holds_beside_a_coercion() {
    let (shapes, normal) = all_drawn(json!([
        {"kind": "circle", "r": 2, "count": "3"},
        {"r": "1.5", "kind": "CIRCLE", "times": "4"},
        {"kind": "circle", "radius": "1", "at": {"left": "7"}},
        {"kind": "circle", "r": 1, "times": 2},
    ]))
    .unwrap();
    let expected =
        [circle(2.0, 3, None), circle(1.5, 4, None), circle(1.0, 0, Some(7)), circle(1.0, 2, None)];
    assert_eq!(shapes, expected);
    // Below a parameter an alias stays as it was written, as in a plain struct.
    assert_eq!(normal["shapes"][0].to_string(), r#"{"kind":"circle","r":2,"count":3}"#);
    assert_eq!(all_drawn(normal["shapes"].clone()).unwrap(), (shapes, normal));
    let lone = all_drawn(json!("{\"kind\": \"circle\", \"r\": \"2\"}")).unwrap();
    assert_eq!(lone.0, [circle(2.0, 0, None)]);
}

#[test]
fn what_is_wrong_behind_an_alias_of_a_case_is_told_at_the_alias() {
    let case = |members: Value| {
        let mut circle = json!({"kind": "circle"});
        circle.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        all_drawn(json!([{"kind": "empty"}, circle]))
    };
    assert!(case(json!({"r": 10, "times": 255})).is_ok());
    assert_eq!(told(case(json!({"r": 11}))), at("/shapes/1/r", IssueCode::Range));
    assert_eq!(told(case(json!({"r": "wide"}))), at("/shapes/1/r", IssueCode::Type));
    assert_eq!(told(case(json!({"r": 1, "times": 256}))), at("/shapes/1/times", IssueCode::Range));
    assert_eq!(told(case(json!({"r": 1, "at": {"left": "x"}}))), at("/shapes/1/at/left", IssueCode::Type));
    assert_eq!(told(case(json!({"r": 1, "ra": 1}))), at("/shapes/1/ra", IssueCode::Unknown));
}

#[test]
fn a_name_and_its_alias_in_an_object_are_one_field_given_twice() {
    let issues = all_drawn(json!([{"kind": "circle", "r": 1, "radius": "2"}])).unwrap_err();
    let texts = ("`radius` once".to_owned(), "also given as `r`".to_owned());
    let expected = ("/shapes/0/radius".to_owned(), IssueCode::Duplicate, texts.0, texts.1, None);
    assert_eq!(issues, [expected]);
    let inside = |place: Value| one::<Place>(LookInsideTool::DEF, 0, json!({ "place": place }));
    let issues = inside(json!({"path": "a", "file": "b"})).unwrap_err();
    let texts = ("`path` once".to_owned(), "also given as `path`".to_owned());
    assert_eq!(issues, [("/place/file".to_owned(), IssueCode::Duplicate, texts.0, texts.1, None)]);
    assert_eq!(inside(json!({"file": "b"})).unwrap().0.path, "b");
    let near = inside(json!({"filenam": "b"})).unwrap_err();
    assert_eq!(near[1].4.as_deref(), Some("did you mean `path`?"));
}

#[test]
fn a_flattened_enum_is_called_by_the_aliases_of_its_case() {
    let (shape, normal) = drawn(json!({"r": "2", "query": "q", "kind": "Circle", "times": 1})).unwrap();
    assert_eq!(shape, circle(2.0, 1, None));
    assert_eq!(normal.to_string(), r#"{"query":"q","kind":"circle","radius":2,"count":1}"#);
    let both = json!({"r": 1, "query": "q", "kind": "circle", "radius": 1});
    assert_eq!(told(drawn(both)), at("/r", IssueCode::Duplicate));
    assert_eq!(told(drawn(json!({"query": "q", "kind": "empty", "r": 1}))), at("/r", IssueCode::Unknown));
    // Without a usable tag only the tag is reported.
    assert_eq!(told(drawn(json!({"query": "q", "r": 1}))), at("/kind", IssueCode::Missing));
}

// ---- words between two fields -------------------------------------------------------------------------------------------

/// Two fields, and a word that stands between them in serde's list.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Between {
    /// First.
    #[serde(default)]
    a: u8,
    /// Second.
    #[serde(alias = "b")]
    #[schemars(range(max = 5))]
    c: i64,
}

/// Takes both.
#[tool(register = false)]
fn between(
    /// Both.
    both: Between,
) {
    let _ = both;
}

#[test]
fn a_word_between_two_fields_is_held_to_the_bounds_of_the_one_it_names() {
    let taken = |both: Value| one::<Between>(BetweenTool::DEF, 0, json!({ "both": both }));
    assert_eq!(taken(json!({"b": 5})).unwrap().0, Between { a: 0, c: 5 });
    assert_eq!(taken(json!({"b": "5", "a": "1"})).unwrap().0, Between { a: 1, c: 5 });
    assert_eq!(told(taken(json!({"b": 6}))), at("/both/b", IssueCode::Range));
    assert_eq!(told(taken(json!({"a": 1, "b": 6}))), at("/both/b", IssueCode::Range));
    assert_eq!(told(taken(json!({"c": 1, "b": 1}))), at("/both/b", IssueCode::Duplicate));
}

/// Two fields, each with another word.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Words {
    /// First.
    #[serde(default, alias = "a2")]
    a: u8,
    /// Second.
    #[serde(alias = "b")]
    #[schemars(range(max = 5))]
    c: i64,
}

/// A struct of words, or a text.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Form {
    /// Words.
    Words(Words),
    /// A text.
    Text(String),
}

/// The same words twice: inside an alternative only the struct outside tells them.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Forms {
    /// Outside.
    first: Words,
    /// Inside.
    then: Form,
}

/// Takes both.
#[tool(register = false)]
fn form(
    /// Both.
    forms: Forms,
) {
    let _ = forms;
}

#[test]
fn a_word_inside_an_alternative_names_the_field_that_no_other_key_names() {
    let taken =
        |then: Value| one::<Forms>(FormTool::DEF, 0, json!({"forms": {"first": {"b": 1}, "then": then}}));
    let words = |a: u8, c: i64| Form::Words(Words { a, c });
    assert_eq!(taken(json!({"a": 1, "b": 5})).unwrap().0.then, words(1, 5));
    assert_eq!(taken(json!({"a2": 1, "b": 5})).unwrap().0.then, words(1, 5));
    assert_eq!(told(taken(json!({"a": 1, "b": 6}))), at("/forms/then", IssueCode::Type));
}

/// Takes a target.
#[tool(register = false)]
fn aim(
    /// Where to.
    target: Target,
) {
    let _ = target;
}

#[test]
fn a_key_near_an_alias_is_led_to_the_one_field_there_is() {
    let taken = |target: Value| one::<Target>(AimTool::DEF, 0, json!({ "target": target }));
    let near = taken(json!({"filenam": "b"})).unwrap_err();
    assert_eq!(near[1].4.as_deref(), Some("did you mean `target`?"));
    assert_eq!(taken(json!({"filename": "b"})).unwrap().0.target, "b");
}

// ---- fields that serde flattens -----------------------------------------------------------------------------------------

/// A struct with another one inside.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Outer {
    /// Its name.
    name: String,
    /// What lies beside it.
    #[serde(flatten)]
    inner: Point,
    /// More.
    #[serde(default)]
    more: BTreeMap<String, u8>,
}

/// Takes one.
#[tool(register = false)]
fn nest(
    /// One.
    #[arg(flatten)]
    outer: Outer,
) {
    let _ = outer;
}

#[test]
fn an_alias_of_what_serde_flattens_holds_at_the_root() {
    let taken = |input: Value| one::<Outer>(NestTool::DEF, 0, input);
    let (outer, normal) = taken(json!({"name": "n", "left": "3", "more": {"k": 1}})).unwrap();
    assert_eq!((outer.inner.x, &normal["x"]), (3, &json!(3)));
    assert_eq!(told(taken(json!({"name": "n", "left": 3, "x": 3}))), at("/left", IssueCode::Duplicate));
    assert_eq!(told(taken(json!({"name": "n", "x": 3, "lef": 3}))), at("/lef", IssueCode::Unknown));
}

// ---- what asking costs --------------------------------------------------------------------------------------------------

static READ: AtomicUsize = AtomicUsize::new(0);

/// A number that counts how often one is read.
#[derive(Debug, PartialEq, JsonSchema)]
#[schemars(transparent)]
struct Counted(u8);

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Counted, D::Error> {
        READ.fetch_add(1, Ordering::Relaxed);
        u8::deserialize(from).map(Counted)
    }
}

/// One of many.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Counts {
    /// With numbers.
    Some {
        /// First.
        #[serde(alias = "a")]
        first: Counted,
        /// Second.
        second: Option<Counted>,
        /// Third.
        third: Option<Counted>,
    },
}

/// Counts.
#[tool(register = false)]
fn count(
    /// What.
    counts: Vec<Counts>,
) {
    let _ = counts;
}

#[test]
fn a_thousand_strange_keys_are_asked_about_a_limited_number_of_times() {
    let counts = |counts: Vec<Value>| one::<Vec<Counts>>(CountTool::DEF, 0, json!({ "counts": counts }));
    let strange = |keys: usize| {
        let mut members: serde_json::Map<String, Value> =
            (0..keys).map(|i| (format!("k{i}"), json!("1"))).collect();
        members.extend([("kind".to_owned(), json!("some")), ("a".to_owned(), json!("1"))]);
        Value::Object(members)
    };
    assert!(counts(vec![strange(0)]).is_ok());
    READ.store(0, Ordering::Relaxed);
    let issues = counts((0..50).map(|_| strange(1_000)).collect()).unwrap_err();
    assert!(issues.iter().any(|issue| issue.1 == IssueCode::Unknown), "{issues:?}");
    let read = READ.load(Ordering::Relaxed);
    assert!((1..2_000).contains(&read), "{read} numbers were read");
}

/// One of few.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Few {
    /// Three numbers.
    Three {
        /// First.
        #[serde(alias = "a")]
        first: u8,
        /// Second.
        second: Option<u8>,
        /// Third.
        third: Option<u8>,
    },
    /// One number.
    Only {
        /// It.
        #[serde(alias = "a")]
        number: u8,
    },
}

/// Takes few.
#[tool(register = false)]
fn few(
    /// One.
    lone: Option<Few>,
    /// Several.
    list: Vec<Few>,
) {
    let _ = (lone, list);
}

/// How much is wrong with an input.
fn issues_of(input: Value) -> u64 {
    let mut args = Args::new(FewTool::DEF, input, Coerce::Lenient).unwrap();
    let _ = (args.take::<Option<Few>>(0), args.take::<Vec<Few>>(1));
    let told = |error: ToolError| {
        let more = error.details().get("more").and_then(Value::as_u64).unwrap_or(0);
        error.arg_issues().len() as u64 + more
    };
    args.finish().map_or_else(told, |()| 0)
}

#[test]
fn an_alias_is_known_behind_as_many_strange_keys_as_are_asked_about() {
    // A value that no field takes is asked about once for each field, one that a field takes twice.
    for (strange, keys, known) in
        [(json!("1"), 0, true), (json!("1"), 49, true), (json!([]), 49, true), (json!([]), 50, false)]
    {
        let mut lone = json!({"kind": "three"});
        let members = lone.as_object_mut().unwrap();
        members.extend((0..keys).map(|i| (format!("k{i}"), strange.clone())));
        members.insert("a".to_owned(), json!(1));
        // Unknown, it is one more, and its field is missing.
        let wrong = keys + if known { 0 } else { 2 };
        assert_eq!(issues_of(json!({ "lone": lone })), wrong, "{keys} of {strange}");
    }
}

#[test]
fn an_alias_is_known_behind_as_many_strange_objects_as_are_asked_about() {
    let plain = json!({"kind": "only", "number": 1});
    let strange = json!({"kind": "only", "number": 1, "k": []});
    for (before, count, wrong) in [(&plain, 60, 0), (&strange, 49, 49), (&strange, 50, 52)] {
        let mut list = vec![before.clone(); count];
        list.push(json!({"kind": "only", "a": 1}));
        assert_eq!(issues_of(json!({ "list": list })), wrong, "{count} {before}");
    }
}

#[test]
fn what_cannot_be_asked_about_is_not_taken_unseen() {
    // A pointer through a long key is cut, and might be that of another object.
    let map = |key: String, shape: Value| {
        one::<BTreeMap<String, Shape>>(DrawMapTool::DEF, 0, json!({"shapes": {key: shape}}))
    };
    let far = json!({"kind": "circle", "r": 11});
    assert_eq!(told(map("k".into(), far.clone())), at("/shapes/k/r", IssueCode::Range));
    let codes: Vec<IssueCode> = told(map("k".repeat(81), far)).into_iter().map(|issue| issue.1).collect();
    assert_eq!(codes, [IssueCode::Missing, IssueCode::Unknown]);
    assert!(map("k".repeat(81), json!({"kind": "circle", "radius": 10})).is_ok());
    assert!(map("k".into(), json!({"kind": "circle", "r": 10})).is_ok());
}

/// Draws by name.
#[tool(register = false)]
fn draw_map(
    /// What.
    shapes: BTreeMap<String, Shape>,
) {
    let _ = shapes;
}
