//! Every shape of a parameter and of a result: called directly as plain Rust, and through the executor, with one outcome.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::too_many_arguments,
    reason = "a test may stop at what it cannot build"
)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Content, ErrorKind, Executor, Finish, Registry, Structured};

type Maybe<T> = Option<T>;
type Io<T> = std::io::Result<T>;

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Level {
    Low,
    High,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
struct Point {
    x: i32,
    #[serde(default)]
    y: i32,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Rect { w: f64, h: f64 },
}

mod m {
    /// A type of the user's own that is only called like the other one.
    #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
    pub(crate) struct Option {
        pub(crate) name: String,
    }
}

/// Takes everything by value.
#[tool]
fn by_value(
    /// Number.
    number: u8,
    /// Float.
    float: f64,
    /// Text.
    text: String,
    /// Path.
    path: PathBuf,
    /// Flag.
    flag: bool,
    /// Letter.
    letter: char,
    /// Level.
    level: Level,
    /// Point.
    point: Point,
    /// Shape.
    shape: Shape,
    /// Any.
    #[arg(any)]
    any: Value,
) -> String {
    format!("{number} {float} {text} {} {flag} {letter} {level:?} {point:?} {shape:?} {any}", path.display())
}

/// Takes everything by reference.
#[tool]
async fn by_reference(
    /// Text.
    text: &str,
    /// Path.
    path: &Path,
    /// Numbers.
    numbers: &[u32],
    /// Point.
    point: &Point,
    /// Maybe text.
    maybe_text: Option<&str>,
    /// Maybe path.
    maybe_path: Option<&Path>,
    /// Maybe numbers.
    maybe_numbers: Option<&[u32]>,
    /// Maybe point.
    maybe_point: Option<&Point>,
    /// Text, borrowed or not.
    cow: Cow<'_, str>,
) -> String {
    format!(
        "{text} {path:?} {numbers:?} {point:?} {maybe_text:?} {maybe_path:?} {maybe_numbers:?} {maybe_point:?} {cow}"
    )
}

/// Takes collections.
#[tool]
fn collections(
    /// Vec.
    vec: Vec<u32>,
    /// Deque.
    deque: VecDeque<u32>,
    /// Box.
    boxed: Box<[u32]>,
    /// Ordered set.
    ordered: BTreeSet<String>,
    /// Set.
    set: HashSet<u32>,
    /// Tuple.
    tuple: (u32, String),
    /// Array.
    array: [u8; 2],
    /// Map.
    map: BTreeMap<String, u32>,
    /// Other map.
    other: HashMap<String, bool>,
) -> String {
    format!("{vec:?} {deque:?} {boxed:?} {ordered:?} {} {tuple:?} {array:?} {map:?} {other:?}", set.len())
}

/// Takes what may be left out.
#[tool]
fn optional(
    /// Maybe.
    number: Maybe<u32>,
    /// Three states.
    three: Option<Option<u32>>,
    /// A struct of that name.
    own: m::Option,
    /// With a default.
    #[arg(default = 3)]
    limit: u32,
    /// With its type's default.
    #[arg(default)]
    name: String,
    /// With a text as default.
    #[arg(default = "here")]
    r#where: &str,
) -> String {
    format!("{number:?} {three:?} {} {limit} {name:?} {where}", own.name)
}

fn executor() -> Executor {
    Executor::standard(Registry::builder().discover().build().unwrap()).build().unwrap()
}

fn call(tool: &str, args: Value) -> ToolResult {
    executor().call_blocking(Call::new(tool, args), &ToolContext::empty(), Caller::Test)
}

fn text(tool: &str, args: Value) -> String {
    match call(tool, args).unwrap().content.as_slice() {
        [Content::Text { text }] => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_arrive_as_in_a_direct_call() {
    let direct = by_value(
        7,
        1.5,
        "t".into(),
        "a/b".into(),
        true,
        'é',
        Level::High,
        Point { x: 1, y: 0 },
        Shape::Rect { w: 1.0, h: 2.0 },
        json!([null]),
    );
    let args = json!({"number": 7, "float": 1.5, "text": "t", "path": "a/b", "flag": true, "letter": "é", "level": "high",
        "point": {"x": 1}, "shape": {"kind": "rect", "w": 1.0, "h": 2.0}, "any": [null]});
    assert_eq!(text("by_value", args), direct);
}

#[tokio::test]
async fn references_are_lent_for_the_call() {
    let point = Point { x: 1, y: 2 };
    let direct = by_reference(
        "t",
        Path::new("p"),
        &[1],
        &point,
        Some("m"),
        None,
        Some(&[2]),
        Some(&point),
        "c".into(),
    );
    let args = json!({"text": "t", "path": "p", "numbers": [1], "point": {"x": 1, "y": 2}, "maybe_text": "m",
        "maybe_numbers": [2], "maybe_point": {"x": 1, "y": 2}, "cow": "c"});
    let result =
        executor().call(Call::new("by_reference", args), &ToolContext::empty(), Caller::Test).await.unwrap();
    assert_eq!(result, ToolOutput::text(direct.await));
}

#[test]
fn collections_arrive_and_lists_may_be_left_out() {
    let direct = collections(
        vec![],
        [1].into(),
        [2].into(),
        ["a".to_owned()].into(),
        [3].into(),
        (4, "b".into()),
        [5, 6],
        [("k".to_owned(), 7)].into(),
        [("l".to_owned(), true)].into(),
    );
    let args = json!({"deque": [1], "boxed": [2], "ordered": ["a"], "set": [3], "tuple": [4, "b"], "array": [5, 6],
        "map": {"k": 7}, "other": {"l": true}});
    assert_eq!(text("collections", args), direct);
}

#[test]
fn absence_is_told_by_the_type_and_never_by_its_name() {
    let direct = optional(None, None, m::Option { name: "o".into() }, 3, String::new(), "here");
    assert_eq!(text("optional", json!({"own": {"name": "o"}})), direct);
    assert_eq!(
        text("optional", json!({"own": {"name": "o"}, "three": null, "number": null, "where": "x"})),
        optional(None, Some(None), m::Option { name: "o".into() }, 3, String::new(), "x")
    );
    let error = call("optional", json!({})).unwrap_err();
    assert_eq!(error.arg_issues().len(), 1);
    assert_eq!(error.arg_issues()[0].path, "/own");
}

// ---- results ----------------------------------------------------------------------------------------------------------

/// Nothing.
#[tool]
fn returns_nothing() {}

/// Text.
#[tool]
fn returns_static() -> &'static str {
    "static"
}

/// A value.
#[tool]
fn returns_value() -> Point {
    Point { x: 1, y: 2 }
}

/// A value of a type alias.
#[tool]
fn returns_io(
    /// Fail.
    fail: bool,
) -> Io<Vec<u32>> {
    if fail { Err(std::io::Error::from(std::io::ErrorKind::NotFound)) } else { Ok(vec![1]) }
}

/// A block.
#[tool]
fn returns_content() -> Vec<Content> {
    vec![Content::text("a"), Content::text("b")]
}

/// One block.
#[tool]
fn returns_block() -> Content {
    Content::text("a")
}

/// Text, borrowed or not.
#[tool]
fn returns_cow() -> Cow<'static, str> {
    "cow".into()
}

/// Text in a box.
#[tool]
fn returns_box() -> Result<Box<str>, ToolError> {
    Ok("box".into())
}

/// A result made by hand, whose structured part is a point.
#[tool(output = Point)]
fn returns_output() -> ToolOutput {
    ToolOutput { content: vec![Content::text("at 5, 6")], ..ToolOutput::structured(json!({"x": 5, "y": 6})) }
}

/// The last value of a run.
#[tool(terminal)]
fn returns_finish() -> Finish<Point> {
    Finish(Point { x: 3, y: 4 })
}

/// The last text of a run.
#[tool(terminal)]
fn finishes_with_text() -> Finish<&'static str> {
    Finish("done")
}

