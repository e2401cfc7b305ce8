//! The vectors of the file group and of the path rules, and the attacks on both, as root and as `nobody`.

#![cfg(test)]

mod attackers;
mod attacks;
mod json;
mod nevers;
#[path = "../scene/mod.rs"]
mod scene;
#[path = "../support/unprivileged.rs"]
mod unprivileged;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use nevers::Before;
use scene::Scene;
use scene::records::Records;
use serde_json::Value;
use tool_core::{Registry, ToolError};
use tool_std::workspace::{Roots, managed};
use tool_trials::vectors::{self, cases};

/// Runs every case and reports all that is wrong with any.
fn run(file: &str, check: impl Fn(&Value) -> Result<Vec<String>, String>) {
    let Some((cases, folder)) = cases(file) else { return };
    let mut wrong = Vec::new();
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let mut ran = 0;
    let name = file.trim_end_matches(".json");
    for case in &cases {
        let outcome = check(case);
        let told = match &outcome {
            Ok(differences) if differences.is_empty() => "ok",
            Ok(_) => "WRONG",
            Err(need) => &format!("skipped: needs {}", need.trim_start_matches("tool:")),
        };
        println!("vectors_{name}: {}: {told}", vectors::id(case));
        match outcome {
            Ok(differences) => {
                ran += 1;
                wrong.extend(differences.iter().map(|text| format!("{}: {text}", case["id"])));
            }
            Err(need) => *skipped.entry(need).or_default() += 1,
        }
    }
    let left_out: Vec<String> = skipped
        .iter()
        .map(|(need, count)| (need.trim_start_matches("tool:"), count))
        .map(|(need, count)| format!("{count} skipped: needs {need}"))
        .collect();
    println!("vectors_{name}: {} cases from {}", cases.len(), folder.display());
    println!("vectors_{name}: {ran} cases ran, {}", left_out.join(", "));
    // The tools of other crates, other tests of this one, and what a user cannot be at once with who runs this.
    let elsewhere = [
        "tool:",
        "pending:",
        "group ",
        "the tests of",
        "bash",
        "\"root\"",
        "\"non_root\"",
        "\"mknod\"",
        "\"mount\"",
        "\"casefold\"",
    ];
    if tool_trials::requires_peers() {
        let missing = skipped.keys().find(|need| !elsewhere.iter().any(|start| need.starts_with(start)));
        assert_eq!(missing, None, "needed by {file}");
    }
    assert!(wrong.is_empty(), "{} of {ran} cases differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(ran > 0, "nothing ran");
}

fn known(tool: &Value) -> Result<(), String> {
    let registry =
        Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().expect("the tools fit together");
    let name = tool.as_str().unwrap();
    registry.get(name).map(drop).ok_or_else(|| name.to_owned())
}

/// A tool, its result and the tree after it.
fn call(case: &Value) -> Result<Vec<String>, String> {
    known(&case["call"]["tool"])?;
    if let Some(need) = scene::unmet(case) {
        return Err(need);
    }
    let scene = Scene::new(case);
    let start = Instant::now();
    let (before, records) = (Before::of(&scene, case), Records::new());
    let result = scene.call_recorded(case, &case["call"], &records);
    let mut wrong = scene::compare(&scene.fill(&case["expect"]), case, &result);
    if scene::is_late(case, start) {
        wrong.push(format!("took {:?}", start.elapsed()));
    }
    wrong.extend(scene.check_after(case));
    let shown = match &result {
        Ok(data) => data.to_string(),
        Err(error) => error.to_json().to_string(),
    };
    let left = records.left_blocking();
    wrong.extend(before.happened(&scene, case, &shown, &left));
    // A workspace that cannot be opened is called by nobody.
    if !left.audit.is_empty() || scene.open(case).is_ok() {
        let told = result.as_ref().map(drop).map_err(ToolError::to_json);
        wrong.extend(left.wrong(told.as_ref().copied()));
    }
    // What a file holds is in no record, unless the caller said it where it is no content.
    let said = case["call"].to_string();
    let held = ["SECRET", scene::CANARY].into_iter().filter(|text| !said.contains(text));
    wrong.extend(held.filter(|text| left.text().contains(text)).map(|text| format!("{text} is recorded")));
    Ok(wrong)
}

#[test]
fn vectors_files() {
    run("files.json", call);
}

#[test]
fn vectors_paths() {
    run("paths.json", |case| match case["op"].as_str().unwrap() {
        "resolve" => Ok(resolve(case)),
        "locate" => Ok(locate(case)),
        "workspace_id" => Ok(workspace_id(case)),
        _ => call(case),
    });
}

fn resolve(case: &Value) -> Vec<String> {
    let Some(path) = scene::expand(&case["path"]).as_str().map(str::to_owned) else {
        // Not a string: the decoder's business, which every tool's path parameter goes through.
        let call = serde_json::json!({"tool": "read_file", "args": {"path": case["path"]}});
        let result = Scene::new(case).call(case, &call);
        return scene::compare(&case["expect"], case, &result);
    };
    let root = Path::new(case["root"].as_str().unwrap());
    let real = case["real_root"].as_str().map_or(root, Path::new);
    let got = Roots::new(root, real).resolve(Path::new(&path));
    differences(
        case,
        got.map(|path| serde_json::json!({"path": path.shown(), "directory": path.names_directory()})),
    )
}

fn locate(case: &Value) -> Vec<String> {
    let scene = Scene::new(case);
    let workspace = scene.open(case).unwrap();
    let path = scene.fill(&case["path"]);
    let located = workspace
        .resolve(Path::new(path.as_str().unwrap()))
        .and_then(|path| workspace.locate(&path))
        .map(|located| serde_json::json!({"path": located.relative().shown()}));
    differences(case, located)
}

fn workspace_id(case: &Value) -> Vec<String> {
    let raw = scene::expand(&case["raw"]);
    let name = managed::directory_name(raw.as_str().unwrap());
    differences(case, name.map(|name| serde_json::json!({"directory": name})))
}

/// Pure operations expect their result beside `error`, not under `ok`.
fn differences(case: &Value, got: Result<Value, ToolError>) -> Vec<String> {
    let expect = match case["expect"].get("error") {
        Some(_) => case["expect"].clone(),
        None => serde_json::json!({"ok": case["expect"]}),
    };
    scene::compare(&expect, &Value::Null, &got)
}

/// The same vectors for a user without privileges, whom permission bits bind.
#[test]
fn everything_holds_for_an_unprivileged_user_too() {
    unprivileged::again(&["--nocapture"]);
}

/// The same vectors where the kernel has no `openat2`. (sandbox.md §13)
#[test]
fn everything_holds_without_openat2_too() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--nocapture", "--skip", "_too", "vectors_files", "vectors_paths"]);
    if tool_trials::is_full() {
        again.arg("vectors_attacks");
    }
    let output = again.env("TOOLBOX_SANDBOX_FORCE_MISSING", "openat2").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| line.contains("cases")).for_each(|line| println!("without openat2: {line}"));
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
