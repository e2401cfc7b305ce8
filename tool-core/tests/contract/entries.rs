//! What an entry says of a tool, and what is no lock file. (registry.md §10)

use serde_json::json;
use tool_core::contract::{Entry, Lock};
use tool_core::{Registry, Tool, tool};

struct Paper;
struct Ink;

/// What became of it.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Sent {
    pages: u8,
}

/// Sends a letter.
///
/// Not a parcel.
#[tool(
    name = "send",
    title = "Post",
    aliases = ["post", "mail"],
    group = "post",
    tags = ["slow", "paper"],
    deprecated = "use `write`",
    side_effect,
    idempotent = false,
    open_world,
    terminal,
    surfaces(mcp, cli),
    requires(secret = "STAMP", secret(key = "BOX", optional)),
    at_least_one(text, copy_of),
    register = false
)]
#[example("to Ann", { "to": "Ann", "text": "Hello." })]
fn send_letter(
    /// Who.
    #[arg(positional, aliases = ["recipient"])]
    to: &str,
    /// What.
    #[arg(short = 't', env = "TEXT", conflicts_with = ["copy_of"])]
    text: Option<&str>,
    /// Which other letter.
    #[arg(long = "copy")]
    copy_of: Option<u8>,
    /// How many.
    #[arg(positional, requires = ["text"])]
    pages: Option<u8>,
    /// To open it.
    #[arg(secret)]
    pin: Option<&str>,
    #[ctx] paper: &Paper,
    #[ctx] ink: Option<&Ink>,
) -> Result<Sent, std::fmt::Error> {
    let (Paper, _, _) = (paper, ink.is_some_and(|Ink| true), (to, text, copy_of, pin));
    Ok(Sent { pages: pages.unwrap_or(1) })
}

#[test]
fn an_entry_says_everything_that_was_declared() {
    let registry = Registry::builder().add::<SendLetterTool>().build().unwrap();
    let tool = registry.iter().next().unwrap();
    let entry = Entry::of(tool).unwrap();
    assert_eq!(entry.fingerprint, tool_core::fingerprint(tool));
    let def = SendLetterTool::DEF;
    let expected = json!({
        "name": "send",
        "fingerprint": entry.fingerprint,
        "title": "Post",
        "description": "Sends a letter.\n\nNot a parcel.\nGive at least one of text, copy_of.\n\
            text cannot be combined with copy_of.\npages needs text.\n\nDeprecated: use `write`",
        "deprecated": "use `write`",
        "aliases": ["post", "mail"],
        "group": "post",
        "tags": ["paper", "slow"],
        "surfaces": ["cli", "mcp"],
        "behavior": {"side_effect": true, "destructive": false, "idempotent": false, "open_world": true},
        "terminal": true,
        "capabilities": ["Paper"],
        "secrets": [{"key": "BOX", "optional": true}, {"key": "STAMP", "optional": false}],
        "params": [
            {"name": "to", "aliases": ["recipient"], "flags": ["--to"], "positional": 0},
            {"name": "text", "flags": ["--text", "-t", "env:TEXT"]},
            {"name": "copy_of", "flags": ["--copy"]},
            {"name": "pages", "flags": ["--pages"], "positional": 1},
            {"name": "pin", "flags": ["--pin-file"], "secret": true},
        ],
        "constraints": [
            ["at_least_one", "text", "copy_of"], ["conflicts_with", "text", "copy_of"], ["requires", "pages", "text"],
        ],
        "input": def.input_schema().unwrap().schema(),
        "output": **def.output_schema().unwrap(),
        "examples": [{"label": "to Ann", "input": {"to": "Ann", "text": "Hello."}}],
    });
    assert_eq!(json!(entry), expected);
    let lock = Lock::of(&registry).unwrap();
    assert_eq!(Lock::read(&lock.text().unwrap()).unwrap().tools, [entry]);
}

/// How it travels.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Way {
    /// On the road.
    Post { street: String },
    /// Through the wire.
    Wire { address: String, fast: Option<bool> },
}

/// Delivers something.
#[tool(register = false)]
fn deliver(
    #[arg(flatten)] way: Way,
    /** What. */
    #[arg(positional)]
    what: &str,
) -> String {
    let at = match way {
        Way::Post { street } => street,
        Way::Wire { address, fast } => format!("{address}{fast:?}"),
    };
    format!("{at}{what}")
}

#[test]
fn an_entry_of_a_union_names_the_own_parameters_and_then_those_of_its_cases() {
    let registry = Registry::builder().add::<DeliverTool>().build().unwrap();
    let entry = Entry::of(registry.iter().next().unwrap()).unwrap();
    let params: Vec<(&str, Option<usize>)> =
        entry.params.iter().map(|param| (param.name.as_str(), param.positional)).collect();
    assert_eq!(
        params,
        [("what", Some(0)), ("by", None), ("street", None), ("address", None), ("fast", None)]
    );
}

#[test]
fn what_an_entry_leaves_out_is_empty_and_offered_everywhere() {
    let entry = Entry { name: "tool".to_owned(), ..Entry::default() };
    let input = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let behavior =
        json!({"side_effect": false, "destructive": false, "idempotent": true, "open_world": false});
    assert_eq!(json!(entry), json!({"name": "tool", "behavior": behavior, "input": input}));
    assert_eq!(entry.surfaces, ["cli", "llm", "mcp"]);
    assert_eq!(serde_json::from_value::<Entry>(json!(entry)).unwrap(), entry);
}

#[test]
fn a_lock_that_a_merge_made_is_told_as_that() {
    let lock = Lock::of(&Registry::builder().add::<SendLetterTool>().build().unwrap()).unwrap();
    let mut twice = lock.clone();
    twice.tools.push(lock.tools[0].clone());
    let error = Lock::read(&twice.text().unwrap()).unwrap_err();
    assert_eq!(
        (error.code_str(), error.message()),
        ("lock_invalid", "tools.lock: `send` stands there twice.")
    );
    let text = lock.text().unwrap();
    let merged = text.replacen("  \"core\"", "<<<<<<< ours\n  \"core\"", 1);
    let error = Lock::read(&merged).unwrap_err();
    assert_eq!(error.message(), "tools.lock:3:1: two versions stand here, of a merge.");
    assert!(error.hint_str().unwrap().contains("UPDATE=1"));
    // Such a mark within a text is a text.
    assert!(
        Lock::read(&text.replace("Hello.", "<<<<<<< Hello.")).unwrap_err().message().contains("fingerprint")
    );
}

#[test]
fn a_lock_file_of_the_most_bytes_is_read_and_no_larger_one() {
    let directory = tool_trials::directory();
    let file = directory.path().join("tools.lock");
    let load = |bytes: u64| {
        std::fs::File::create(&file).unwrap().set_len(bytes).unwrap();
        Lock::load(&file).map(|text| text.len()).map_err(|error| error.kind())
    };
    assert_eq!(load(64 << 20), Ok(64 << 20));
    assert_eq!(load((64 << 20) + 1), Err(std::io::ErrorKind::FileTooLarge));
}
