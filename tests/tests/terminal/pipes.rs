//! Pipes that are closed, full, endless or slow.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::program::{DEMO, PATIENT, has, homeless, toolbox, until};
use crate::pty::start;

fn bash(line: &str) -> (Option<i32>, String, String) {
    let mut bash = Command::new("bash");
    let output = homeless(bash.args(["-c", line])).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    if !has("bash") {
        return;
    }
    let folder = tool_trials::directory();
    let big = folder.path().join("big");
    fs::write(&big, "a line of text\n".repeat(100_000)).unwrap();
    let list = format!("{} tools list -o jsonl", toolbox());
    let read = format!("{} --root {} file read big --json", toolbox(), folder.path().display());
    let lines = format!("yes '{{\"tool\":\"ping\"}}' | {DEMO} call --jsonl -");
    for line in [list, read] {
        for pipefail in ["", "set -o pipefail; "] {
            let (code, stdout, stderr) = bash(&format!("{pipefail}{line} | head -c 20"));
            assert_eq!((code, stderr.as_str()), (Some(0), ""), "{line}");
            assert_eq!(stdout.len(), 20, "{line}");
        }
    }
    let (code, stdout, stderr) = bash(&format!("{lines} | head -n 3; exit ${{PIPESTATUS[1]}}"));
    assert_eq!((code, stdout.lines().count(), stderr.as_str()), (Some(0), 3, ""));
}

/// Standard output is a pipe that nobody reads from the beginning, so that each write fails.
#[test]
fn what_nobody_reads_ends_in_silence_with_the_calls_own_status() {
    let folder = tool_trials::directory();
    fs::write(folder.path().join("line"), "{\"tool\":\"ping\"}\n").unwrap();
    let lines: [(&[&str], i32); 6] = [
        (&["ping"], 0),
        (&["ping", "-o", "json"], 0),
        (&["--help"], 0),
        (&["tools", "list", "-o", "jsonl"], 0),
        (&["call", "--jsonl", "line"], 0),
        (&["store", "search", "lamp", "--limit", "0", "--envelope"], 2),
    ];
    for (words, status) in lines {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let trace = folder.path().join("trace");
        let mut command = match tool_trials::is_installed("strace") {
            true => {
                let mut strace = Command::new("strace");
                strace.args(["-f", "-qq", "-e", "trace=write", "-o"]).arg(&trace).arg(DEMO);
                strace
            }
            false => Command::new(DEMO),
        };
        let command = command.args(words).current_dir(folder.path()).stdin(Stdio::null());
        let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), told.as_ref()), (Some(status), ""), "{words:?}");
        if has("strace") {
            let trace = fs::read_to_string(&trace).unwrap();
            assert!(trace.contains("EPIPE"), "{words:?} wrote to nobody: {trace}");
        }
    }
}

#[test]
fn a_full_disk_is_told_in_one_line() {
    if !fs::exists("/dev/full").unwrap() {
        return;
    }
    let folder = tool_trials::directory();
    fs::write(folder.path().join("big"), "a line of text\n".repeat(10_000)).unwrap();
    let read = format!("{} --root {} file read big", toolbox(), folder.path().display());
    let batch = format!("echo '{{\"tool\":\"ping\"}}' | {DEMO} call --jsonl -");
    for line in [format!("{read} --json"), read, batch] {
        let (code, _, stderr) = bash(&format!("{line} > /dev/full"));
        assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{line}: {stderr}");
        assert!(stderr.contains("output_write") && stderr.contains("succeeded"), "{line}: {stderr}");
    }
    // A page or script is no result of a call, of which there is none that succeeded.
    for page in ["--help", "--version", "--llms", "completions bash", "help ping"] {
        let (code, _, stderr) = bash(&format!("{DEMO} {page} > /dev/full"));
        assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{page}: {stderr}");
        assert!(
            stderr.starts_with("error[output_write]: The output could not be written: "),
            "{page}: {stderr}"
        );
    }
}

#[test]
fn a_schema_is_json_on_a_terminal_too_unless_another_form_is_asked_for() {
    for words in
        ["store search --schema", "tools schema store_search --target mcp", "store search --schema=openai -q"]
    {
        let text = start(&format!("{DEMO} {words}"), &[]).kept();
        let value: Result<Value, _> = serde_json::from_str(&text);
        assert!(value.is_ok(), "{words}: {text}");
        let text = start(&format!("{DEMO} {words} -o yaml"), &[]).kept();
        assert!(serde_json::from_str::<Value>(&text).is_err(), "{words}: {text}");
    }
}

