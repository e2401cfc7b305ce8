//! `tools check`: how findings are told, how it ends, and what a program knows besides its tools.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

#[path = "../src/clashing.rs"]
mod clashing;

use std::path::Path;

use serde_json::{Value, json};
use tests::captured;
use tool_cli::Cli;
use tool_core::contract::{CheckOptions, check};
use tool_core::{Behavior, DynTool, Registry, ToolOutput};
use tool_std as _;

/// A tool with a parameter of a name, a choice among these, and a pattern of a text.
fn shop(param: &str, choices: &[&str]) -> Registry {
    let schema = json!({
        "type": "object",
        "properties": {
            param: {"type": "string", "description": "The size.", "enum": choices},
            "code": {"type": "string", "description": "The code.", "pattern": "^[a-z]+$"},
        },
        "required": [param],
        "additionalProperties": false,
    });
    let tool = DynTool::builder("buy_shirt")
        .description("Buys a shirt of a size.")
        .behavior(Behavior::READ)
        .input_schema(schema)
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)));
    Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap()
}

fn run(registry: &Registry, directory: &Path, words: &[&str]) -> (u8, String, String) {
    captured::run(&Cli::new(registry.clone()).name("shop"), directory, words)
}

#[test]
fn nothing_a_warning_and_an_error_end_as_they_should() {
    let directory = tool_trials::directory();
    let at = directory.path();
    let good = shop("size", &["S", "M"]);
    for words in [&["check"][..], &["tools", "check"], &["check", "--strict"]] {
        assert_eq!(run(&good, at, words), (0, "nothing found in 1 tools\n".to_owned(), String::new()));
    }
    let warning = "warning param-vague buy_shirt /item: \
                   `item` says nothing: name what it is, such as `user_id` or `query`\n";
    let vague = shop("item", &["S", "M"]);
    assert_eq!(run(&vague, at, &["check"]), (0, warning.to_owned(), String::new()));
    assert_eq!(run(&vague, at, &["check", "--strict"]).0, 1);
    let error = "error enum-case buy_shirt /size: the cases \"S\" and \"s\" differ in case only\n";
    let double = shop("size", &["S", "s"]);
    assert_eq!(run(&double, at, &["check"]), (1, error.to_owned(), String::new()));
    let (code, told, _) = run(&double, at, &["check", "--format", "json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let finding = json!({
        "level": "error", "id": "enum-case", "tool": "buy_shirt", "path": "/size", "origin": "run time",
        "text": "the cases \"S\" and \"s\" differ in case only",
    });
    assert_eq!((code, told), (1, json!([finding])));
}

#[test]
fn losses_are_told_of_one_dialect_or_of_all() {
    let directory = tool_trials::directory();
    let check = |words: &[&str]| run(&shop("size", &["S"]), directory.path(), words);
    let gemini = "warning dialect-gemini buy_shirt /properties/code: pattern: described\n";
    assert_eq!(check(&["check", "--dialect", "gemini"]), (0, gemini.to_owned(), String::new()));
    assert_eq!(check(&["check", "--dialect", "gemini", "--strict"]).0, 1);
    assert_eq!(check(&["check", "--dialect", "mcp-2026-07-28", "--strict"]).0, 0);
    assert_eq!(check(&["check", "--dialect", "all"]), (0, gemini.to_owned(), String::new()));
    assert_eq!(check(&["check", "--dialect", "latin"]).0, 2);
}

#[test]
fn a_package_without_a_lock_file_or_with_an_old_one_is_told() {
    let directory = tool_trials::directory();
    let at = directory.path();
    let (old, new) = (shop("size", &["S"]), shop("size", &["S", "M"]));
    let ids = |registry: &Registry| {
        let (code, told, _) = run(registry, at, &["check"]);
        let words: Vec<&str> = told.split([' ', ':']).take(2).collect();
        (code, words.join(" "))
    };
    let clean = (0, "nothing found".to_owned());
    let stale = (0, "warning lock-stale".to_owned());
    std::fs::write(at.join("Cargo.toml"), "[workspace]\n").unwrap();
    assert_eq!(ids(&old), clean, "a workspace has no tools of its own");
    std::fs::write(at.join("Cargo.toml"), "[package]\nname = \"shop\"\n").unwrap();
    assert_eq!(ids(&old), (0, "warning lock-missing".to_owned()));
    assert_eq!(run(&old, at, &["lock"]).0, 0);
    assert_eq!(ids(&old), clean);
    assert_eq!(ids(&new), stale);
    assert_eq!(run(&new, at, &["check", "--strict"]).0, 1);
    std::fs::write(at.join("tools.lock"), "{\"format\": 2}").unwrap();
    assert_eq!(ids(&old), stale);
    std::fs::remove_file(at.join("Cargo.toml")).unwrap();
    assert_eq!(ids(&old), clean);
}

