//! The cost of finding, searching and reading files by the tools, against ripgrep and `std::fs`.
//!
//! Makes a tree of 12 000 files with ignore files, then runs each of ours and its counterpart in turn, so that a busy
//! machine slows both alike; ripgrep's process start counts. Prints a line per comparison: name, ours and theirs in
//! nanoseconds. The argument is the number of rounds; a second one
//! is how the names begin of the comparisons to make.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_std::{Workspace, WorkspacePolicy};

/// Files of the tree; those of every tenth directory are ignored.
const DIRECTORIES: usize = 200;
const FILES: usize = 60;
/// Lines of a file; one in a thousand files holds what is searched.
const LINES: usize = 120;
const RARE: usize = 100;
/// Sizes of the files that are read.
const SIZES: [usize; 3] = [4_096, 65_536, 1_048_576];
/// Reads of one round.
const READS: usize = 200;
/// What ripgrep is told so that it obeys the same ignore files in the same way.
const SAME: [&str; 5] =
    ["--no-config", "--no-require-git", "--no-ignore-parent", "--no-ignore-global", "--crlf"];

fn main() {
    let rounds: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(15);
    let root = std::env::temp_dir().join(format!("file-tools-{}", std::process::id()));
    plant(&root);
    let tools = Tools::new(&root);
    for (name, pattern, sort) in [
        ("search_sorted", "needle_[0-9]+", "path"),
        ("search_unsorted", "needle_[0-9]+", "none"),
        ("search_ignore_case", "(?i)NEEDLE_[0-9]+", "path"),
    ] {
        let ours = || {
            let found =
                tools.call("search_files", json!({"pattern": pattern, "sort": sort, "max_results": 10_000}));
            found["matches"].as_array().unwrap().len()
        };
        let theirs = || rg(&root, &["-n", "--sort", sort, pattern]);
        compare(name, rounds, ours, theirs);
    }
    let ours = || {
        tools.call("find_files", json!({"pattern": "*.rs", "limit": 10_000, "exclude": ["f1*"]}))["files"]
            .as_array()
            .unwrap()
            .len()
    };
    compare("find_files", rounds, ours, || {
        rg(&root, &["--files", "--sort", "path", "-g", "*.rs", "-g", "!f1*"])
    });
    for size in SIZES {
        compare_reads(&tools, &root, size, rounds);
    }
    fs::remove_dir_all(&root).unwrap();
}

/// Reads a file in both ways in turn, one read after the other, so that both find the same heap.
fn compare_reads(tools: &Tools, root: &Path, size: usize, rounds: usize) {
    let file = root.join("read");
    fs::write(&file, vec![b'x'; size]).unwrap();
    let path = tools.workspace.resolve(Path::new("read")).unwrap();
    let ours = || black_box(tools.workspace.read(&path).unwrap()).len();
    let theirs = || black_box(fs::read(&file).unwrap()).len();
    compare(&format!("read_{size}"), rounds * READS, ours, theirs);
}

fn plant(root: &Path) {
    for directory in 0..DIRECTORIES {
        let below = root.join(format!("d{}", directory % 20)).join(format!("e{directory}"));
        fs::create_dir_all(&below).unwrap();
        if directory % 10 == 0 {
            fs::write(below.join(".gitignore"), "*.log\n/build\n").unwrap();
        }
        for file in 0..FILES {
            let number = directory * FILES + file;
            let mut text = String::new();
            for line in 0..LINES {
                text.push_str(&format!(
                    "    let value_{line} = compute({number}, {line}); // some words in a line\n"
                ));
            }
            if number.is_multiple_of(RARE) {
                text.push_str(&format!("    needle_{number}();\n"));
            }
            let ending = if file % 8 == 0 { "log" } else { "rs" };
            fs::write(below.join(format!("f{file}.{ending}")), text).unwrap();
        }
    }
}

struct Tools {
    executor: Executor,
    workspace: Workspace,
    ctx: ToolContext,
}

impl Tools {
    fn new(root: &Path) -> Self {
        let workspace = Workspace::open(root, WorkspacePolicy::default()).unwrap();
        let given = workspace.clone();
        let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(given.for_call(ctx))).build();
        let registry = Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().unwrap();
        Self { executor: Executor::standard(registry).build().unwrap(), workspace, ctx }
    }

    fn call(&self, tool: &str, args: Value) -> Value {
        self.executor.call_blocking(Call::new(tool, args), &self.ctx, Caller::Test).unwrap().data()
    }
}

/// Lines that ripgrep prints.
fn rg(root: &Path, args: &[&str]) -> usize {
    let output = Command::new("rg").args(SAME).args(args).arg(".").current_dir(root).output().unwrap();
    output.stdout.iter().filter(|byte| **byte == b'\n').count()
}

/// Times both in turn; they must find as much.
fn compare(name: &str, rounds: usize, ours: impl Fn() -> usize, theirs: impl Fn() -> usize) {
    let only = std::env::args().nth(2);
    if only.is_some_and(|only| !name.starts_with(&only)) {
        return;
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let (own, found) = timed(&ours);
        let (other, also_found) = timed(&theirs);
        assert_eq!(found, also_found, "{name}");
        times[0].push(own);
        times[1].push(other);
    }
    let [ours, theirs] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_nanos()
    });
    println!("{name} {ours} {theirs}");
}

fn timed(act: impl Fn() -> usize) -> (Duration, usize) {
    let started = Instant::now();
    let found = act();
    (started.elapsed(), found)
}
