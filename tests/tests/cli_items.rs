//! Elements of a result that are printed as they come.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tests::captured::Captured;
use tool_cli::{Cli, ExitCode, Io, Tty};
use tool_core::prelude::*;
use tool_core::{ErrorKind, Items, Registry, ToolContext};

/// A line of a log.
#[derive(Serialize, JsonSchema)]
struct Entry {
    /// Its number.
    id: u32,
    /// What it says.
    text: String,
}

/// Who lets the tools go on: one step for each message.
struct Steps(Mutex<Receiver<()>>);

impl Steps {
    fn wait(&self) -> Result<(), ToolError> {
        let waited = self.0.lock().unwrap().recv_timeout(tool_trials::patience());
        waited.map_err(|_| ToolError::failed("Nobody has seen the last element."))
    }
}

/// Follows a log, and goes on when its last entry has been read.
#[tool(register = false)]
async fn follow(
    /// How many entries.
    #[arg(positional)]
    count: u32,
    /// Fail behind them.
    fail: bool,
    ctx: &ToolContext,
    #[ctx] steps: &Steps,
) -> Result<Items<Entry>, ToolError> {
    let mut entries = ctx.items();
    for id in 1..=count {
        entries.push(Entry { id, text: format!("\u{1b}[2J{id}") })?;
        steps.wait()?;
    }
    if fail { Err(ToolError::failed("The log is gone.")) } else { Ok(entries) }
}

/// Counts, and goes on when its last number has been read.
#[tool(register = false)]
async fn count(
    /// How far.
    #[arg(positional)]
    to: u32,
    ctx: &ToolContext,
    #[ctx] steps: &Steps,
) -> Result<Items<u32>, ToolError> {
    let mut numbers = ctx.items();
    for number in 1..=to {
        numbers.push(number)?;
        steps.wait()?;
    }
    Ok(numbers)
}

/// Emits what no schema tells of.
#[tool(register = false)]
async fn untyped(ctx: &ToolContext) -> Result<Items<Value>, ToolError> {
    let mut items = ctx.items();
    items.push(json!({"id": 1, "text": "a"}))?;
    items.push(json!({"id": 2, "text": "b", "more": true}))?;
    Ok(items)
}

/// Emits until nobody reads any more.
#[tool(register = false)]
async fn endless(ctx: &ToolContext) -> Result<Items<u32>, ToolError> {
    let mut numbers = ctx.items();
    loop {
        numbers.push(1)?;
        tokio::task::yield_now().await;
    }
}

/// Emits, and gives something else back.
#[tool(register = false)]
async fn sum(ctx: &ToolContext) -> Result<Value, ToolError> {
    let mut numbers = ctx.items();
    numbers.push(1)?;
    numbers.push(2)?;
    Ok(json!({"sum": 3}))
}

/// Emits what it passes over, and gives the rest back as a list of its own.
#[tool(register = false)]
async fn sift(ctx: &ToolContext) -> Result<Items<u32>, ToolError> {
    let (mut passed, mut kept) = (ctx.items(), ctx.items());
    for number in 1..=4 {
        if number % 2 == 0 { kept.push(number)? } else { passed.push(number)? }
    }
    Ok(kept)
}

/// Keeps what is written, and tells of each line.
struct Reader {
    kept: Captured,
    read: Sender<()>,
}

impl Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.kept.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        // The tool may have ended already.
        let _ = self.read.send(());
        Ok(())
    }
}

fn cli(steps: Receiver<()>) -> Cli {
    let registry = Registry::builder()
        .add::<FollowTool>()
        .add::<CountTool>()
        .add::<EndlessTool>()
        .add::<SumTool>()
        .add::<UntypedTool>()
        .add::<SiftTool>()
        .build()
        .unwrap();
    let steps = Arc::new(Steps(Mutex::new(steps)));
    Cli::new(registry)
        .name("demo")
        .context(move |_| Ok(ToolContext::builder().provide_arc::<Steps>(Arc::clone(&steps))))
}

/// A run in which every element is waited for: its exit status, standard output and standard error.
fn watched(words: &str, tty: Tty) -> (ExitCode, String, String) {
    let (read, steps) = channel();
    let (kept, stderr) = (Captured::default(), Captured::default());
    let stdout = Box::new(Reader { kept: kept.clone(), read });
    let io = Io { stdout, stderr: Box::new(stderr.clone()), tty, ..Io::detached("/") };
    let code = cli(steps).run_from(words.split(' '), io);
    (code, kept.text(), stderr.text())
}

/// The same where nothing is printed before the end.
fn collected(words: &str, tty: Tty) -> (ExitCode, String, String) {
    let (go, steps) = channel();
    (0..10).for_each(|_| go.send(()).unwrap());
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let io =
        Io { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()), tty, ..Io::detached("/") };
    let code = cli(steps).run_from(words.split(' '), io);
    (code, stdout.text(), stderr.text())
}

const PIPE: Tty = Tty { stdin: false, stdout: false, stderr: false };
const TERMINAL: Tty = Tty { stdin: false, stdout: true, stderr: false };

#[test]
fn jsonl_prints_each_element_before_the_tool_makes_the_next() {
    let lines = "{\"id\":1,\"text\":\"\\u001b[2J1\"}\n{\"id\":2,\"text\":\"\\u001b[2J2\"}\n";
    for tty in [PIPE, TERMINAL] {
        assert_eq!(
            watched("follow 2 -o jsonl", tty),
            (ExitCode::SUCCESS, lines.to_owned(), String::new()),
            "{tty:?}"
        );
    }
    assert_eq!(watched("follow 0 -o jsonl", PIPE), (ExitCode::SUCCESS, String::new(), String::new()));
}