#[test]
fn commands_that_meet_are_errors_of_their_tools() {
    let registry = |tools: &[&'static tool_core::ToolDef<'static>]| {
        tools.iter().fold(Registry::builder(), |builder, def| builder.add_def(def)).build().unwrap()
    };
    let found = tool_cli::clash::lint(&registry(&clashing::all()));
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 4, "{lines:#?}");
    let wanted = "error cli-clash draw: `--format` on the command line meets global option";
    assert!(lines.iter().any(|line| line == wanted), "{lines:#?}");
    assert!(tool_cli::clash::lint(&registry(&[clashing::fine()])).is_empty());
}

#[test]
fn the_standard_tools_have_no_finding() {
    let registry = Registry::builder().discover().build().unwrap();
    assert!(registry.len() >= 18, "the standard tools are linked");
    let found: Vec<String> =
        check(&registry, &CheckOptions::default()).iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_standard_tool_holds_the_check_of_the_command_line() {
    let registry = Registry::builder().discover().build().unwrap();
    // What the examples come to is looked at where there is a workspace.
    let checks = tool_core::test::Checks::of(registry).unwrap().values(64).skip(["examples"]);
    let checks = checks.with([&tool_cli::test::CLI]);
    assert_eq!(checks.run(), []);
}

/// Reads a page of the book.
#[tool_core::tool(register = false, group = "book")]
fn read_book(
    /// The page to read.
    page: u8,
) -> u8 {
    page
}

/// Reads a line of the book.
#[tool_core::tool(register = false, group = "book")]
fn book_read(
    /// The line to read.
    line: u8,
) -> u8 {
    line
}

/// It is no row of `bad_tools` beside the other checks: tool-core knows no command line.
#[test]
fn tools_of_one_command_fail_the_check_of_the_command_line_and_no_other() {
    let problems = |registry: Registry| {
        let checks = tool_core::test::Checks::of(registry).unwrap().values(64);
        checks.with([&tool_cli::test::CLI]).run()
    };
    let builder = Registry::builder;
    assert_eq!(problems(builder().add::<ReadBookTool>().build().unwrap()), []);
    assert_eq!(problems(builder().add::<BookReadTool>().build().unwrap()), []);
    let told = problems(builder().add::<ReadBookTool>().add::<BookReadTool>().build().unwrap());
    let checks: Vec<&str> = told.iter().map(|problem| problem.check.as_str()).collect();
    assert_eq!(checks, [tool_cli::test::CLI.id], "{told:?}");
}

/// The line of a definition in this file.
fn line_of(text: &str) -> usize {
    let file = include_str!("check.rs");
    1 + file.lines().position(|line| line.starts_with(text)).unwrap()
}

/// Sends a letter that nobody can take back.
#[tool_core::tool(side_effect, idempotent = false, register = false)]
fn send_letter(
    /// The address of the recipient.
    recipient: &str,
) -> String {
    recipient.to_owned()
}

/// Sends a parcel that nobody can take back.
#[tool_core::tool(side_effect, idempotent = false, register = false)]
fn send_parcel(
    /// The address of the recipient.
    recipient: &str,
    ctx: &tool_core::ToolContext,
) -> String {
    format!("{recipient} {}", ctx.idempotency_key())
}

#[test]
fn a_tool_that_needs_a_person_after_a_crash_is_an_error_with_file_and_line_and_the_context_clears_it() {
    let directory = tool_trials::directory();
    let manual = Registry::builder().add::<SendLetterTool>().build().unwrap();
    let (code, told, _) = run(&manual, directory.path(), &["check"]);
    assert!(code == 1 && told.starts_with("error effect-without-context send_letter: "), "{code} {told}");
    assert!(told.contains("takes no &ToolContext: it cannot pass ctx.idempotency_key() on"), "{told}");
    let (code, told, _) = run(&manual, directory.path(), &["check", "--format", "json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let line = line_of("fn send_letter");
    let origin = told[0]["origin"].as_str().unwrap();
    assert!(code == 1 && origin.contains("tests/check.rs:"), "{told}");
    let at: usize = origin.rsplit("check.rs:").next().unwrap().split(':').next().unwrap().parse().unwrap();
    assert!((line - 2..=line).contains(&at), "{origin}, and it is in line {line}");
    let keyed = Registry::builder().add::<SendParcelTool>().build().unwrap();
    assert_eq!(run(&keyed, directory.path(), &["check"]).0, 0);
}