/// The last words of a run, and nothing besides.
#[tool(terminal)]
fn finishes_with_nothing() -> Finish<()> {
    Finish(())
}

/// A run may end with one of a few words.
#[tool(terminal)]
fn finishes_with_case() -> Result<Finish<Level>, ToolError> {
    Ok(Finish(Level::Low))
}

/// A run may end with a result made by hand.
#[tool(terminal)]
fn finishes_with_output() -> Result<Finish<ToolOutput>, ToolError> {
    Ok(Finish(returns_output()))
}

/// A run may end with a value without a schema, or not.
#[tool(terminal)]
fn finishes_untyped(
    /// Fail.
    fail: bool,
) -> Result<Finish<Untyped>, String> {
    if fail { Err("not yet".to_owned()) } else { Ok(Finish(Untyped { a: 2 })) }
}

/// What an operating system says.
#[tool]
fn fails_with_io(
    /// Number of the error in the table of kinds.
    #[arg(any)]
    number: Value,
) -> std::io::Result<()> {
    let kind = number.as_u64().and_then(|number| IO_KINDS.get(usize::try_from(number).ok()?));
    Err(std::io::Error::new(kind.unwrap().0, "hunter2"))
}

/// Kinds of `io::Error`, and what each becomes.
const IO_KINDS: [(std::io::ErrorKind, ErrorKind); 10] = {
    use std::io::ErrorKind as Io;
    [
        (Io::NotFound, ErrorKind::NotFound),
        (Io::AlreadyExists, ErrorKind::Conflict),
        (Io::PermissionDenied, ErrorKind::Denied),
        (Io::TimedOut, ErrorKind::Timeout),
        (Io::ConnectionRefused, ErrorKind::Unavailable),
        (Io::ConnectionReset, ErrorKind::Unavailable),
        (Io::ConnectionAborted, ErrorKind::Unavailable),
        (Io::HostUnreachable, ErrorKind::Unavailable),
        (Io::NetworkUnreachable, ErrorKind::Unavailable),
        (Io::InvalidData, ErrorKind::Failed),
    ]
};

