//! `COMPLETE=fish demo -- …`: the program itself says what a half-typed line may become.

#![cfg(feature = "dynamic-completion")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tool_cli::{Cli, ExitCode, Io};
use tool_core::Registry;
use tool_core::prelude::*;

/// Greets somebody.
#[tool(group = "shop", register = false)]
fn greet(
    /// Who is greeted.
    #[arg(positional)]
    name: &str,
    /// How often.
    #[arg(range = 1..=3, default = 1)]
    times: u32,
    /// Where it is kept from others.
    #[arg(hidden)]
    place: Option<&str>,
    /// What is said.
    #[arg(stdin)]
    words: Option<&str>,
) -> String {
    let said = format!("hello {name} {}{}", place.unwrap_or_default(), words.unwrap_or_default());
    said.repeat(times as usize)
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn run(shell: &str, line: &[&str]) -> (ExitCode, String, String) {
    run_in("/", shell, line)
}

fn run_in(directory: &str, shell: &str, line: &[&str]) -> (ExitCode, String, String) {
    let cli = Cli::new(Registry::builder().add::<GreetTool>().build().unwrap()).name("demo");
    let (stdout, stderr) = (Sink::default(), Sink::default());
    let env = [("COMPLETE".into(), shell.into())].into();
    let io = Io {
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        env,
        ..Io::detached(directory)
    };
    let code = cli.run_from(line.iter().copied(), io);
    (code, stdout.text(), stderr.text())
}

/// The words that a line may go on with, without their texts.
fn offered(line: &[&str]) -> Vec<String> {
    offered_in("/", line)
}

fn offered_in(directory: &str, line: &[&str]) -> Vec<String> {
    let (code, stdout, stderr) = run_in(directory, "fish", &[&["--", "demo"], line].concat());
    assert_eq!((code, stderr.as_str()), (ExitCode::SUCCESS, ""));
    stdout.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn words_and_options_that_are_listed_are_offered_and_hidden_ones_are_not() {
    assert_eq!(offered(&["sh"]), ["shop"]);
    assert_eq!(offered(&["shop", ""])[0], "greet");
    assert_eq!(offered(&["shop", "gr"]), ["greet"]);
    assert_eq!(offered(&["shop", "greet", "--ti"]), ["--times", "--timeout"]);
    assert!(!offered(&["shop", "greet", "--"]).contains(&"--place".to_owned()));
    assert_eq!(offered(&["-o", "ya"]), ["yaml"]);
}

#[test]
fn files_are_offered_behind_the_sign_where_a_value_may_be_one() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for line in [&["shop", "greet", "Ann", "--words", "@dyn"][..], &["shop", "greet", "--input", "@dyn"]] {
        assert_eq!(offered_in(here, line), ["@dynamic.rs"], "{line:?}");
    }
    assert_eq!(offered_in(here, &["shop", "greet", "--words=@dyn"]), ["--words=@dynamic.rs"]);
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    assert_eq!(offered_in(beside, &["shop", "greet", "--words", "@../tests/dyn"]), ["@../tests/dynamic.rs"]);
    assert_eq!(offered_in(here, &["shop", "greet", "--words", "dyn"]), [""; 0]);
    // What is no more than text is none, whatever it begins with.
    assert_eq!(offered_in(here, &["shop", "greet", "@dyn"]), [""; 0]);
}

#[test]
fn each_shell_gets_a_script_that_asks_the_program() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, stdout, stderr) = run(shell, &[]);
        assert_eq!((code, stderr.as_str()), (ExitCode::SUCCESS, ""), "{shell}");
        assert!(stdout.contains("COMPLETE") && stdout.contains("demo"), "{shell}: {stdout}");
    }
}

#[test]
fn an_unknown_shell_is_told_and_no_shell_is_none_that_asks() {
    let (code, stdout, stderr) = run("fsh", &[]);
    assert_eq!((code, stdout.as_str()), (ExitCode(3), ""));
    assert!(stderr.contains("no completion for the shell 'fsh'") && stderr.contains("fish"), "{stderr}");
    for none in ["", "0"] {
        assert_eq!(run(none, &["shop", "greet", "Ann"]).1, "hello Ann \n");
    }
}
