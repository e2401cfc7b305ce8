//! The program `demo` of the command line's vectors, its tools written as anybody would write them.
//!
//! A tool gives its arguments back unless the vectors say otherwise; what reached it is told by [`Reached`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tool_cli::Cli;
use tool_core::prelude::*;
use tool_core::{BoxFuture, Content, ErrorKind, Executor, Invocation, Layer, Next, Registry, RegistryError};

/// The program, and what reached its tools.
pub(crate) fn demo(results: &Value) -> Result<(Cli, Reached), ToolError> {
    let reached = Reached::default();
    let registry = registry()?;
    let executor = Executor::standard(registry.clone()).before("run", reached.clone());
    let results = Results(results.clone());
    let cli = Cli::new(registry)
        .name("demo")
        .version("1.0.0")
        .about("Shows how tools become commands.")
        .executor(executor)
        .context(move |_| Ok(ToolContext::builder().provide(results.clone())));
    Ok((cli, reached))
}

/// The results of `probe_result` by name.
#[derive(Clone, Debug)]
struct Results(Value);

/// Name and normal form of the last call that reached a tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached(Arc<Mutex<Option<(String, Value)>>>);

impl Reached {
    /// The last call since this was asked.
    #[allow(dead_code, reason = "not every program that has these tools asks")]
    pub(crate) fn take(&self) -> Option<(String, Value)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Layer for Reached {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((inv.tool.name().to_owned(), (*inv.args).clone()));
        next.run(inv)
    }
}

/// The arguments given back: every one that is there.
fn echo<const N: usize>(args: [(&str, Option<Value>); N]) -> Value {
    args.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<Map<_, _>>().into()
}

fn of(value: &(impl Serialize + ?Sized)) -> Option<Value> {
    Some(json!(value))
}

fn opt(value: &Option<impl Serialize>) -> Option<Value> {
    value.as_ref().map(|value| json!(value))
}

/// Bytes that travel as base64.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("contentEncoding" = "base64"))]
struct Bytes(String);

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match STANDARD.decode(&text) {
            Ok(_) => Ok(Bytes(text)),
            Err(_) => Err("base64".to_owned()),
        }
    }
}

/// A size that travels as a number.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "u32", into = "u32")]
#[schemars(with = "u32", extend("enum" = [1, 2, 4]))]
struct Size(u32);

impl TryFrom<u32> for Size {
    type Error = String;

    fn try_from(size: u32) -> Result<Self, String> {
        if [1, 2, 4].contains(&size) { Ok(Size(size)) } else { Err("one of 1, 2, 4".to_owned()) }
    }
}

impl From<Size> for u32 {
    fn from(size: Size) -> u32 {
        size.0
    }
}

/// Level.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    #[default]
    Low,
    High,
}

/// Owner.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Owner {
    /// Full name.
    name: String,
    /// Age in years.
    #[serde(skip_serializing_if = "Option::is_none")]
    age: Option<u32>,
    /// Still employed.
    #[serde(default)]
    active: bool,
    /// Clearance.
    #[serde(default)]
    level: Level,
    /// Free tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Postal address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
}

/// Address.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Address {
    /// Street and number.
    street: String,
    /// City.
    city: String,
}

/// Service.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Service {
    /// TCP port.
    port: u16,
    /// Use TLS.
    #[serde(default)]
    tls: bool,
}

/// Edit.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Edit {
    /// Line number.
    line: u32,
    /// New text.
    text: String,
}

/// Shape.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// Circle.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// Rect.
    Rect {
        /// Width.
        w: f64,
        /// Height.
        h: f64,
    },
}

/// MatchValueKind.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MatchValueKind {
    X,
}

/// ProbeFailKind.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ProbeFailKind {
    InvalidArgs,
    NotFound,
    Conflict,
    Denied,
    NotConfigured,
    Unavailable,
    RateLimited,
    Timeout,
    Cancelled,
    Failed,
    Internal,
}

/// MatchValueKey.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum MatchValueKey {
    String(String),
    I64(i64),
}

/// MatchValueMark.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum MatchValueMark {
    I64(i64),
    Bool(bool),
}

/// Answers pong.
#[tool(register = false)]
fn ping() -> &'static str {
    "pong"
}

/// Checks a password.
#[tool(register = false)]
fn login(
    /// Account name.
    #[arg(positional)]
    user: &str,
    /// The account's password.
    #[arg(secret, env = "DEMO_PASSWORD")]
    password: &str,
    /// Second factor.
    #[arg(secret)]
    pin: Option<&str>,
) -> Value {
    echo([("user", of(user)), ("password", of(password)), ("pin", opt(&pin))])
}