#[test]
fn a_failure_that_cannot_be_told_where_it_should_be_is_told_in_one_line_beside() {
    if !fs::exists("/dev/full").unwrap() {
        return;
    }
    let search = format!("{DEMO} store search lamp --limit 0 --envelope");
    let (code, stdout, stderr) = bash(&search);
    assert_eq!((code, stderr.as_str()), (Some(2), ""), "{stdout}");
    for (line, told) in [(search, "invalid_args"), (format!("{DEMO} ping --envelope"), "succeeded")] {
        let (code, _, stderr) = bash(&format!("{line} > /dev/full"));
        assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{line}: {stderr}");
        let error = &serde_json::from_str::<Value>(&stderr).unwrap()["error"];
        assert_eq!(error["code"], "output_write", "{line}");
        assert!(error["message"].as_str().unwrap().contains(told), "{line}: {stderr}");
    }
}

#[test]
fn standard_output_of_a_server_is_the_protocols_alone() {
    let serve = format!("{} mcp serve", toolbox());
    for option in ["-o json", "--format text", "--json", "--select a", "--out x", "--envelope"] {
        // With an envelope the refusal is in it.
        let (code, stdout, stderr) = bash(&format!("{serve} {option}"));
        let told = stdout + &stderr;
        assert_eq!(code, Some(2), "{option}: {told}");
        assert!(told.contains("messages of the protocol alone"), "{option}: {told}");
    }
    // A variable holds for all commands, and is not meant for this one.
    for line in [serve.clone(), format!("TOOLBOX_FORMAT=json {serve}")] {
        assert_eq!(bash(&line), (Some(0), String::new(), String::new()), "{line}");
    }
}

#[test]
fn standard_input_that_never_ends_blocks_only_those_who_ask_for_it() {
    let run = |args: &[&str]| {
        let mut child = homeless(Command::new(PATIENT).args(args))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Held open until the program has ended.
        let _stdin = child.stdin.take();
        until("the end", || child.try_wait().unwrap().is_some());
        child.wait().unwrap().code()
    };
    assert_eq!(run(&["take", "--handle", "x"]), Some(0));
    assert_eq!(run(&["take", "--body", "-", "--other", "-"]), Some(2), "refused without reading");
}

#[test]
fn ten_thousand_calls_are_answered_in_order_within_bounds_while_the_reader_sleeps() {
    const CALLS: usize = 10_000;
    const PADDING: usize = 8 << 10;
    let mut child = homeless(Command::new(DEMO).args(["call", "--jsonl", "-", "--jobs", "8"]))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let padding = "x".repeat(PADDING);
    let writing = thread::spawn(move || {
        for id in 0..CALLS {
            writeln!(stdin, "{{\"id\":\"{id}:{padding}\",\"tool\":\"ping\"}}").unwrap();
            count.fetch_add(1, Ordering::Relaxed);
        }
        stdin
    });
    // Nobody reads: the program must stop reading as well.
    let mut before = (usize::MAX, 0);
    until("a standstill", || {
        let now = written.load(Ordering::Relaxed);
        before = if now == before.0 { (now, before.1 + 1) } else { (now, 0) };
        thread::park_timeout(Duration::from_millis(10));
        before.1 >= 30
    });
    assert!(before.0 < CALLS / 4, "{} lines were taken in while nobody read", before.0);
    let mut answers = BufReader::new(stdout).lines();
    for id in 0..CALLS {
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["data"], "pong");
        assert_eq!(answer["line"], id + 1);
        assert!(answer["id"].as_str().unwrap().starts_with(&format!("{id}:")));
    }
    let peak = peak_memory(child.id());
    assert!(peak < 64 << 10, "{peak} KiB");
    drop(writing.join().unwrap());
    assert!(answers.next().is_none());
    assert!(child.wait().unwrap().success());
}

/// The most memory that a process had at any time, in KiB.
fn peak_memory(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_file_name_with_escapes_is_text_on_a_terminal_and_raw_in_a_pipe() {
    let folder = tool_trials::directory();
    fs::write(folder.path().join("\u{1b}[2Jx"), "").unwrap();
    let options = "file list-dir -o text --select '$.entries[*].name'";
    let line = format!("{} --root {} {options}", toolbox(), folder.path().display());
    assert_eq!(start(&line, &[]).kept(), "\\u{1b}[2Jx\r\n");
    assert_eq!(bash(&line), (Some(0), "\u{1b}[2Jx\n".to_owned(), String::new()));
}