/// An author's own message.
#[tool]
fn fails_with_text() -> Result<(), String> {
    Err("no paper".to_owned())
}

/// A foreign error behind `anyhow`.
#[tool]
fn fails_with_anyhow() -> anyhow::Result<()> {
    Err(anyhow::anyhow!("password is hunter2"))
}

#[derive(Serialize)]
struct Untyped {
    a: u8,
}

/// A value without a schema.
#[tool]
fn returns_untyped() -> Result<Untyped, ToolError> {
    Ok(Untyped { a: 1 })
}

#[test]
fn results_are_converted_by_type() {
    let structured = |tool: &str| call(tool, json!({})).unwrap().structured.map(Structured::into_value);
    assert_eq!(call("returns_nothing", json!({})).unwrap(), ToolOutput::default());
    assert_eq!(call("returns_static", json!({})).unwrap(), ToolOutput::text(returns_static()));
    assert_eq!(structured("returns_value"), Some(json!(returns_value())));
    assert_eq!(structured("returns_io"), Some(json!([1])));
    assert_eq!(structured("returns_untyped"), Some(json!({"a": 1})));
    assert_eq!(call("returns_content", json!({})).unwrap().content, returns_content());
    assert_eq!(call("returns_block", json!({})).unwrap().content, [returns_block()]);
    assert_eq!(call("returns_cow", json!({})).unwrap(), ToolOutput::text(returns_cow()));
    assert_eq!(call("returns_box", json!({})).unwrap(), ToolOutput::text(returns_box().unwrap()));
    assert_eq!(call("returns_output", json!({})).unwrap(), returns_output());
}

#[test]
fn the_last_result_of_a_run_has_the_form_of_its_value() {
    let last = |tool: &str| {
        let output = call(tool, json!({})).unwrap();
        assert!(output.finish, "{tool}");
        ToolOutput { finish: false, ..output }
    };
    assert_eq!(last("returns_finish"), ToolOutput::structured(json!({"x": 3, "y": 4})));
    assert_eq!(last("finishes_with_text"), ToolOutput::text(finishes_with_text().0));
    assert_eq!(last("finishes_with_nothing"), ToolOutput::default());
    assert_eq!(last("finishes_with_case"), ToolOutput::structured(json!("low")));
    assert_eq!(last("finishes_with_output"), returns_output());
    assert_eq!(last("finishes_untyped"), ToolOutput::structured(json!({"a": 2})));
    let refused = call("finishes_untyped", json!({"fail": true})).unwrap_err();
    assert_eq!((refused.kind(), refused.message()), (ErrorKind::Failed, "not yet"));
    assert!(!call("returns_value", json!({})).unwrap().finish);
}