/// Reads a text file.
#[tool(group = "file", aliases = ["read", "cat_file"], register = false)]
fn read_file(
    /// File to read, relative to the root.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// Maximum number of lines.
    #[arg(short = 'n', range = 1..=10000, default = 2000)]
    limit: u32,
    /// First line, counted from 1.
    #[arg(range = 1.., default = 1)]
    offset: u64,
    /// Revision to read; the newest when absent.
    revision: Option<&str>,
) -> Value {
    echo([("path", of(path)), ("limit", of(&limit)), ("offset", of(&offset)), ("revision", opt(&revision))])
}

/// Copies a file.
#[tool(side_effect, idempotent, group = "file", register = false)]
fn copy_file(
    /// File to copy.
    #[arg(positional, hint = "file")]
    src: &Path,
    /// Where to put the copy.
    #[arg(positional, hint = "path")]
    dst: &Path,
    /// Replace an existing file.
    #[arg(short = 'f')]
    force: bool,
) -> Value {
    echo([("src", of(src)), ("dst", of(dst)), ("force", of(&force))])
}

/// Joins files.
#[tool(group = "file", register = false)]
fn concat_files(
    /// Files to join, in order.
    #[arg(positional, hint = "file", len = 1..)]
    paths: Vec<PathBuf>,
    /// Text between two files.
    #[arg(default = "\n".to_owned())]
    separator: String,
) -> Value {
    echo([("paths", of(&paths)), ("separator", of(&separator))])
}

/// Lists files.
#[tool(group = "file", register = false)]
fn list_files(
    /// Directory to list.
    #[arg(positional, hint = "dir", default = PathBuf::from("."))]
    path: PathBuf,
    /// Include names that begin with a dot.
    #[arg(short = 'a')]
    hidden: bool,
    /// Sort by name.
    #[arg(default = true)]
    sorted: bool,
    /// Follow symbolic links; the workspace's rule when absent.
    follow: Option<bool>,
    /// Do not respect ignore files.
    no_ignore: bool,
    /// Levels to go down.
    #[arg(short = 'd')]
    depth: Option<u8>,
) -> Value {
    echo([
        ("path", of(&path)),
        ("hidden", of(&hidden)),
        ("sorted", of(&sorted)),
        ("follow", opt(&follow)),
        ("no_ignore", of(&no_ignore)),
        ("depth", opt(&depth)),
    ])
}

/// Searches the catalogue.
#[tool(group = "store", register = false)]
#[example("Five hits for a phrase", {"query": "blue lamp", "limit": 5})]
#[example("Everything about lamps and chairs that carries a tag", {"query": "lamp", "tags": ["sale", "new"], "level": "high"})]
fn store_search(
    /// Words to look for.
    #[arg(positional)]
    query: &str,
    /// Maximum number of hits.
    #[arg(env = "DEMO_LIMIT", short = 'n', range = 1..=100, default = 10)]
    limit: u32,
    /// How much detail.
    #[arg(default = Level::Low)]
    level: Level,
    /// Keep hits that carry this tag.
    #[arg(long = "tag", short = 't')]
    tags: Vec<String>,
    /// Drop hits below this score.
    #[arg(aliases = ["threshold"])]
    min_score: Option<f64>,
    /// Match whole words only.
    #[arg(short = 's')]
    strict: bool,
) -> Value {
    let _ = (query, limit, level, tags, min_score, strict);
    json!([{"id": 7, "name": "blue lamp", "price": 12.5, "score": 0.93}, {"id": 12, "name": "desk lamp", "price": 49, "score": 0.71}])
}

/// Deletes an item.
#[tool(destructive, idempotent, group = "store", register = false)]
fn store_delete(
    /// Item to delete.
    #[arg(positional)]
    id: u64,
    /// Delete what refers to it as well.
    cascade: bool,
) -> Value {
    let _ = (id, cascade);
    json!({"deleted": 1})
}

/// Drops old versions.
#[tool(side_effect, idempotent, group = "store", register = false)]
fn store_prune(
    /// Age or date, such as 30d or 2026-01-31.
    #[arg(positional)]
    before: Option<&str>,
    /// Drop stored bytes too.
    strip_bytes: bool,
    /// Only report what would be dropped.
    #[arg(default = true)]
    dry_run: bool,
) -> Value {
    echo([("before", opt(&before)), ("strip_bytes", of(&strip_bytes)), ("dry_run", of(&dry_run))])
}

