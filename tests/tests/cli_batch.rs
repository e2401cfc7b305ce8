//! `call --jsonl`: one answer a line, in order, flushed at once.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::captured::Captured;
use tokio_util::sync::CancellationToken;
use tool_cli::{Cli, ExitCode, Io};
use tool_core::prelude::*;
use tool_core::{ErrorKind, Registry, args};

/// Longest time that anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// What began and ended, in order.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn note(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }

    /// Waits until something is noted.
    fn expect(&self, what: &str) {
        let began = Instant::now();
        while !self.0.lock().unwrap().iter().any(|line| line == what) {
            assert!(began.elapsed() < PATIENCE, "{what} was not noted");
            thread::park_timeout(Duration::from_millis(1));
        }
    }
}

/// Waits and gives its time back.
#[tool(register = false)]
async fn wait(
    /// Milliseconds.
    ms: u64,
    #[ctx] diary: &Diary,
) -> u64 {
    diary.note(format!("wait {ms} begins"));
    tokio::time::sleep(Duration::from_millis(ms)).await;
    diary.note(format!("wait {ms} ends"));
    ms
}

/// Changes something.
#[tool(side_effect, idempotent, register = false)]
fn change(#[ctx] diary: &Diary) {
    diary.note("change".to_owned());
}

/// Removes something.
#[tool(destructive, idempotent, register = false)]
fn remove(
    /// What.
    #[arg(positional)]
    id: u64,
    #[ctx] diary: &Diary,
) {
    diary.note(format!("remove {id}"));
}

/// Waits until the caller goes away.
#[tool(register = false)]
async fn linger(#[ctx] diary: &Diary, ctx: &ToolContext) -> Result<(), ToolError> {
    diary.note("linger begins".to_owned());
    ctx.cancelled().await;
    Err(ToolError::cancelled("The caller went away."))
}

fn program(diary: &Diary) -> Cli {
    let registry = Registry::builder()
        .add::<WaitTool>()
        .add::<ChangeTool>()
        .add::<RemoveTool>()
        .add::<LingerTool>()
        .build()
        .unwrap();
    let diary = diary.clone();
    Cli::new(registry).name("demo").context(move |_| Ok(ToolContext::builder().provide(diary.clone())))
}

