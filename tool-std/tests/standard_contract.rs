//! Every standard tool holds what `assert_tools!` asks of any tool. (testing.md §3)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

mod support;

use std::fs;
use std::path::Path;

use serde_json::json;
use support::Bench;
use tool_core::{Call, Caller, Registry, ToolContext};
use tool_std::file::FILE_TOOLS;
use tool_std::sandbox::{Mode, SandboxPolicy};
use tool_std::shell::{
    BashTool, ProcessListTool, ProcessOutputTool, ProcessStopTool, Processes, RunCommandTool,
};
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
    let workspace = Workspace::open(&root, WorkspacePolicy::default()).unwrap();
    let context = |ctx: ToolContext| ctx.to_builder().provide(workspace.clone()).build();
    tool_core::assert_tools!(
        &all,
        strict,
        skip = ["examples"],
        values = values(),
        context = context(bench.context()),
        watch = [root.as_path()],
    );
    // The examples of two tools are about a process that runs; that of a third is about none.
    let of_processes =
        Registry::builder().add::<ProcessOutputTool>().add::<ProcessStopTool>().build().unwrap();
    let others = Registry::builder().add_set(&FILE_TOOLS).add::<BashTool>().add::<RunCommandTool>();
    let others = others.add::<ProcessListTool>().build().unwrap();
    assert_eq!(others.len() + of_processes.len(), all.len(), "a tool is left out");
    let processes = Processes::new("a");
    let with_process = context(bench.context_of(&processes));
    let sleep = Call::new("bash", json!({"cmd": "sleep", "args": ["60"], "background": true}));
    support::executor_of_all().call_blocking(sleep, &with_process, Caller::Test).unwrap();
    for (tools, ctx) in [(others, context(bench.context())), (of_processes, with_process)] {
        tool_core::assert_tools!(tools, skip = ["lint"], values = 1, context = ctx);
    }
    processes.end();
}