/// Sets labels and counters.
#[tool(side_effect, idempotent, group = "store", register = false)]
fn store_tag(
    /// Item to change.
    #[arg(positional)]
    id: u64,
    /// Labels to set.
    #[arg(long = "label", short = 'l', default)]
    labels: BTreeMap<String, String>,
    /// Counters to set.
    #[arg(default)]
    counts: BTreeMap<String, i64>,
    /// Services by name.
    #[arg(default)]
    ports: BTreeMap<String, Service>,
) -> Value {
    echo([("id", of(&id)), ("labels", of(&labels)), ("counts", of(&counts)), ("ports", of(&ports))])
}

/// Assigns an item.
#[tool(side_effect, idempotent, group = "store", register = false)]
fn store_assign(
    /// Item to assign.
    #[arg(positional)]
    id: u64,
    /// Who gets it.
    owner: Owner,
    /// Where a copy goes.
    reviewer: Option<Address>,
    /// Day it is due; --no-due removes it.
    due: Option<Option<String>>,
) -> Value {
    echo([("id", of(&id)), ("owner", of(&owner)), ("reviewer", opt(&reviewer)), ("due", opt(&due))])
}

/// Runs a program.
#[tool(side_effect, idempotent = false, group = "process", register = false)]
fn run_process(
    /// Program to run.
    #[arg(positional, hint = "command")]
    program: &str,
    /// Run with the lowest priority.
    #[arg(short = '9')]
    nice: bool,
    /// Time limit.
    seconds: Option<f64>,
    /// Its arguments.
    #[arg(last)]
    args: Vec<String>,
) -> Value {
    echo([("program", of(program)), ("nice", of(&nice)), ("seconds", opt(&seconds)), ("args", of(&args))])
}

/// Locks or unlocks the catalogue.
#[tool(side_effect, idempotent, group = "store", hidden, register = false)]
fn store_lock(
    /// Whether it is locked.
    #[arg(required)]
    locked: bool,
) -> Value {
    echo([("locked", of(&locked))])
}

/// Draws one shape.
#[tool(group = "draw", register = false)]
fn draw_shapes(
    /// What to draw.
    shape: Shape,
    /// Any JSON value.
    #[arg(any)]
    filter: Option<Value>,
    /// Two numbers, x and y.
    origin: Option<(i64, i64)>,
    /// Changes to apply.
    edits: Vec<Edit>,
    /// Rows of numbers.
    matrix: Vec<Vec<i64>>,
) -> Value {
    echo([
        ("shape", of(&shape)),
        ("filter", opt(&filter)),
        ("origin", opt(&origin)),
        ("edits", of(&edits)),
        ("matrix", of(&matrix)),
    ])
}

/// Adds two numbers.
#[tool(group = "math", register = false)]
fn math_add(
    /// First number.
    #[arg(positional)]
    a: f64,
    /// Second number.
    #[arg(positional)]
    b: f64,
) -> Value {
    echo([("a", of(&a)), ("b", of(&b))])
}

/// Takes numbers of every kind.
#[tool(group = "math", register = false)]
fn math_bounds(
    /// A small integer.
    small: Option<i8>,
    /// An integer.
    #[arg(short = 'i')]
    int: Option<i64>,
    /// A large integer.
    big: Option<u64>,
    /// A share.
    #[arg(range = 0.0..=1.0)]
    ratio: Option<f64>,
    /// A short code.
    #[arg(len = 1..=8)]
    code: Option<&str>,
) -> Value {
    echo([
        ("small", opt(&small)),
        ("int", opt(&int)),
        ("big", opt(&big)),
        ("ratio", opt(&ratio)),
        ("code", opt(&code)),
    ])
}

/// Takes lists of every kind.
#[tool(group = "math", register = false)]
fn math_stats(
    /// Numbers.
    values: Vec<f64>,
    /// Identifiers.
    #[arg(len = ..=3)]
    ids: Vec<i64>,
    /// Tags.
    #[arg(default = vec!["x".to_owned()])]
    tags: Vec<String>,
    /// Levels.
    levels: Vec<Level>,
) -> Value {
    echo([("values", of(&values)), ("ids", of(&ids)), ("tags", of(&tags)), ("levels", of(&levels))])
}

/// Matches a value.
#[tool(group = "math", register = false)]
fn match_value(
    /// Text or number.
    key: Option<MatchValueKey>,
    /// Number or truth value.
    mark: Option<MatchValueMark>,
    /// A remark.
    note: Option<&str>,
    /// The only kind.
    kind: Option<MatchValueKind>,
    /// Block size.
    size: Option<Size>,
) -> Value {
    echo([
        ("key", opt(&key)),
        ("mark", opt(&mark)),
        ("note", opt(&note)),
        ("kind", opt(&kind)),
        ("size", opt(&size)),
    ])
}

