//! No second decoder: what the command line says of a word is what the executor says of the same text. (cli.md, acceptance 1)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::path::Path;

use serde_json::{Map, Value, json};
use tests::captured;
use tests::demo;
use tool_cli::Cli;
use tool_cli::flags::{Param, Table};
use tool_cli::kind::{Items, Kind};
use tool_core::def::Surface;
use tool_core::{Call, Caller, Coerce, Executor, ToolContext, ToolEntry};

/// Texts that are wrong for some type or other.
const TEXTS: [&str; 8] = ["", "?", "1.5", "-0", "1e400", "99999999999999999999", "null", "[\"a\",]"];

/// The words of an option for a text, and the same as an argument; nothing for what is written as JSON or from a file.
fn given(param: &Param, text: &str) -> Option<(String, Value)> {
    let value = match param.kind {
        _ if param.secret || param.stdin => return None,
        Kind::Text => json!(text),
        Kind::List(Items::Text) => json!([text]),
        _ => return None,
    };
    Some((format!("--{}={text}", param.long.as_ref()?), value))
}

/// The issues that the executor finds in these arguments.
fn own(executor: &Executor, entry: &ToolEntry, args: Map<String, Value>) -> Value {
    let call = Call::new(entry.name(), Value::Object(args));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let plan = runtime.block_on(executor.plan(call, &ToolContext::empty(), Caller::Cli));
    plan.map_or_else(|error| error.to_json()["issues"].clone(), |_| Value::Null)
}

/// The issues that the program tells programs.
fn told(cli: &Cli, words: &[String], options: &[&str]) -> Value {
    let words: Vec<&str> = words.iter().map(String::as_str).chain(options.iter().copied()).collect();
    let line = [&["--dry-run", "--json"][..], &words].concat();
    let (code, stdout, stderr) = captured::run(cli, Path::new("/"), &line);
    if code == 0 {
        return Value::Null;
    }
    assert_eq!(stdout, "", "{words:?}");
    // Warnings may stand in front of it.
    let error = stderr.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
    error.unwrap_or_else(|| panic!("{stderr}"))["error"]["issues"].take()
}

fn words(cli: &Cli, entry: &ToolEntry) -> Vec<String> {
    cli.command_line(entry.name(), &Map::new()).unwrap()
}

#[test]
fn a_text_in_an_option_has_the_issues_of_the_same_text_as_an_argument() {
    let (cli, _) = demo::demo(&Value::Null).unwrap();
    let registry = demo::registry().unwrap();
    let executor = Executor::standard(registry.clone()).coerce(Coerce::Text).build().unwrap();
    let (mut refused, mut taken) = (0, 0);
    for entry in registry.iter().filter(|entry| entry.def().surfaces.contains(Surface::Cli)) {
        let table = Table::new(entry.def(), entry.def().input_schema().unwrap().schema());
        for (param, text) in table.params.iter().flat_map(|param| TEXTS.map(|text| (param, text))) {
            let Some((option, value)) = given(param, text) else { continue };
            let args = Map::from_iter([(param.name.clone(), value)]);
            let (own, told) =
                (own(&executor, entry, args.clone()), told(&cli, &words(&cli, entry), &[&option]));
            assert_eq!(told, own, "{} {option}", entry.name());
            // As the whole object it is the same text to the same decoder.
            let input = Value::Object(args).to_string();
            let whole = told_of_input(&cli, entry, &input);
            assert_eq!(whole, own, "{} --input {input}", entry.name());
            let of_it = own.as_array().into_iter().flatten().any(|issue| {
                issue["path"].as_str().is_some_and(|path| path.starts_with(&format!("/{}", param.name)))
            });
            if of_it { refused += 1 } else { taken += 1 }
        }
    }
    assert!(refused >= 40 && taken >= 40, "{refused} texts were refused, {taken} were not");
}

fn told_of_input(cli: &Cli, entry: &ToolEntry, input: &str) -> Value {
    told(cli, &words(cli, entry), &["--input", input])
}
