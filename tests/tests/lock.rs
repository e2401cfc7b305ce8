//! `tools lock`: what is written, what a change of a tool means, and how the check ends.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use std::path::Path;

use serde_json::{Value, json};
use tests::captured;
use tool_cli::Cli;
use tool_core::contract::{self, Entry, Lock};
use tool_core::{DynTool, Registry, ToolOutput};
use tool_std as _;

/// A tool that is edited: the text of its parameter and its choices.
fn shop(text: &str, choices: &[&str]) -> Registry {
    let schema = json!({
        "type": "object",
        "properties": {"size": {"type": "string", "description": text, "enum": choices}},
        "required": ["size"],
        "additionalProperties": false,
    });
    let tool = DynTool::builder("buy_shirt")
        .description("Buys a shirt.")
        .input_schema(schema)
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)));
    Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap()
}

fn run(registry: &Registry, directory: &Path, words: &[&str]) -> (u8, String, String) {
    captured::run(&Cli::new(registry.clone()).name("shop"), directory, words)
}

#[test]
fn what_was_locked_passes_and_each_change_is_told_with_its_class() {
    let directory = tool_trials::directory();
    let at = directory.path();
    let first = shop("The size.", &["S", "M", "L"]);
    assert_eq!(run(&first, at, &["lock"]).0, 0);
    assert_eq!(run(&first, at, &["lock", "--check"]), (0, "none: no change\n".to_owned(), String::new()));

    let reworded = shop("The size of the shirt.", &["S", "M", "L"]);
    let (code, told, _) = run(&reworded, at, &["tools", "lock", "--check"]);
    assert_eq!(code, 4);
    assert_eq!(told, "text param_text_changed buy_shirt /size: \"The size.\" → \"The size of the shirt.\"\n");
    assert_eq!(run(&reworded, at, &["lock", "--check", "--allow", "text"]).0, 0);

    let smaller = shop("The size.", &["S", "M"]);
    let (code, told, _) = run(&smaller, at, &["lock", "--check", "--allow", "additive"]);
    assert_eq!(code, 4);
    assert_eq!(told, "breaking input_narrowed buy_shirt /size: [\"S\",\"M\",\"L\"] → [\"S\",\"M\"]\n");
    let (_, told, _) = run(&smaller, at, &["lock", "--check", "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let change = json!({"tool": "buy_shirt", "path": "/size", "code": "input_narrowed", "class": "breaking"});
    assert_eq!(told, json!({"class": "breaking", "changes": [change]}));

    let larger = shop("The size.", &["S", "M", "L", "XL"]);
    assert_eq!(run(&larger, at, &["lock", "--check", "--allow", "additive"]).0, 0);
    assert_eq!(run(&larger, at, &["lock"]).0, 0);
    assert_eq!(run(&larger, at, &["lock", "--check"]).0, 0);
}

/// A tool whose arguments are one of several objects, as a flattened enum makes them.
fn either(cases: Value) -> Registry {
    sending(&json!({"oneOf": cases}))
}

fn case(by: &str, more: &[&str]) -> Value {
    let mut object = json!({
        "type": "object",
        "properties": {"by": {"type": "string", "const": by}, "to": {"type": "string", "description": "Who."}},
        "required": ["by", "to"],
        "additionalProperties": false,
    });
    for name in more {
        object["properties"][name] = json!({"type": "string", "description": "More."});
    }
    object
}

#[test]
fn the_parameters_of_a_union_of_objects_are_locked_too() {
    let (mail, post) = (case("mail", &["subject"]), case("post", &["street"]));
    let first = either(json!([mail, post]));
    let lock = Lock::of(&first).unwrap();
    let names: Vec<&str> = lock.tools[0].params.iter().map(|param| param.name.as_str()).collect();
    assert_eq!(names, ["by", "to", "subject", "street"]);
    assert_eq!(lock.tools[0].params[3].flags, ["--street"]);

    let told = |other: &Registry| {
        let other = Lock::of(other).unwrap();
        let changes = contract::compare(&lock.tools, &other.tools);
        changes
            .iter()
            .map(|change| format!("{} {} {}", change.class(), change.code, change.path))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&either(json!([mail, post]))), [""; 0]);
    let fewer = told(&either(json!([mail])));
    assert!(fewer.contains(&"breaking input_narrowed ".to_owned()), "{fewer:?}");
    assert!(fewer.contains(&"breaking param_removed /street".to_owned()), "{fewer:?}");
    let more = told(&either(json!([mail, post, case("fax", &[])])));
    assert_eq!(more, ["additive input_widened "]);
    // One object of several: what the others took is refused now, and nothing new is accepted.
    let plain = told(&sending(&mail));
    assert!(plain.iter().any(|change| change.starts_with("breaking input_")), "{plain:?}");
    assert!(!plain.iter().any(|change| change.starts_with("additive input_widened")), "{plain:?}");
}

fn sending(schema: &Value) -> Registry {
    let tool = DynTool::builder("send")
        .description("Sends.")
        .input_schema(schema.clone())
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)));
    Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap()
}