/// Writes a note.
#[tool(side_effect, idempotent = false, group = "note", register = false)]
fn write_note(
    /// Title.
    #[arg(positional)]
    title: &str,
    /// Text of the note.
    #[arg(stdin)]
    body: &str,
    /// File to attach.
    #[arg(stdin)]
    attachment: Option<Bytes>,
    /// Author's handle, such as @alice.
    handle: Option<&str>,
) -> Value {
    echo([
        ("title", of(title)),
        ("body", of(body)),
        ("attachment", opt(&attachment)),
        ("handle", opt(&handle)),
    ])
}

/// Deploys the application.
#[tool(side_effect, idempotent = false, group = "deploy", register = false)]
fn deploy_app(
    /// Where to run.
    #[arg(env = "DEMO_REGION", aliases = ["zone"], default = "eu".to_owned())]
    region: String,
    /// Attempts after the first.
    #[arg(env = "DEMO_RETRIES", range = 0..=9, default = 3)]
    retries: u32,
    /// Skip the checks.
    #[arg(env = "DEMO_FORCE")]
    force: bool,
    /// Hosts to use.
    #[arg(env = "DEMO_HOSTS")]
    hosts: Vec<String>,
    /// Old name.
    #[arg(deprecated = "use --retries")]
    size: Option<u32>,
    /// Internal.
    #[arg(hidden)]
    trace_id: Option<&str>,
) -> Value {
    echo([
        ("region", of(&region)),
        ("retries", of(&retries)),
        ("force", of(&force)),
        ("hosts", of(&hosts)),
        ("size", opt(&size)),
        ("trace_id", opt(&trace_id)),
    ])
}

/// Echoes text.
#[tool(group = "note", deprecated = "use 'note write'", register = false)]
fn old_echo(
    /// Text.
    #[arg(positional)]
    text: &str,
) -> Value {
    echo([("text", of(text))])
}

/// For models only.
#[tool(group = "note", surfaces(llm, mcp), register = false)]
fn note_rank() -> Value {
    echo([])
}

/// Fails with the error asked for.
#[tool(group = "probe", register = false)]
fn probe_fail(
    /// Kind of the error.
    #[arg(positional)]
    kind: ProbeFailKind,
) -> ToolResult {
    fail(kind)
}

/// Returns a result of the shape asked for.
#[tool(group = "probe", register = false)]
fn probe_result(
    /// Name of the result in `results`.
    #[arg(positional)]
    shape: &str,
    #[ctx] results: &Results,
) -> ToolResult {
    results.result(shape)
}

/// Fails with a kind.
fn fail(kind: ProbeFailKind) -> ToolResult {
    let name = json!(kind).as_str().unwrap_or_default().to_owned();
    let kind = ErrorKind::all().find(|kind| kind.as_str() == name).unwrap_or(ErrorKind::Internal);
    Err(ToolError::new(kind, format!("asked to fail with {name}")))
}

impl Results {
    /// The result of a name.
    fn result(&self, name: &str) -> ToolResult {
        let entry = self.0.get(name).ok_or_else(|| ToolError::not_found("There is no such result."))?;
        let content: Vec<Content> = match entry.get("content") {
            Some(blocks) => serde_json::from_value(blocks.clone()).unwrap_or_default(),
            None => Vec::new(),
        };
        Ok(ToolOutput { content, structured: entry.get("structured").cloned(), ..ToolOutput::default() })
    }
}

/// The tools of the program.
pub(crate) fn registry() -> Result<Registry, RegistryError> {
    Registry::builder()
        .add::<PingTool>()
        .add::<LoginTool>()
        .add::<ReadFileTool>()
        .add::<CopyFileTool>()
        .add::<ConcatFilesTool>()
        .add::<ListFilesTool>()
        .add::<StoreSearchTool>()
        .add::<StoreDeleteTool>()
        .add::<StorePruneTool>()
        .add::<StoreTagTool>()
        .add::<StoreAssignTool>()
        .add::<RunProcessTool>()
        .add::<StoreLockTool>()
        .add::<DrawShapesTool>()
        .add::<MathAddTool>()
        .add::<MathBoundsTool>()
        .add::<MathStatsTool>()
        .add::<MatchValueTool>()
        .add::<WriteNoteTool>()
        .add::<DeployAppTool>()
        .add::<OldEchoTool>()
        .add::<NoteRankTool>()
        .add::<ProbeFailTool>()
        .add::<ProbeResultTool>()
        .build()
}