#[test]
fn errors_are_converted_by_type_and_foreign_texts_stay_with_operators() {
    let error = |tool: &str, args| call(tool, args).unwrap_err();
    assert_eq!(error("returns_io", json!({"fail": true})).kind(), ErrorKind::NotFound);
    assert_eq!(error("fails_with_text", json!({})).message(), "no paper");
    let foreign = error("fails_with_anyhow", json!({}));
    assert_eq!(foreign.kind(), ErrorKind::Failed);
    assert!(!foreign.to_json().to_string().contains("hunter2"));
    assert!(std::error::Error::source(&foreign).unwrap().to_string().contains("hunter2"));
}

#[test]
fn each_kind_of_io_error_becomes_the_kind_that_callers_know() {
    for (number, (io, kind)) in IO_KINDS.into_iter().enumerate() {
        let error = call("fails_with_io", json!({ "number": number })).unwrap_err();
        assert_eq!(error.kind(), kind, "{io}");
        assert!(!error.to_json().to_string().contains("hunter2"), "{io}");
    }
}

#[test]
fn only_typed_values_have_an_output_schema() {
    let registry = Registry::builder().discover().build().unwrap();
    let schema = |name: &str| registry.get(name).unwrap().def().output_schema();
    assert_eq!(schema("returns_value").unwrap()["properties"]["x"]["type"], "integer");
    assert_eq!(schema("returns_io").unwrap()["type"], "array");
    assert_eq!(schema("returns_finish").unwrap()["type"], "object");
    assert_eq!(schema("finishes_with_case").unwrap()["enum"], json!(["low", "high"]));
    assert_eq!(schema("returns_output"), schema("returns_value"));
    for name in [
        "returns_nothing",
        "returns_static",
        "returns_content",
        "returns_block",
        "returns_cow",
        "returns_box",
        "returns_untyped",
        "finishes_with_text",
        "finishes_with_nothing",
        "finishes_with_output",
        "finishes_untyped",
        "fails_with_text",
    ] {
        assert!(schema(name).is_none(), "{name}");
    }
}

// ---- capabilities -----------------------------------------------------------------------------------------------------

struct Db(&'static str);

trait Clock: Send + Sync {
    fn now(&self) -> u64;
}

struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> u64 {
        42
    }
}

/// Asks everything of its host.
#[tool]
async fn uses_host(
    cx: &ToolContext,
    #[ctx] db: &Db,
    #[ctx] shared: Arc<Db>,
    #[ctx] clock: &dyn Clock,
    #[ctx] absent: Option<&String>,
    #[ctx(secret = "API_KEY")] key: &Secret,
    #[ctx(secret = "OTHER_KEY")] other: Option<&Secret>,
) -> Result<String, ToolError> {
    let undeclared = cx.secret("FOREIGN_KEY").err().map(|error| error.code_str().to_owned());
    let (now, secret) = (clock.now(), key.expose().len());
    Ok(format!("{} {} {now} {absent:?} {secret} {} {undeclared:?}", db.0, shared.0, other.is_some()))
}

#[test]
fn capabilities_and_secrets_come_from_the_context() {
    let secrets =
        HashMap::from([("API_KEY".to_owned(), "k".to_owned()), ("OTHER_KEY".to_owned(), " ".to_owned())]);
    let ctx = ToolContext::builder()
        .provide(Db("main"))
        .provide_arc::<dyn Clock>(Arc::new(Fixed))
        .secrets(secrets)
        .build();
    let result = executor().call_blocking(Call::new("uses_host", json!({})), &ctx, Caller::Test).unwrap();
    assert_eq!(result, ToolOutput::text("main main 42 None 1 false Some(\"secret_undeclared\")"));
    let error = call("uses_host", json!({})).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotConfigured, "capability_missing"));
}