fn run(diary: &Diary, options: &[&str], input: impl Into<Vec<u8>>) -> (ExitCode, Vec<Value>) {
    let sink = Captured::default();
    let stdin = io::Cursor::new(input.into());
    let io = Io { stdin: Box::new(stdin), stdout: Box::new(sink.clone()), ..Io::detached("/") };
    let code = program(diary).run_from([&["call", "--jsonl", "-"], options].concat(), io);
    let text = sink.text();
    (code, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn answers_come_in_order_though_reads_overlap() {
    let diary = Diary::default();
    let lines: String = [60, 40, 20, 0]
        .map(|ms| format!("{{\"id\":{ms},\"tool\":\"wait\",\"args\":{{\"ms\":{ms}}}}}\n"))
        .concat();
    let (code, answers) = run(&diary, &["--jobs", "4"], lines);
    assert_eq!(code, ExitCode::SUCCESS);
    assert_eq!(answers.iter().map(|answer| &answer["data"]).collect::<Vec<_>>(), [60, 40, 20, 0]);
    let first_end = diary.0.lock().unwrap().iter().position(|note| note.ends_with("ends")).unwrap();
    assert_eq!(first_end, 4, "all four begin before one ends");
}

#[test]
fn a_side_effect_waits_for_all_before_it_and_all_behind_it_wait() {
    let diary = Diary::default();
    let lines = "{\"tool\":\"wait\",\"args\":{\"ms\":30}}\n{\"tool\":\"change\"}\n{\"tool\":\"wait\",\"args\":{\"ms\":1}}\n";
    let (code, answers) = run(&diary, &["--jobs", "8"], lines);
    assert_eq!((code, answers.len()), (ExitCode::SUCCESS, 3));
    let diary = diary.0.lock().unwrap();
    assert_eq!(*diary, ["wait 30 begins", "wait 30 ends", "change", "wait 1 begins", "wait 1 ends"]);
}

#[test]
fn a_bad_line_is_answered_and_does_not_stop_the_rest() {
    let lines = "nonsense\n\n{\"id\":2,\"tool\":\"chang\"}\n{\"id\":3,\"tool\":\"change\",\"more\":1}\n{\"id\":4,\"tool\":\"change\"}";
    let (code, answers) = run(&Diary::default(), &[], lines);
    assert_eq!(code, ExitCode::FAILURE);
    let told: Vec<Value> =
        answers.iter().map(|a| json!([a["line"], a["id"], a["tool"], a["error"]["code"]])).collect();
    let expected = json!([
        [1, null, null, "malformed_json"],
        [3, 2, "chang", "unknown_tool"],
        [4, 3, null, "invalid_args"],
        [5, 4, "change", null],
    ]);
    assert_eq!(Value::from(told), expected);
}

#[test]
fn a_line_that_is_none_is_told_with_its_number() {
    let (_, answers) = run(&Diary::default(), &[], "{\"tool\":\"change\"}\nnonsense\n[1]\n");
    let told: Vec<_> =
        answers.iter().map(|a| (&a["error"]["message"], &a["error"]["issues"][0]["got"])).collect();
    assert_eq!(told[0], (&Value::Null, &Value::Null));
    assert_eq!(told[1], (&json!("Line 2 is not valid JSON."), &json!("column 2: nonsense")));
    assert_eq!(told[2], (&json!("Line 3 is not a JSON object."), &json!("array of 1 item")));
    assert!(answers[1]["error"]["hint"].as_str().unwrap().contains(r#""tool": "NAME""#));
}

#[test]
fn arguments_may_be_a_text_that_holds_an_object() {
    let lines = ["{\\\"id\\\":7}", "[7]", "{\\\"id\\\":"]
        .map(|args| format!("{{\"tool\":\"remove\",\"args\":\"{args}\"}}\n"))
        .concat();
    let diary = Diary::default();
    let (code, answers) = run(&diary, &["--yes"], lines);
    assert_eq!(code, ExitCode::FAILURE);
    assert_eq!(answers[0]["meta"]["coerced"], json!([{"path": "", "rule": "json_string_to_object"}]));
    assert_eq!(answers[1]["error"]["code"], "not_an_object");
    assert_eq!(answers[2]["error"]["code"], "malformed_json");
    assert_eq!(*diary.0.lock().unwrap(), ["remove 7"]);
}

#[test]
fn a_member_that_a_line_gives_twice_is_named_with_the_line_and_the_same_in_the_arguments_is_an_issue_there() {
    let lines = "\n{\"id\":1,\"tool\":\"change\",\"id\":2}\n{\"id\":7,\"tool\":\"remove\",\"args\":{\"id\":1,\"id\":1}}\n{\"id\":1,\"tool\":\"change\"}";
    let (_, answers) = run(&Diary::default(), &[], lines);
    let [of_line, of_arguments, sound] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!(of_line["error"]["message"], "Line 2 gives \"id\" twice.");
    let issues =
        json!([{"path": "", "code": "duplicate", "expected": "one value", "got": "the key \"id\" twice"}]);
    assert_eq!(of_line["error"]["issues"], issues);
    // Arguments given twice are told as with `--input`.
    assert_eq!(of_arguments["error"]["code"], "duplicate_key");
    assert_eq!(of_arguments["error"]["issues"][0]["path"], "/id");
    assert_eq!([&of_arguments["id"], &of_arguments["tool"]], [&json!(7), &json!("remove")]);
    assert_eq!(sound["ok"], true);
}

#[test]
fn what_is_wrong_with_a_line_is_told_like_what_is_wrong_with_a_call() {
    let lines = [
        json!({"id": {}, "tool": 5, "arg": {"id": 1}, "args": []}),
        json!({"id": 2, "tool": "remove", "args": []}),
        json!({"id": 3, "tool": "change", "args": null}),
    ];
    let (_, answers) = run(&Diary::default(), &[], lines.map(|line| format!("{line}\n")).concat());
    let [line, arguments, sound] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!([&line["id"], &line["tool"]], [&Value::Null, &Value::Null]);
    assert_eq!(
        line["error"]["issues"],
        json!([
            {"path": "/id", "code": "type", "expected": "string or number", "got": "empty object"},
            {"path": "/tool", "code": "type", "expected": "string", "got": "integer 5"},
            {"path": "/args", "code": "type", "expected": "object or string", "got": "array of 0 items"},
            {"path": "/arg", "code": "unknown", "expected": "one of the parameters id, tool, args",
             "got": "object with keys id",
             "hint": "did you mean `args`?"},
        ])
    );
    assert_eq!([&arguments["id"], &arguments["tool"]], [&json!(2), &json!("remove")]);
    assert_eq!(arguments["error"]["issues"][0]["path"], "/args");
    assert_eq!(sound["ok"], true);
}

#[test]
fn what_is_shown_of_a_bad_line_ends_with_the_line() {
    let (_, answers) = run(&Diary::default(), &[], "nonsense\n\n");
    assert_eq!(answers[0]["error"]["issues"][0]["got"], "column 2: nonsense");
}

#[test]
fn a_line_that_is_too_long_is_an_answer_and_the_next_one_is_read() {
    let mut input = vec![b' '; args::MAX_ARGS_BYTES + 10];
    input.extend(b"\n{\"id\":1,\"tool\":\"change\"}\n");
    let (code, answers) = run(&Diary::default(), &[], input);
    assert_eq!(code, ExitCode::FAILURE);
    assert_eq!(answers[0]["error"]["issues"][0]["code"], "size");
    assert_eq!(answers[1]["ok"], true);
}

#[test]
fn a_program_can_talk_line_by_line() {
    let (stdin, mut to) = io::pipe().unwrap();
    let (from, stdout) = io::pipe().unwrap();
    let talk = thread::spawn(move || {
        let io = Io { stdin: Box::new(stdin), stdout: Box::new(stdout), ..Io::detached("/") };
        program(&Diary::default()).run_from(["call", "--jsonl", "-"], io)
    });
    let mut answers = BufReader::new(from).lines();
    for id in 0..1_000 {
        writeln!(to, "{{\"id\":{id},\"tool\":\"change\"}}").unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!((&answer["id"], &answer["ok"]), (&json!(id), &json!(true)));
    }
    drop(to);
    assert_eq!(talk.join().unwrap(), ExitCode::SUCCESS);
}

/// The same through the pipes of a process.
#[test]
fn a_process_can_be_talked_to_line_by_line() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_demo"))
        .args(["call", "--jsonl", "-"])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for id in 0..1_000 {
        writeln!(to, "{{\"id\":{id},\"tool\":\"math_add\",\"args\":{{\"a\":{id},\"b\":1}}}}").unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!((&answer["id"], &answer["ok"]), (&json!(id), &json!(true)), "{answer}");
    }
    drop(to);
    assert!(answers.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn cancellation_answers_what_runs_and_leaves_what_was_not_read() {
    let (stdin, mut to) = io::pipe().unwrap();
    let (from, stdout) = io::pipe().unwrap();
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let diary = Diary::default();
    let program = program(&diary);
    let talk = thread::spawn(move || {
        let io = Io { stdin: Box::new(stdin), stdout: Box::new(stdout), cancel: token, ..Io::detached("/") };
        program.run_from(["call", "--jsonl", "-"], io)
    });
    writeln!(to, "{{\"id\":1,\"tool\":\"change\"}}\n{{\"id\":2,\"tool\":\"linger\"}}").unwrap();
    let mut answers =
        BufReader::new(from).lines().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    assert_eq!(answers.next().unwrap()["id"], 1);
    diary.expect("linger begins");
    cancel.cancel();
    let last = answers.next().unwrap();
    assert_eq!((&last["id"], &last["error"]["kind"]), (&json!(2), &json!("cancelled")), "{last}");
    assert!(answers.next().is_none(), "what was not read gets no answer");
    drop(to);
    assert_eq!(talk.join().unwrap(), ExitCode(130));
}

#[test]
fn what_makes_no_sense_for_many_answers_is_refused_and_jsonl_is_not() {
    for options in [&["--envelope"][..], &["--json"], &["-o", "yaml"], &["--out", "x"], &["--jobs", "0"]] {
        assert_eq!(run(&Diary::default(), options, "").0, ExitCode(2), "{options:?}");
    }
    assert_eq!(run(&Diary::default(), &["-o", "jsonl", "--jobs", "64"], "").0, ExitCode::SUCCESS);
}

/// A call that takes too long, alone and as a line: the error is the same.
#[test]
fn the_time_limit_of_a_line_is_that_of_a_call() {
    let stderr = Captured::default();
    let io = Io { stderr: Box::new(stderr.clone()), ..Io::detached("/") };
    let words = ["wait", "--ms", "60000", "--timeout", "20ms", "--json"];
    let code = program(&Diary::default()).run_from(words, io);
    let alone: Value = serde_json::from_str(&stderr.text()).unwrap();
    let lines = "{\"id\":1,\"tool\":\"wait\",\"args\":{\"ms\":60000}}\n{\"id\":2,\"tool\":\"change\"}\n";
    let (ended, answers) = run(&Diary::default(), &["--timeout", "20ms"], lines);
    assert_eq!((code, ended), (ExitCode(ErrorKind::Timeout.exit_code()), ExitCode::FAILURE));
    assert_eq!((&alone["error"]["kind"], &alone["error"]["retryable"]), (&json!("timeout"), &json!(true)));
    assert_eq!(answers[0]["error"], alone["error"]);
    assert_eq!(answers[1]["ok"], true, "each line has its own time");
}

#[test]
fn nobody_is_asked_and_only_yes_lets_a_destructive_line_run() {
    let diary = Diary::default();
    let line = "{\"tool\":\"remove\",\"args\":{\"id\":7}}\n";
    let (code, answers) = run(&diary, &[], line);
    assert_eq!((code, &answers[0]["error"]["code"]), (ExitCode::FAILURE, &json!("approval_unavailable")));
    assert!(diary.0.lock().unwrap().is_empty());
    assert_eq!(run(&diary, &["--yes"], line).0, ExitCode::SUCCESS);
    assert_eq!(*diary.0.lock().unwrap(), ["remove 7"]);
}

#[test]
fn a_dry_run_tells_of_each_line_what_it_would_do() {
    let diary = Diary::default();
    let lines =
        "{\"tool\":\"remove\",\"args\":{\"id\":\"7\"}}\n{\"tool\":\"change\"}\n{\"tool\":\"remove\"}\n";
    let (code, answers) = run(&diary, &["--dry-run"], lines);
    assert_eq!(code, ExitCode::FAILURE, "what would be refused is refused");
    assert_eq!(
        answers[0]["data"],
        json!({"dry_run": true, "tool": "remove", "args": {"id": 7}, "decision": "ask", "command": "demo remove 7"})
    );
    assert_eq!(answers[1]["data"]["decision"], "run");
    assert_eq!(answers[2]["error"]["kind"], "invalid_args");
    assert_eq!(run(&diary, &["--dry-run", "--yes"], lines).1[0]["data"]["decision"], "run");
    assert!(diary.0.lock().unwrap().is_empty(), "nothing ran");
}

/// A reader that fails behind its bytes.
struct Failing(io::Cursor<Vec<u8>>);

impl io::Read for Failing {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match io::Read::read(&mut self.0, bytes)? {
            0 => Err(io::ErrorKind::ConnectionReset.into()),
            count => Ok(count),
        }
    }
}

/// Exit status, answers and standard error of a batch whose input fails behind these lines.
fn failing(lines: &str, options: &[&str]) -> (ExitCode, usize, String) {
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let io = Io {
        stdin: Box::new(Failing(io::Cursor::new(lines.into()))),
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        ..Io::detached("/")
    };
    let code = program(&Diary::default()).run_from([&["call", "--jsonl", "-"], options].concat(), io);
    (code, stdout.text().lines().count(), stderr.text())
}

#[test]
fn an_input_of_which_nothing_can_be_read_is_a_wrong_one() {
    let (code, answers, stderr) = failing("", &[]);
    assert_eq!((code, answers), (ExitCode(2), 0), "{stderr}");
    assert!(
        stderr.contains("  --jsonl  expected a readable file, got string \"-\"; cannot read"),
        "{stderr}"
    );
    let run = |line: &str| {
        let line = format!("{} call {line}", env!("CARGO_BIN_EXE_demo"));
        Command::new("sh").args(["-c", &line]).env_clear().current_dir("/").output().unwrap()
    };
    for line in ["--jsonl . -o jsonl", "--jsonl - -o jsonl <.", "--jsonl none -o jsonl"] {
        let output = run(line);
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{line}");
        let issue = &error["error"]["issues"][0];
        assert_eq!([&issue["path"], &issue["code"]], [&json!("/jsonl"), &json!("invalid")], "{error}");
        assert_eq!([&error["tool"], &error["error"]["details"]["flags"][0]], ["call", "--jsonl"]);
    }
    assert!(run("--jsonl - </dev/null").status.success());
}

#[test]
fn an_input_that_breaks_off_is_a_failure_behind_the_answers() {
    let (code, answers, stderr) = failing("{\"tool\":\"change\"}\n{\"tool\":\"change\"}\n", &[]);
    assert_eq!((code, answers), (ExitCode::FAILURE, 2), "{stderr}");
    assert!(stderr.starts_with("error[input_read]: Line 3 cannot be read: "), "{stderr}");
}

#[test]
fn a_part_that_is_absent_is_told_with_its_line() {
    let lines = "{\"tool\":\"change\"}\n{\"tool\":\"wait\",\"args\":{\"ms\":0}}\n";
    let select = |options: &[&str], path: &str| {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let io = Io {
            stdin: Box::new(io::Cursor::new(lines.to_owned())),
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            ..Io::detached("/")
        };
        let line = [&["call", "--jsonl", "-", "--select", path], options].concat();
        assert_eq!(program(&Diary::default()).run_from(line, io), ExitCode::SUCCESS);
        (stdout.text().lines().count(), stderr.text())
    };
    let told = "warning: line 1: --select changes nothing: the result has no structured value\n\
                warning: line 2: --select nope is absent\n";
    assert_eq!(select(&[], "nope"), (2, told.to_owned()));
    assert_eq!(select(&["-q"], "nope"), (2, String::new()));
}

#[test]
fn an_id_comes_back_digit_for_digit_or_is_refused() {
    for id in ["12345678901234567890123", "-9007199254740993000000", "1e30"] {
        let (code, answers) =
            run(&Diary::default(), &[], format!("{{\"id\":{id},\"tool\":\"change\",\"more\":1}}"));
        assert_eq!((code, &answers[0]["id"]), (ExitCode::FAILURE, &Value::Null), "{id}");
        let paths: Vec<&Value> =
            answers[0]["error"]["issues"].as_array().unwrap().iter().map(|issue| &issue["path"]).collect();
        assert_eq!(paths, ["/id", "/more"], "{id}: {answers:?}");
    }
    for id in ["18446744073709551615", "-9223372036854775808", "1.5", "\"12345678901234567890123\""] {
        let diary = Diary::default();
        let line = format!("{{\"id\":{id},\"tool\":\"change\"}}");
        let (code, answers) = run(&diary, &[], line);
        assert_eq!((code, answers[0]["id"].to_string()), (ExitCode::SUCCESS, id.to_owned()));
    }
}
