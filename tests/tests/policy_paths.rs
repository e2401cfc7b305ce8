//! A policy's paths hold for the file that is opened, not only for the name that was judged. (calls.md §4)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{
    BoxFuture, Call, Caller, Executor, Invocation, Layer, Next, Registry, ToolContext, ToolError, ToolResult,
};
use tool_policy::{Paths, Policy, Syntax};
use tool_std::limits::Limits;
use tool_std::workspace::{Workspace, WorkspacePolicy};

/// Does something between the judgement and the tool, as somebody else on the machine could.
struct Meanwhile(Box<dyn Fn() + Send + Sync>);

impl Layer for Meanwhile {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        (self.0)();
        next.run(inv)
    }
}

const POLICY: &str = r#"
version = 1
[agents.operator]
tools = ["*"]
approve = "never"
[agents.operator.tool_config]
read_file = { allowed_paths = ["open/**"] }
write_file = { allowed_paths = ["open/**"] }
search_files = { denied_paths = ["open/closed/**"] }
copy_file = { denied_paths = ["open/closed/**"] }
move_file = { denied_paths = ["open/closed/**", "kept/b/**"] }
"#;

fn call(
    root: &Path,
    meanwhile: impl Fn() + Send + Sync + 'static,
    tool: &str,
    args: Value,
) -> Result<Value, ToolError> {
    call_under(POLICY, WorkspacePolicy::default(), root, meanwhile, tool, args)
}

fn call_under(
    policy: &str,
    rules: WorkspacePolicy,
    root: &Path,
    meanwhile: impl Fn() + Send + Sync + 'static,
    tool: &str,
    args: Value,
) -> Result<Value, ToolError> {
    let registry = Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().unwrap();
    let policy = Policy::load("policy.toml", policy, Syntax::Toml, &registry, Paths::new(root)).unwrap();
    let executor = Executor::standard(registry)
        .policy(Arc::new(policy))
        .after("gate", Meanwhile(Box::new(meanwhile)))
        .build()
        .unwrap();
    let workspace = Workspace::open(root, rules).unwrap();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    executor.call_blocking(Call::new(tool, args), &ctx, Caller::Cli).map(|output| output.data())
}

fn tree() -> (tool_trials::Directory, std::path::PathBuf) {
    let dir = tool_trials::directory();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("open/closed")).unwrap();
    fs::write(root.join("open/a"), "fine").unwrap();
    fs::write(root.join("open/closed/b"), "canary").unwrap();
    fs::write(root.join("secret"), "canary").unwrap();
    (dir, root)
}

#[test]
fn a_file_that_is_replaced_by_a_link_after_it_was_judged_is_not_read() {
    let (_dir, root) = tree();
    let args = json!({"path": "open/a"});
    assert_eq!(call(&root, || {}, "read_file", args.clone()).unwrap()["content"], "fine");
    let at = root.clone();
    let swap = move || {
        fs::remove_file(at.join("open/a")).unwrap();
        symlink("../secret", at.join("open/a")).unwrap();
    };
    let error = call(&root, swap, "read_file", args).unwrap_err();
    assert_eq!(error.code_str(), "path_not_allowed");
    assert!(!error.to_json().to_string().contains("canary"));
}

#[test]
fn a_directory_that_is_replaced_by_a_link_after_it_was_judged_is_not_written_into() {
    let (_dir, root) = tree();
    fs::create_dir(root.join("other")).unwrap();
    let args = json!({"path": "open/new/file", "content": "x"});
    let at = root.clone();
    let swap = move || symlink("../other", at.join("open/new")).unwrap();
    let refused = call(&root, swap, "write_file", args.clone());
    assert_eq!(refused.unwrap_err().code_str(), "path_not_allowed");
    assert!(fs::read_dir(root.join("other")).unwrap().next().is_none());
    fs::remove_file(root.join("open/new")).unwrap();
    call(&root, || {}, "write_file", args).unwrap();
    assert_eq!(fs::read_to_string(root.join("open/new/file")).unwrap(), "x");
}

#[test]
fn a_search_does_not_open_what_is_denied_below_its_directory() {
    let (_dir, root) = tree();
    let found = call(&root, || {}, "search_files", json!({"pattern": "canary|fine"})).unwrap();
    let text = found.to_string();
    assert!(text.contains("open/a") && text.contains("\"secret\""), "{text}");
    assert!(!text.contains("closed/b"), "{text}");
}

#[test]
fn a_tree_with_something_denied_in_it_is_not_copied() {
    let (_dir, root) = tree();
    let refused = call(&root, || {}, "copy_file", json!({"from": "open", "to": "copy", "recursive": true}));
    assert_eq!(refused.unwrap_err().code_str(), "path_denied");
    assert!(!root.join("copy").exists());
    fs::remove_dir_all(root.join("open/closed")).unwrap();
    call(&root, || {}, "copy_file", json!({"from": "open", "to": "copy", "recursive": true})).unwrap();
    assert!(root.join("copy/a").exists());
}

#[test]
fn a_tree_with_something_denied_in_it_is_not_moved() {
    let (_dir, root) = tree();
    let moved = |from: &str, to: &str| call(&root, || {}, "move_file", json!({"from": from, "to": to}));
    assert_eq!(moved("open", "away").unwrap_err().code_str(), "path_denied");
    assert!(root.join("open/closed/b").exists() && !root.join("away").exists());
    fs::remove_dir_all(root.join("open/closed")).unwrap();
    moved("open", "away").unwrap();
    assert!(root.join("away/a").exists());
}

#[test]
fn a_tree_is_not_moved_to_where_something_in_it_is_denied() {
    let (_dir, root) = tree();
    fs::create_dir_all(root.join("new/b")).unwrap();
    let moved = |from: &str, to: &str| call(&root, || {}, "move_file", json!({"from": from, "to": to}));
    assert_eq!(moved("new", "kept").unwrap_err().code_str(), "path_denied");
    assert!(root.join("new/b").exists() && !root.join("kept").exists());
    moved("new", "other").unwrap();
    assert!(root.join("other/b").exists());
}

#[test]
fn a_call_without_path_rules_moves_a_tree_that_could_not_be_judged() {
    let (_dir, root) = tree();
    let policy = POLICY.lines().filter(|line| !line.starts_with("move_file")).collect::<Vec<_>>().join("\n");
    let limits = Limits { tree_entries: 2, ..Limits::default() };
    let moved = |policy: &str, to: &str| {
        let rules = WorkspacePolicy { limits: limits.clone(), ..WorkspacePolicy::default() };
        call_under(policy, rules, &root, || {}, "move_file", json!({"from": "new", "to": to}))
    };
    fs::create_dir_all(root.join("new/a/b")).unwrap();
    assert_eq!(moved(POLICY, "other").unwrap_err().code_str(), "too_many_entries");
    moved(&policy, "other").unwrap();
    assert!(root.join("other/a/b").exists());
}
