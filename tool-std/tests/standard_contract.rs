//! Every standard tool holds what `assert_tools!` asks of any tool. (testing.md §3)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::fs;

use tool_core::{Registry, ToolContext};
use tool_std::{Workspace, WorkspacePolicy};

/// Values of each tool; the laws with more of them are `standard_laws` of the crate `tests`.
fn values() -> usize {
    tool_trials::rounds(2_560)
}

#[test]
fn every_standard_tool_holds_every_check() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("a.txt"), "one\ntwo\n").unwrap();
    fs::write(root.join("src/b.rs"), "fn main() {}\n").unwrap();
    let workspace = Workspace::open(&root, WorkspacePolicy::default()).unwrap();
    let context = ToolContext::builder().provide(workspace).build();
    let registry = Registry::builder().discover().build().unwrap();
    assert!(registry.len() >= 18, "the standard tools are linked");
    tool_core::assert_tools!(
        registry,
        strict,
        values = values(),
        context = context,
        watch = [directory.path()],
    );
}
