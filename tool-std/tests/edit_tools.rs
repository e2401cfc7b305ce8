//! The vectors of the engines through the tools, arguments decoded, files on disk; and edits of one file at once.

#![cfg(test)]

#[allow(dead_code, reason = "a test file uses what it needs of a scene")]
mod scene;

use std::path::Path;
use std::sync::Arc;

use scene::{Scene, engine};
use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_std::{Workspace, WorkspacePolicy};

/// Runs every case of a vector file of an engine by a tool that takes one more argument of that name.
fn run(file: &str, tool: &str, argument: &str) {
    let Some((cases, folder)) = tool_trials::vectors::cases(file) else { return };
    let wrong: Vec<String> = cases.iter().flat_map(|case| differences(case, tool, argument)).collect();
    println!("{tool}: {} cases through the tool from {}", cases.len(), folder.display());
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

fn differences(case: &Value, tool: &str, argument: &str) -> Vec<String> {
    let whole = engine::case(case, tool, argument);
    let scene = Scene::new(&whole);
    let result = scene.call(&whole, &whole["call"]);
    let mut wrong = scene::compare(&whole["expect"], &whole, &result);
    wrong.extend(scene.check_after(&whole));
    if let Ok(data) = &result {
        wrong.extend(engine::wrong_places(case, data));
    }
    wrong.into_iter().map(|text| format!("{}: {text}", case["id"])).collect()
}

#[test]
fn edit_file_answers_as_the_vectors_say() {
    run("edit_unified.json", "edit_file", "patch");
}

#[test]
fn edit_lines_answers_as_the_vectors_say() {
    run("edit_lines.json", "edit_lines", "patches");
}

/// The tools of a workspace for many threads.
struct Tools {
    executor: Executor,
    ctx: ToolContext,
}

impl Tools {
    fn new(root: &Path) -> Arc<Self> {
        let workspace = Workspace::open(root, WorkspacePolicy::default()).unwrap();
        let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
        let registry = Registry::builder().discover().build().unwrap();
        Arc::new(Self { executor: Executor::standard(registry).build().unwrap(), ctx })
    }

    fn append(&self, number: usize, version: Option<&str>) -> Result<Value, String> {
        let patch = json!({"start_line": 1, "end_line": 0, "content": format!("line {number}")});
        let mut args = json!({"path": "f", "patches": [patch]});
        if let Some(version) = version {
            args["expected_version"] = version.into();
        }
        let result = self.executor.call_blocking(Call::new("edit_lines", args), &self.ctx, Caller::Test);
        result.map(|output| output.data()).map_err(|error| error.code_str().to_owned())
    }
}

fn at_once<T: Send + 'static>(count: usize, act: impl Fn(usize) -> T + Clone + Send + 'static) -> Vec<T> {
    let threads: Vec<_> = (0..count)
        .map(|number| {
            let act = act.clone();
            std::thread::spawn(move || act(number))
        })
        .collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn edits_of_one_file_at_once_all_arrive() {
    let dir = tool_trials::directory();
    std::fs::write(dir.path().join("f"), "").unwrap();
    let tools = Tools::new(dir.path());
    let results = at_once(64, move |number| tools.append(number, None));
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let text = std::fs::read_to_string(dir.path().join("f")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 64);
}

#[test]
fn of_edits_that_expect_one_version_exactly_one_wins() {
    let dir = tool_trials::directory();
    std::fs::write(dir.path().join("f"), "a\n").unwrap();
    let tools = Tools::new(dir.path());
    let results = at_once(64, move |number| tools.append(number, Some("87428fc522803d31")));
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|code| code == "version_mismatch"));
    assert_eq!(std::fs::read_to_string(dir.path().join("f")).unwrap().lines().count(), 2);
}
