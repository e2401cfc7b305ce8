//! Every standard tool holds what `assert_tools!` asks of any tool. (testing.md §3)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

mod support;

use std::fs;
use std::path::Path;

use serde_json::json;
use support::Bench;
use tool_core::{Call, Caller, Registry, ToolContext};
use tool_std::sandbox::{Mode, SandboxPolicy};
use tool_std::shell::{ProcessOutputTool, ProcessStopTool, Processes};
use tool_std::{Workspace, WorkspacePolicy};

/// Values of each tool; the laws with more of them are `standard_laws` of the crate `tests`.
fn values() -> usize {
    tool_trials::rounds(2_560)
}

/// What the examples are about.
fn plant(root: &Path) {
    for (path, text) in [
        ("a.txt", "one\ntwo\n"),
        ("notes.txt", "Milk\nBread\ntwo loaves\n"),
        ("todo.txt", "Wash\nSweep\n"),
        ("shopping list.txt", "Salt\n"),
        ("Cargo.toml", "[package]\n"),
        ("config.toml", "a = 1\n"),
        ("config.new.toml", "a = 2\n"),
        ("src/main.rs", "fn main() {\n    println!(\"1\");\n    println!(\"2\");\n}\n"),
        ("target/out.o", "o\n"),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
}

#[test]
fn every_standard_tool_holds_every_check() {
    let directory = Bench::directory();
    let root = directory.path().join("root");
    plant(&root);
    let bench = Bench::at(directory, SandboxPolicy { mode: Mode::BestEffort, ..SandboxPolicy::default() });
    let all = Registry::builder().discover().build().unwrap();
    assert!(all.len() >= 19, "the standard tools are linked");
    // What the examples of two tools are about is a process that runs; that of a third is about none.
    let of_processes = Registry::builder().add::<ProcessOutputTool>().add::<ProcessStopTool>().build().unwrap();
    let others = of_processes.iter().fold(all.to_builder(), |builder, tool| builder.remove(tool.name()));
    let workspace = Workspace::open(&root, WorkspacePolicy::default()).unwrap();
    let context = |ctx: ToolContext| ctx.to_builder().provide(workspace.clone()).build();
    tool_core::assert_tools!(
        others.build().unwrap(),
        strict,
        values = values(),
        context = context(bench.context()),
        watch = [root.as_path()],
    );
    let processes = Processes::new("a");
    let ctx = context(bench.context_of(&processes));
    let sleep = Call::new("bash", json!({"cmd": "sleep", "args": ["60"], "background": true}));
    support::executor_of_all().call_blocking(sleep, &ctx, Caller::Test).unwrap();
    tool_core::assert_tools!(
        of_processes,
        strict,
        values = values(),
        context = ctx,
        watch = [root.as_path()],
    );
    processes.end();
}
