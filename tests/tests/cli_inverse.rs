//! The printed command line of a call, quoted and split again by a real shell, reads back as the same call: for every tool
//! of the program `demo` and of the standard tools.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;
use tests::demo;
use tests::rounds::rounds;
use tool_cli::test::{dry_run, form, same};
use tool_cli::{Cli, quote::quote};
use tool_core::def::Surface;
use tool_core::registry::Unmet;
use tool_core::test::Values;
use tool_core::{Coerce, Executor, Registry, ToolEntry};
use tool_std as _;

/// Calls of each tool.
fn calls() -> usize {
    rounds(1_000)
}

/// Calls that a tool may refuse, for each that it takes.
const PATIENCE: usize = 40;

#[test]
fn every_call_of_the_demo_reads_back() {
    let registry = demo::registry().unwrap();
    let (cli, _) = demo::demo(&Value::Null).unwrap();
    read_back(&cli, &registry);
}

#[test]
fn every_call_of_a_standard_tool_reads_back() {
    // Nothing runs: what the tools need is not asked for.
    let registry = Registry::builder().discover().unmet(Unmet::Hide).build().unwrap();
    assert!(registry.len() >= 15, "the standard tools are linked");
    read_back(&Cli::new(registry.clone()).name("toolbox"), &registry);
}

fn read_back(cli: &Cli, registry: &Registry) {
    let executor = Executor::standard(registry.clone()).coerce(Coerce::Text).build().unwrap();
    let directory = tool_trials::directory();
    std::fs::write(directory.path().join("FILE"), "hunter2\n").unwrap();
    for entry in registry.iter().filter(|entry| entry.def().surfaces.contains(Surface::Cli)) {
        let made = sound_calls(entry, &executor);
        let lines: Vec<Vec<String>> = made
            .iter()
            .map(|(args, _)| cli.command_line(entry.name(), args.as_object().unwrap()).unwrap())
            .collect();
        for (((args, form), line), split) in made.iter().zip(&lines).zip(split_by_shell(&lines)) {
            assert_eq!(*line, split, "the shell splits it otherwise");
            let found = dry_run(cli, &split, directory.path())
                .unwrap_or_else(|stderr| panic!("{split:?} was refused: {stderr}"));
            assert!(same(&found, form), "{args} of {} as {split:?}: {found} is not {form}", entry.name());
        }
    }
}

/// Random calls that the tool takes, with their normal forms.
fn sound_calls(entry: &ToolEntry, executor: &Executor) -> Vec<(Value, Value)> {
    let schema = entry.def().input_schema().unwrap().schema().clone();
    let mut values = Values::new(0x9e37_79b9_7f4a_7c15);
    let mut made = Vec::new();
    for _ in 0..calls() * PATIENCE {
        let args = values.of(&schema);
        let Some(form) = form(executor, entry, &args) else { continue };
        made.push((args, form));
        if made.len() == calls() {
            return made;
        }
    }
    panic!("only {} sound calls of {}", made.len(), entry.name());
}

/// The words of each line as `sh` sees them.
fn split_by_shell(lines: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut script = "show() { printf '%s\\0' \"$#\" \"$@\"; }\n".to_owned();
    for line in lines {
        let words: Vec<String> = line.iter().map(|word| quote(word)).collect();
        script.push_str(&format!("show {}\n", words.join(" ")));
    }
    let mut shell = Command::new("sh")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut stdin = shell.stdin.take().unwrap();
    let feeding = std::thread::spawn(move || stdin.write_all(script.as_bytes()));
    let output = shell.wait_with_output().unwrap();
    feeding.join().unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut words = text.split_terminator('\0').map(str::to_owned);
    let mut split = Vec::new();
    while let Some(count) = words.next() {
        split.push(words.by_ref().take(count.parse().unwrap()).collect());
    }
    split
}
