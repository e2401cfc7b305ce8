//! What stands around a result: what its tool is called, notes of what was left out, and the members that stay.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use tests::captured::{self, Captured};
use tool_cli::{Cli, ExitCode, Io, Tty};
use tool_core::prelude::*;
use tool_core::{Executor, OutputStream, Piece, Registry, ShapeSettings};

/// Gives so many letters back.
#[tool(register = false)]
fn letters(
    /// How many.
    #[arg(positional)]
    count: usize,
) -> String {
    "x".repeat(count)
}

/// Checks a password.
#[tool(group = "door", timeout = "30s", tags = ["lock"], register = false)]
fn door_open(
    /// Which one.
    #[arg(positional, default = 1)]
    door: u32,
    /// The password.
    #[arg(secret, env = "DOOR_PASSWORD")]
    password: &str,
    /// How wide.
    #[arg(short = 'w')]
    width: Option<f64>,
) -> u32 {
    let _ = (password, width);
    door
}

fn run(words: &[&str]) -> (u8, String, String) {
    let registry = Registry::builder().add::<LettersTool>().add::<DoorOpenTool>().build().unwrap();
    let shape = ShapeSettings { results: None, ..ShapeSettings::default() };
    let executor = Executor::standard(registry.clone()).shape(shape);
    captured::run(&Cli::new(registry).name("demo").executor(executor), Path::new("/"), words)
}

#[test]
fn what_is_left_out_of_a_result_is_noted() {
    let whole = 12 << 20;
    let count = whole.to_string();
    let (code, stdout, stderr) = run(&["letters", &count]);
    assert_eq!((code, stderr.as_str()), (0, "result cut: 10 MiB of 12 MiB\n"));
    assert!(stdout.len() < whole);
    assert_eq!(run(&["letters", &count, "-q"]).2, "");
    assert_eq!(run(&["letters", "5"]), (0, "xxxxx\n".to_owned(), String::new()));
}

#[test]
fn a_command_that_every_program_has_goes_by_its_words() {
    for (line, tool) in [
        ("tools list", "tools list"),
        ("tools show letters", "tools show"),
        ("check", "tools check"),
        ("help ping", "help"),
        ("doctor", "doctor"),
        ("call --jsonl none", "call"),
        ("tools list --frob", "tools list"),
        // A tool goes by its name.
        ("door open --frob", "door_open"),
        ("call letters 5", "letters"),
    ] {
        let words: Vec<&str> = line.split(' ').chain(["--envelope"]).collect();
        let words = if line.starts_with("call --jsonl") {
            line.split(' ').chain(["-o", "jsonl"]).collect()
        } else {
            words
        };
        let (_, stdout, stderr) = run(&words);
        let answer: Value = serde_json::from_str(&format!("{stdout}{stderr}")).unwrap();
        assert_eq!(answer["tool"], tool, "{line}: {answer}");
    }
    let (_, plan, _) = run(&["tools", "list", "--dry-run", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&plan).unwrap()["tool"], "tools list");
}

#[test]
fn the_members_of_the_list_of_tools_stay() {
    let (_, stdout, _) = run(&["tools", "list", "door_open", "-o", "json"]);
    let mut listed: Value = serde_json::from_str(&stdout).unwrap();
    let tool = listed[0].as_object_mut().unwrap();
    let keys: Vec<&str> = tool.keys().map(String::as_str).collect();
    assert_eq!(
        keys.join(" "),
        "name title group aliases command summary behavior params tags surfaces timeout_ms secrets deprecated hidden \
         terminal origin fingerprint"
    );
    let param = |name: &str, flag: &str, more: Value| {
        let mut all = json!({
            "name": name, "flag": flag, "short": null, "positional": false, "kind": "text", "required": false,
            "default": null, "env": null, "secret": false,
        });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    assert_eq!(
        tool["params"],
        json!([
            param("door", "--door", json!({"positional": true, "default": 1})),
            param(
                "password",
                "--password-file",
                json!({"required": true, "env": "DOOR_PASSWORD", "secret": true})
            ),
            param("width", "--width", json!({"short": "w"})),
        ])
    );
    let keys: Vec<&String> = tool["params"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["name", "flag", "short", "positional", "kind", "required", "default", "env", "secret"]);
    assert_eq!([&tool["timeout_ms"], &tool["tags"]], [&json!(30_000), &json!(["lock"])]);
    // The option that is listed is one that works.
    let (code, _, stderr) = run(&["door", "open", "--password", "x"]);
    assert!(code == 2 && stderr.contains("--password-file"), "{stderr}");
}

/// Shows a word, and goes on until somebody stops it.
#[tool(register = false)]
async fn stream(ctx: &ToolContext) -> Result<String, ToolError> {
    let Some(live) = ctx.live() else { return Ok("collected".to_owned()) };
    live.show(ctx, Piece { stream: OutputStream::Out, text: "word\n", bytes: 5, skipped_bytes: 0 });
    ctx.cancelled().await;
    Err(ToolError::cancelled("Nobody listens."))
}

/// A terminal that takes nothing.
struct Gone(io::ErrorKind);

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn output_that_nobody_can_see_any_more_cancels_the_call_that_makes_it() {
    let run = |stdout: Box<dyn Write + Send>, terminal: bool| {
        let stderr = Captured::default();
        let tty = Tty { stdout: terminal, ..Tty::default() };
        let io = Io { stdout, stderr: Box::new(stderr.clone()), tty, ..Io::detached("/") };
        let registry = Registry::builder().add::<StreamTool>().build().unwrap();
        // Without its being cancelled the call would end for its time.
        (Cli::new(registry).name("demo").run_from(["stream", "--timeout", "30s"], io), stderr.text())
    };
    assert_eq!(run(Box::new(Gone(io::ErrorKind::BrokenPipe)), true), (ExitCode::SUCCESS, String::new()));
    let (code, stderr) = run(Box::new(Gone(io::ErrorKind::StorageFull)), true);
    assert_eq!(code, ExitCode(1));
    assert!(stderr.starts_with("error[output_write]: The call was cancelled: "), "{stderr}");
    let kept = Captured::default();
    assert_eq!(run(Box::new(kept.clone()), false), (ExitCode::SUCCESS, String::new()));
    assert_eq!(kept.text(), "collected\n", "elsewhere nothing streams");
}
