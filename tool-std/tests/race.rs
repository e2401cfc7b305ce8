//! While a directory is exchanged with a link to the outside, no tool reaches anything there; who looks first and opens then
//! does, in the same race.

#![cfg(test)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_std::{Workspace, WorkspacePolicy};

/// How long a race lasts, unless `TOOL_RACE_MS` says otherwise.
const TIME_MS: u64 = 3_000;
/// Calls that must have succeeded meanwhile: a tool that refuses everything proves nothing. Where that takes longer, the race
/// goes on.
fn least() -> usize {
    tool_trials::by_effort(1_000, 100)
}
/// How long a race goes on at most.
const AT_MOST: Duration = Duration::from_secs(60);

fn race_time() -> Duration {
    let given = std::env::var("TOOL_RACE_MS").ok().and_then(|time| time.parse().ok());
    Duration::from_millis(given.unwrap_or(TIME_MS))
}

/// Calls that look.
fn reads() -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({"path": "a/f"})),
        ("search_files", json!({"pattern": ".", "path": "."})),
        ("search_files", json!({"pattern": ".", "path": "a/f"})),
        ("list_dir", json!({"path": "a"})),
        ("list_dir", json!({"path": ".", "depth": 3})),
        ("find_files", json!({"pattern": "*"})),
        ("file_info", json!({"path": "a/f"})),
    ]
}

/// Calls that change the directory that is exchanged; most of them can be made again and again.
fn changes() -> Vec<(&'static str, Value)> {
    let write = |name: &str| json!({"path": format!("a/{name}"), "content": "inside\n"});
    vec![
        ("edit_file", json!({"path": "a/f", "patch": "@@ -1 +1,2 @@\n inside\n+more\n"})),
        (
            "edit_lines",
            json!({"path": "a/f", "patches": [{"start_line": 1, "end_line": 1, "content": "inside"}]}),
        ),
        ("replace_text", json!({"path": "a/f", "old": "inside\nmore\n", "new": "inside\n", "all": true})),
        ("write_file", json!({"path": "a/f", "content": "!", "mode": "append"})),
        ("write_file", json!({"path": "a/new/g", "content": "inside"})),
        ("copy_file", json!({"from": "a/f", "to": "a/copy", "overwrite": true})),
        ("copy_file", json!({"from": "a/tree", "to": "a/made/tree", "recursive": true, "parents": true})),
        ("delete_file", json!({"path": "a/made", "recursive": true, "missing_ok": true})),
        ("write_file", write("m1")),
        ("move_file", json!({"from": "a/m1", "to": "a/m2", "overwrite": true})),
        ("delete_file", json!({"path": "a/m2", "missing_ok": true})),
        ("make_dir", json!({"path": "a/x/y"})),
    ]
}

fn race(calls: Vec<(&'static str, Value)>, missing: &'static [&'static str]) {
    let base = tool_trials::directory();
    let real = fs::canonicalize(base.path()).unwrap();
    let (root, out) = (real.join("root"), real.join("out"));
    fs::create_dir_all(root.join("a/tree/sub")).unwrap();
    fs::create_dir_all(out.join("tree")).unwrap();
    for (file, text) in [("a/f", "inside\n"), ("a/tree/sub/f", "inside\n")] {
        fs::write(root.join(file), text).unwrap();
    }
    for file in ["f", "copy", "m1", "m2", "tree/s"] {
        fs::write(out.join(file), "SECRET\n").unwrap();
    }
    symlink(&out, root.join("b")).unwrap();
    let workspace = Workspace::open_with(&root, WorkspacePolicy::default(), missing).unwrap();
    let (done, succeeded) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, root.join("a"), CWD, root.join("b"), RenameFlags::EXCHANGE).unwrap();
            }
        });
        let naive = scope.spawn(|| leaks_of_the_naive_check(&root, &done));
        let workers: Vec<_> = calls
            .into_iter()
            .map(|(tool, args)| {
                let (workspace, succeeded) = (workspace.clone(), &succeeded);
                scope.spawn(move || repeat(workspace, tool, &args, succeeded))
            })
            .collect();
        let ended: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok), "a tool reached outside");
        let leaks = naive.join().unwrap();
        println!("the naive check leaked {leaks} times");
        assert!(leaks > 0, "there was no race");
    });
    assert_eq!(names(&out), ["copy", "f", "m1", "m2", "tree"], "something was made or deleted outside");
    for file in ["f", "copy", "m1", "m2", "tree/s"] {
        assert_eq!(fs::read_to_string(out.join(file)).unwrap(), "SECRET\n", "{file}");
    }
    let succeeded = succeeded.load(Ordering::Relaxed);
    println!("{succeeded} calls succeeded during the race");
    assert!(succeeded >= least(), "only {succeeded} calls succeeded");
}

fn repeat(workspace: Workspace, tool: &str, args: &Value, succeeded: &AtomicUsize) {
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    let registry = Registry::builder().discover().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let begun = Instant::now();
    let is_over = || begun.elapsed() >= race_time() && succeeded.load(Ordering::Relaxed) >= least();
    while !is_over() && begun.elapsed() < AT_MOST {
        let result = executor.call_blocking(Call::new(tool, args.clone()), &ctx, Caller::Test);
        let shown = match &result {
            Ok(output) => output.data().to_string(),
            Err(error) => error.to_json().to_string(),
        };
        assert!(!shown.contains("SECRET"), "{tool} {args} gave {shown}");
        assert!(!shown.contains("internal"), "{tool} {args} gave {shown}");
        succeeded.fetch_add(usize::from(result.is_ok()), Ordering::Relaxed);
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// How often a file outside is read by who compares the real path first, as many programs do.
fn leaks_of_the_naive_check(root: &Path, done: &AtomicBool) -> usize {
    let mut leaks = 0;
    while !done.load(Ordering::Relaxed) {
        let path = root.join("a/f");
        let is_inside = fs::canonicalize(&path).is_ok_and(|real| real.starts_with(root));
        // Between the look and the use anything may run.
        std::thread::yield_now();
        if is_inside && fs::read_to_string(&path).is_ok_and(|text| text.contains("SECRET")) {
            leaks += 1;
        }
    }
    leaks
}

#[test]
fn no_look_gets_outside() {
    race(reads(), &[]);
}

#[test]
fn no_look_gets_outside_without_openat2() {
    race(reads(), &["openat2"]);
}

#[test]
fn no_change_gets_outside() {
    race(changes(), &[]);
}

#[test]
fn no_change_gets_outside_without_openat2() {
    race(changes(), &["openat2"]);
}