#[test]
fn a_file_that_is_missing_broken_or_newer_is_told() {
    let directory = tool_trials::directory();
    let at = directory.path();
    let registry = shop("The size.", &["S"]);
    let (code, stdout, told) = run(&registry, at, &["lock", "--check"]);
    assert_eq!((code, stdout.as_str()), (3, ""));
    assert!(told.contains("There is no tools.lock") && told.contains("tools lock"), "{told}");
    let write = |text: &str| std::fs::write(at.join(contract::FILE), text).unwrap();
    write("{\"format\": 2, \"later\": true}");
    let (code, _, told) = run(&registry, at, &["lock", "--check"]);
    assert_eq!(code, 6);
    assert!(told.contains("has format 2; this program knows 1"), "{told}");
    write("{\"format\": 1,\n  \"tools\": 5}");
    let (code, _, told) = run(&registry, at, &["lock", "--check"]);
    assert_eq!(code, 6);
    assert!(told.contains("tools.lock:2:12"), "{told}");
    std::fs::remove_file(at.join(contract::FILE)).unwrap();
    let pipe = at.join(contract::FILE);
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (code, _, told) = run(&registry, at, &["lock", "--check"]);
    assert_eq!(code, 6);
    assert!(told.contains("no regular file"), "{told}");
    std::fs::remove_file(&pipe).unwrap();
    let text = Lock::of(&registry).unwrap().text().unwrap();
    write(&text.replacen("sha256:", "sha256:0", 1));
    let (code, _, told) = run(&registry, at, &["lock", "--check"]);
    assert_eq!(code, 6);
    assert!(told.contains("fingerprint of `buy_shirt`") && told.contains("tools lock"), "{told}");
    // Both sides of a merge are right, what came of them is neither.
    write(&text.replace("The size.", "Which size."));
    assert_eq!(run(&registry, at, &["lock", "--check"]).0, 6);
    write(&text);
    assert_eq!(run(&registry, at, &["lock", "--check"]).0, 0);
    write("<<<<<<< ours\n");
    assert_eq!(run(&registry, at, &["lock", "--check"]).0, 6);
    assert_eq!(run(&registry, at, &["lock"]).0, 0);
    assert_eq!(run(&registry, at, &["lock", "--check"]).0, 0);
}

#[test]
fn the_lock_of_the_standard_tools_reads_back_and_is_the_same_each_time() {
    let registry = Registry::builder().discover().build().unwrap();
    let lock = Lock::of(&registry).unwrap();
    let text = lock.text().unwrap();
    assert!(text.ends_with("}\n") && !text.contains('\r'));
    assert_eq!(Lock::read(&text).unwrap(), lock);
    assert_eq!(Lock::of(&registry).unwrap().text().unwrap(), text);
    assert_eq!(lock.tools.len(), registry.len());
    for (entry, tool) in lock.tools.iter().zip(registry.iter()) {
        assert_eq!(entry.name, tool.name());
        assert_eq!(entry.fingerprint, tool_core::fingerprint(tool), "{}", entry.name);
    }
}

/// What the lock says of options is what the command line has.
#[test]
fn options_of_the_lock_are_those_of_the_command_line() {
    let registry = Registry::builder().discover().build().unwrap();
    for tool in registry.iter() {
        let entry = Entry::of(tool).unwrap();
        let schema = tool.def().input_schema().unwrap();
        let table = tool_cli::flags::Table::new(tool.def(), schema.schema());
        for (param, option) in entry.params.iter().zip(&table.params) {
            assert_eq!(param.name, option.name);
            let long = option.long.as_ref().map(|long| format!("--{long}"));
            let short = option.short.map(|short| format!("-{short}"));
            let env = option.env.as_ref().map(|env| format!("env:{env}"));
            let options: Vec<String> = [long, short, env].into_iter().flatten().collect();
            assert_eq!(param.flags, options, "{} {}", entry.name, param.name);
        }
    }
}

#[test]
fn a_locked_set_passes_and_a_changed_one_says_what_to_do() {
    let directory = tool_trials::directory();
    let file = directory.path().join("tools.lock");
    let first = shop("The size.", &["S", "M"]);
    let missing = tool_core::test::locked(&file, &first).unwrap_err();
    assert!(missing.contains("UPDATE=1"), "{missing}");
    std::fs::write(&file, Lock::of(&first).unwrap().text().unwrap()).unwrap();
    tool_core::test::locked(&file, &first).unwrap();
    let changed = tool_core::test::locked(&file, shop("The size.", &["S"])).unwrap_err();
    assert!(changed.contains("the tools changed (breaking)"), "{changed}");
    assert!(changed.contains("breaking input_narrowed buy_shirt /size"), "{changed}");
    assert!(changed.contains("Run the test with UPDATE=1 where this is meant."), "{changed}");
    assert!(!changed.contains("alias"), "{changed}");
    std::fs::write(&file, "{\n").unwrap();
    let broken = tool_core::test::locked(&file, &first).unwrap_err();
    assert!(
        broken.starts_with(&format!("{}:2:1: ", file.display())) && broken.contains("UPDATE=1"),
        "{broken}"
    );
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let folder = tool_core::test::locked(&file, &first).unwrap_err();
    assert!(!folder.contains("UPDATE=1"), "no update makes a file of it: {folder}");
}