#[test]
fn the_lines_are_those_of_the_whole_list() {
    for words in ["follow 3", "count 3", "follow 3 --select id", "follow 3 --select text,id"] {
        let (_, whole, _) = collected(&format!("{words} --json"), PIPE);
        let whole: Vec<Value> = serde_json::from_str(&whole).unwrap();
        let (_, lines, _) = watched(&format!("{words} -o jsonl"), PIPE);
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), lines), (3, whole), "{words}");
    }
}

#[test]
fn a_terminal_shows_what_is_one_line_each_as_it_comes_and_a_table_at_the_end() {
    let done = |text: &str| (ExitCode::SUCCESS, text.to_owned(), String::new());
    assert_eq!(watched("count 3", TERMINAL), done("1\n2\n3\n"));
    let table = collected("follow 2", TERMINAL);
    assert!(table.1.starts_with("id  text\n 1  \\u{1b}[2J1\n"), "{}", table.1);
    // In a pipe the list is one JSON value.
    assert_eq!(collected("count 3", PIPE), done("[1,2,3]\n"));
    assert_eq!(collected("count 3 -o text", PIPE), done("1\n2\n3\n"));
}

#[test]
fn what_is_about_the_whole_list_waits_for_it() {
    for (words, shown) in [
        ("count 3 -o jsonl --select [1]", "2\n"),
        ("count 3 -o jsonl --select $[-1:]", "3\n"),
        ("count 2 -o jsonl --envelope", "{\"ok\":true,\"tool\":\"count\",\"data\":[1,2],"),
        ("count 2 -o yaml", "- 1\n- 2\n"),
        ("count 2 -o table", "value\n    1\n    2\n"),
    ] {
        let (code, stdout, stderr) = collected(words, PIPE);
        assert!(stdout.starts_with(shown), "{words}: {stdout}{stderr}");
        assert_eq!((code, stderr), (ExitCode::SUCCESS, String::new()), "{words}");
    }
}

#[test]
fn a_part_that_no_element_has_warns_once() {
    let (code, stdout, stderr) = watched("untyped -o jsonl --select id,txt", PIPE);
    let lines = "{\"id\":1,\"txt\":null}\n{\"id\":2,\"txt\":null}\n";
    assert_eq!((code, stdout.as_str()), (ExitCode::SUCCESS, lines));
    assert_eq!(stderr, "warning: --select txt is absent; did you mean `text`?\n");
    assert_eq!(watched("untyped -o jsonl --select id,txt -q", PIPE).2, "");
    // One element that has it is enough.
    assert_eq!(watched("untyped -o jsonl --select more", PIPE).1, "null\ntrue\n");
    assert_eq!(watched("untyped -o jsonl --select more", PIPE).2, "");
}

#[test]
fn what_is_out_stays_out_when_the_call_then_fails() {
    let (code, stdout, stderr) = watched("follow 2 --fail -o jsonl", PIPE);
    assert_eq!((code, stdout.lines().count()), (ExitCode(1), 2));
    let error: Value = serde_json::from_str(&stderr).unwrap();
    assert_eq!(error["error"]["message"], "The log is gone.");
    assert!(error["error"].get("details").is_none(), "it has been printed: {error}");
    // Where it was not, the error has it.
    let (code, stdout, stderr) = collected("follow 2 --fail --json", PIPE);
    let error: Value = serde_json::from_str(&stderr).unwrap();
    assert_eq!((code, stdout.as_str()), (ExitCode(1), ""));
    assert_eq!(error["error"]["details"]["partial"][1]["id"], 2);
}

#[test]
fn a_result_that_is_not_the_list_stands_behind_its_elements() {
    assert_eq!(
        collected("sum -o jsonl", PIPE),
        (ExitCode::SUCCESS, "1\n2\n{\"sum\":3}\n".to_owned(), String::new())
    );
}

#[test]
fn a_list_that_nobody_saw_is_not_lost_behind_another_one() {
    let done = |text: &str| (ExitCode::SUCCESS, text.to_owned(), String::new());
    assert_eq!(collected("sift -o jsonl", PIPE), done("1\n3\n2\n4\n"));
    assert_eq!(collected("sift", TERMINAL), done("1\n3\n2\n4\n"));
    assert_eq!(collected("sift --json", PIPE), done("[2,4]\n"));
}

/// Takes one line.
struct Gone(io::ErrorKind, bool);

impl Write for Gone {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if std::mem::replace(&mut self.1, true) { Err(self.0.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn elements_that_nobody_reads_any_more_cancel_the_call_that_makes_them() {
    let run = |kind| {
        let stderr = Captured::default();
        let stdout = Box::new(Gone(kind, false));
        let io = Io { stdout, stderr: Box::new(stderr.clone()), ..Io::detached("/") };
        // Without its being cancelled the call would end for its time.
        (cli(channel().1).run_from(["endless", "-o", "jsonl", "--timeout", "1m"], io), stderr.text())
    };
    assert_eq!(run(io::ErrorKind::BrokenPipe), (ExitCode::SUCCESS, String::new()));
    let (code, stderr) = run(io::ErrorKind::StorageFull);
    assert_eq!(code, ExitCode(1));
    let error: Value = serde_json::from_str(&stderr).unwrap();
    assert_eq!(error["error"]["code"], "output_write", "{stderr}");
    assert_eq!(error["error"]["kind"], ErrorKind::Failed.as_str());
}
