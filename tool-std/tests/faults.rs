//! Failing and killing the file tools at every system call that they make (files.md acceptance 5 and 6).
//!
//! `strace` attaches to a process that is about to make one call, and lets the n-th of a kind of system call of each of its
//! threads fail, or kill the process, for n = 1, 2, … until none is met. Afterwards the tree must be as before or as after
//! the call, never anything else, and the evidence must tell which.

#![cfg(test)]

#[path = "recorded/mod.rs"]
mod recorded;

use std::fs;
use std::io::{BufRead, BufReader, IoSlice, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recorded::{CHANGES, Change, LOOKS, MODE, Picture, Told, context, executor, picture, plant, reconcile};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tool_core::journal::{Journal, MemoryJournal, RecordedCall, RowQuery};
use tool_core::{Call, Caller};
use tool_std::{Workspace, WorkspacePolicy};
use tool_trials::by_effort;

/// Where the worker finds its directory.
const WORKER: &str = "TOOL_STD_FAULT_WORKER";
/// What the worker of a call says before and after it.
const READY: &str = "worker: ready";
const DONE: &str = "worker: done ";
/// Kinds of system calls that the file tools make.
const CALLS: &[&str] = &[
    "openat",
    "openat2",
    "fstat",
    "newfstatat",
    "statx",
    "read",
    "write",
    "fsync",
    "fchmod",
    "fchown",
    "flock",
    "renameat",
    "renameat2",
    "rename",
    "mkdirat",
    "mkdir",
    "unlinkat",
    "getdents64",
    "readlinkat",
    "ftruncate",
    "syncfs",
    "copy_file_range",
    "sendfile",
];
/// The codes that a file tool answers with when the system fails it. (files.md §3)
const DOCUMENTED: &[&str] = &[
    "io_error",
    "disk_full",
    "path_not_found",
    "path_changed",
    "path_escape",
    "permission_denied",
    "mount_refused",
    "not_a_directory",
    "symlink_loop",
    "file_busy",
    "already_exists",
    "directory_not_empty",
    "version_mismatch",
    "cross_device",
];
/// How long `strace` may outlive what it traces.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most of one kind.
const MOST: usize = 60;

/// A process that makes one call under one key when it is told to.
struct Worker {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Worker {
    fn start(directory: &Path, change: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["the_worker", "--exact", "--ignored", "--nocapture"])
            .env(WORKER, directory)
            .env("TOOL_STD_FAULT_CHANGE", change.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut worker = Self { child, stdin, stdout };
        assert_eq!(worker.line(READY), Some(READY.to_owned()));
        worker
    }

    /// The next line that begins so; none when it has ended.
    fn line(&mut self, start: &str) -> Option<String> {
        let mut line = String::new();
        while self.stdout.read_line(&mut line).unwrap() > 0 {
            // The test harness writes before and between.
            if let Some(at) = line.find(start) {
                return Some(line[at..].trim_end().to_owned());
            }
            line.clear();
        }
        None
    }

    /// Makes the call while `strace` injects something; what it answered, and whether anything was injected.
    fn run(mut self, injection: &str, log: &Path) -> (Option<Value>, bool) {
        let mut strace = Command::new("strace")
            .args(["-f", "-o", log.to_str().unwrap(), "-e", &format!("inject={injection}")])
            .args(["-p", &self.child.id().to_string()])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(strace.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("attached") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "strace did not attach");
        }
        let _ = self.stdin.write_all(b"go\n");
        let answer = self.line(DONE).map(|line| serde_json::from_str(&line[DONE.len()..]).unwrap());
        if answer.is_some() {
            let pid = Pid::from_raw(i32::try_from(strace.id()).unwrap()).unwrap();
            kill_process(pid, Signal::INT).unwrap();
        }
        drop(self.stdin);
        // It may miss the end of a process whose threads it was about to stop, and nobody else can then take note of it.
        let patience = Instant::now() + PATIENCE;
        while strace.try_wait().unwrap().is_none() {
            if Instant::now() > patience {
                strace.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.child.wait().unwrap();
        let injected = answer.is_none() || fs::read_to_string(log).unwrap().contains("INJECTED");
        (answer, injected)
    }
}

/// The worker: not a test by itself.
#[test]
#[ignore = "a part of the other tests"]
fn the_worker() {
    let Some(directory) = std::env::var_os(WORKER).map(PathBuf::from) else { return };
    let number: usize = std::env::var("TOOL_STD_FAULT_CHANGE").unwrap().parse().unwrap();
    let change = CHANGES.iter().chain(LOOKS).nth(number).unwrap();
    let workspace = open(&directory);
    let executor = executor(Some(Arc::new(MemoryJournal::new())));
    // Without a driver for I/O nothing but the tool itself writes: threads wake each other by futex.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    say(READY);
    wait_for(PollFlags::IN);
    let call = Call { idempotency_key: Some("key".to_owned()), ..Call::new(change.tool, change.args()) };
    let result = runtime.block_on(executor.call(call, &context(&workspace), Caller::Test));
    let told = match result {
        Ok(output) => json!({"ok": output.structured}),
        Err(error) => error.to_json(),
    };
    say(&format!("{DONE}{told}"));
    wait_for(PollFlags::HUP);
}

/// Writes a line with a system call that no tool makes, so that it cannot be the one that fails.
fn say(line: &str) {
    rustix::io::writev(std::io::stdout(), &[IoSlice::new(format!("{line}\n").as_bytes())]).unwrap();
}

/// Waits for standard input, without reading it.
fn wait_for(what: PollFlags) {
    let stdin = std::io::stdin();
    let mut ready = [PollFd::new(&stdin, what)];
    while !ready[0].revents().contains(what) {
        poll(&mut ready, None).unwrap();
    }
}

fn open(directory: &Path) -> Workspace {
    let policy = WorkspacePolicy { effects: Some(directory.join("effects")), ..Default::default() };
    Workspace::open(&directory.join("root"), policy).unwrap()
}

/// A row of a call of a tool with the worker's key, as a journal would have it after the worker's end.
fn recorded_call(change: &Change) -> RecordedCall {
    let scene = tool_trials::directory();
    plant(&scene.path().join("root"));
    let journal = MemoryJournal::new();
    let executor = executor(Some(Arc::new(journal.another())));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let call = Call { idempotency_key: Some("key".to_owned()), ..Call::new(change.tool, change.args()) };
    runtime.block_on(executor.call(call, &context(&open(scene.path())), Caller::Test)).unwrap();
    RecordedCall::of(&runtime.block_on(journal.rows(&RowQuery::default())).unwrap()[0], None)
}

fn owned(entry: (&PathBuf, &Option<(u32, Vec<u8>)>)) -> (PathBuf, Option<(u32, Vec<u8>)>) {
    (entry.0.clone(), entry.1.clone())
}

/// Without what a process that was killed left: the next opening removes that when it is old.
fn without_leftovers(mut picture: Picture) -> Picture {
    picture.retain(|path, _| !path.to_string_lossy().contains(".toolbox-tmp-"));
    picture
}

fn can_trace() -> bool {
    let works = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !works {
        tool_trials::skip("strace does not work here");
    }
    works
}

/// The trees before and after each change.
fn both_pictures(change: &Change, number: usize) -> (Picture, Picture) {
    let scene = tool_trials::directory();
    plant(&scene.path().join("root"));
    let before = picture(&scene.path().join("root"));
    let log = scene.path().join("log");
    let worker = Worker::start(scene.path(), number);
    let (answer, _) = worker.run("fsync:delay_enter=0:when=9999", &log);
    assert!(answer.is_some_and(|answer| answer.get("ok").is_some()), "{}", change.tool);
    (before, picture(&scene.path().join("root")))
}

/// Injects one thing at every system call of a change; `judge` gets what was answered and the state of the tree.
fn at_every_call(what: &str, changes: &[usize]) -> usize {
    let mut met = 0;
    for &number in changes {
        let change = &CHANGES[number];
        let (before, after) = both_pictures(change, number);
        let recorded = recorded_call(change);
        for call in CALLS {
            for nth in 1..=MOST {
                let scene = tool_trials::directory();
                plant(&scene.path().join("root"));
                let injection = format!("{call}:{what}:when={nth}");
                let log = scene.path().join("log");
                let (answer, injected) = Worker::start(scene.path(), number).run(&injection, &log);
                if !injected {
                    break;
                }
                met += 1;
                let at = format!("{} {} {injection}: {answer:?}", change.tool, change.changes);
                let now = without_leftovers(picture(&scene.path().join("root")));
                let is_after = now == after;
                // Nobody takes away again the directories that a killed process made for what it did not come to.
                let files = |picture: &Picture| match answer {
                    Some(_) => picture.clone(),
                    None => picture.iter().filter(|entry| entry.1.is_some()).map(owned).collect(),
                };
                assert!(files(&now) == files(&before) || is_after, "torn at {at}: {now:?}");
                if change.is_replacing()
                    && let Ok(file) = fs::metadata(scene.path().join("root/a.txt"))
                {
                    assert_eq!(file.permissions().mode() & 0o7777, MODE, "the mode at {at}");
                }
                let told = reconcile(change.tool, &recorded, &open(scene.path()));
                assert_ne!(told, Told::Unknown, "{at}");
                assert_eq!(matches!(told, Told::Done(_)), is_after, "{at}: {told:?}");
                assert_eq!(answer.is_none(), what.starts_with("signal"), "{at}");
                answer.iter().for_each(|answer| assert_documented(answer, &at));
            }
        }
    }
    met
}

/// A result, or one error that callers are told of beforehand.
fn assert_documented(answer: &Value, at: &str) {
    if let Some(code) = answer.get("code") {
        assert!(code.as_str().is_some_and(|code| DOCUMENTED.contains(&code)), "{at}");
        assert!(answer["message"].as_str().is_some_and(|message| !message.is_empty()), "{at}");
    }
}

/// What system calls fail with: in the full run everything that the specification names.
fn errors() -> &'static [&'static str] {
    by_effort(&["EIO", "ENOSPC", "EINTR"][..], &["EIO"][..])
}

/// Every change in the full run, a few otherwise.
fn chosen() -> Vec<usize> {
    by_effort((0..CHANGES.len()).collect(), vec![0, 3, 8])
}

#[test]
fn a_system_call_that_fails_tears_nothing_and_leaves_no_doubt() {
    if can_trace() {
        for error in errors() {
            let met = at_every_call(&format!("error={error}"), &chosen());
            println!("{error}: {met} faults");
            assert!(met > 20, "{error}: {met}");
        }
    }
}

#[test]
fn a_system_call_that_fails_a_look_is_told_and_nothing_is_changed() {
    if !can_trace() {
        return;
    }
    let looks = by_effort(0..LOOKS.len(), 2..3);
    let (mut met, mut refused) = (0, 0);
    for number in looks {
        for (error, call) in errors().iter().flat_map(|error| CALLS.iter().map(move |call| (error, call))) {
            for nth in 1..=MOST {
                let scene = tool_trials::directory();
                plant(&scene.path().join("root"));
                let before = picture(&scene.path().join("root"));
                let injection = format!("{call}:error={error}:when={nth}");
                let worker = Worker::start(scene.path(), CHANGES.len() + number);
                let (answer, injected) = worker.run(&injection, &scene.path().join("log"));
                if !injected {
                    break;
                }
                met += 1;
                let at = format!("{} {injection}: {answer:?}", LOOKS[number].tool);
                assert_eq!(picture(&scene.path().join("root")), before, "{at}");
                let answer = answer.unwrap_or_else(|| panic!("{at}"));
                refused += usize::from(answer.get("code").is_some());
                assert_documented(&answer, &at);
            }
        }
    }
    println!("{met} faults of looks, {refused} of them told as errors");
    assert!(met > 5 && refused > 0, "{met} {refused}");
}

#[test]
fn a_process_that_is_killed_at_any_system_call_leaves_the_old_or_the_new() {
    if can_trace() {
        let met = at_every_call("signal=KILL", &chosen());
        println!("{met} kills");
        assert!(met > 20, "{met}");
    }
}
