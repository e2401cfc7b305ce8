//! The vectors of the file group and of the path rules, as far as their tools are in this crate.

#![cfg(test)]

mod scene;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use scene::Scene;
use serde_json::Value;
use tool_core::{Registry, ToolError};
use tool_std::workspace::{Roots, managed};

/// The cases of a file and its folder, or a line that says that there are none.
fn cases(file: &str) -> Option<(Vec<Value>, PathBuf)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors");
    let folder = std::env::var_os("TOOL_VECTORS").map_or_else(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join(file)) else {
        assert_ne!(std::env::var("TOOL_REQUIRE_PEERS").as_deref(), Ok("1"), "no {file}");
        println!("skipped: no vectors");
        return None;
    };
    let file: Value = serde_json::from_str(&text).unwrap();
    Some((file["cases"].as_array().unwrap().clone(), folder))
}

/// Runs every case and reports all that is wrong with any.
fn run(file: &str, check: impl Fn(&Value) -> Result<Vec<String>, String>) {
    let Some((cases, folder)) = cases(file) else { return };
    let mut wrong = Vec::new();
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let mut ran = 0;
    for case in &cases {
        match check(case) {
            Ok(differences) => {
                ran += 1;
                wrong.extend(differences.iter().map(|text| format!("{}: {text}", case["id"])));
            }
            Err(need) => *skipped.entry(need).or_default() += 1,
        }
    }
    let left_out: Vec<String> =
        skipped.iter().map(|(need, count)| format!("{count} skipped: needs {need}")).collect();
    println!("{ran} cases of {file} from {}, {}", folder.display(), left_out.join(", "));
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
    let result = scene.call(case, &case["call"]);
    let mut wrong = scene::compare(&scene.fill(&case["expect"]), case, &result);
    if scene::is_late(case, start) {
        wrong.push(format!("took {:?}", start.elapsed()));
    }
    wrong.extend(scene.check_after(case));
    let shown = match &result {
        Ok(data) => data.to_string(),
        Err(error) => error.to_json().to_string(),
    };
    for never in case["never"].as_array().into_iter().flatten() {
        if let Some(text) = never.as_str().and_then(|never| never.strip_prefix("output_contains:"))
            && shown.contains(text)
        {
            wrong.push(format!("the answer contains {text}"));
        }
    }
    Ok(wrong)
}

#[test]
fn the_file_tools_answer_as_the_vectors_say() {
    run("files.json", call);
}

#[test]
fn paths_are_resolved_located_and_used_as_the_vectors_say() {
    run("paths.json", |case| match case["op"].as_str().unwrap() {
        "resolve" => Ok(resolve(case)),
        "locate" => Ok(locate(case)),
        "workspace_id" => Ok(workspace_id(case)),
        _ => call(case),
    });
}

/// Groups of the attack catalogue that are about files.
const GROUPS: [&str; 4] = ["path", "patch", "regex", "resource"];
/// What the harness of the whole program does: other processes, other threads, the journal.
const ELSEWHERE: [&str; 6] = ["attacker", "between", "fault", "parallel", "surface", "repeat_s"];

#[test]
fn the_attack_catalogue_is_refused_and_its_twins_succeed() {
    run("attacks.json", |case| {
        let group = case["group"].as_str().unwrap();
        if !GROUPS.contains(&group) {
            return Err(format!("group {group}"));
        }
        let text = case.to_string();
        if let Some(key) = ELSEWHERE.iter().find(|key| case["call"].get(key).is_some()) {
            return Err((*key).to_owned());
        }
        for (word, need) in [
            ("at_runtime", "at_runtime"),
            ("{JOURNAL}", "journal"),
            ("appender", "appender"),
            ("mkfiles", "mkfiles"),
        ] {
            if text.contains(word) {
                return Err(need.to_owned());
            }
        }
        if case["call"]["tool"] == "write_file" && text.contains("268435456") {
            return Err("arguments of 256 MiB".to_owned());
        }
        attack(case)
    });
}

/// The call, its variants, the other tools that must answer alike, and the twin.
fn attack(case: &Value) -> Result<Vec<String>, String> {
    let mut wrong = one_attack(case)?;
    for variant in case["variants"].as_array().into_iter().flatten() {
        let mut other = case.clone();
        match case["call"]["args"]["patch"].as_str().and_then(|patch| patch.split_once('\n')) {
            Some((_, rest)) => {
                let patch = format!("{}\n{rest}", variant.as_str().unwrap());
                other["call"]["args"]["patch"] = patch.into();
            }
            None => other["call"]["args"]["path"] = variant.clone(),
        }
        wrong.extend(one_attack(&other)?);
    }
    for tool in case["also"].as_array().into_iter().flatten() {
        let mut other = case.clone();
        other["call"]["tool"] = tool.clone();
        other["call"]["args"] = fitting(tool.as_str().unwrap(), &case["call"]["args"]);
        other["expect"] = alike(&case["expect"]);
        if other["call"]["args"]["from"] == "ok" {
            let mut setup = case["setup"].as_array().cloned().unwrap_or_default();
            setup.push(serde_json::json!(["write", "{ROOT}/ok", "ok"]));
            other["setup"] = setup.into();
        }
        // `delete_file` deletes a link itself, wherever it leads (files.md §12, vector delete-link-out-itself).
        let deletes_link = tool == "delete_file" && case["call"]["args"]["path"] == "l";
        if known(tool).is_ok() && !deletes_link {
            wrong.extend(one_attack(&other)?.into_iter().map(|text| format!("{tool}: {text}")));
        }
    }
    if let Some(twin) = case["twin"].as_object() {
        let mut other = case.clone();
        other["never"] = Value::Null;
        for (key, value) in twin {
            other[key] = value.clone();
        }
        wrong.extend(one_attack(&other)?.into_iter().map(|text| format!("twin: {text}")));
    }
    Ok(wrong)
}

fn one_attack(case: &Value) -> Result<Vec<String>, String> {
    let Some(any) = case["expect"]["any"].as_array() else { return call(case) };
    let mut wrong = Vec::new();
    for expect in any {
        let mut one = case.clone();
        one["expect"] = expect.clone();
        wrong = call(&one)?;
        if wrong.is_empty() {
            break;
        }
    }
    Ok(wrong)
}

/// The same path and otherwise valid arguments for another tool.
fn fitting(tool: &str, args: &Value) -> Value {
    let path = args.get("path").cloned().unwrap_or(Value::from("."));
    let mut other = match tool {
        "write_file" => serde_json::json!({"path": path, "content": "x"}),
        "search_files" => serde_json::json!({"path": path, "pattern": "x"}),
        "find_files" => serde_json::json!({"path": path, "pattern": "*"}),
        "edit_file" => serde_json::json!({"path": path, "patch": "@@ -1 +1 @@\n-a\n+b\n"}),
        "edit_lines" => {
            let patch = serde_json::json!({"start_line": 1, "end_line": 0, "content": "x"});
            serde_json::json!({"path": path, "patches": [patch]})
        }
        "replace_text" => serde_json::json!({"path": path, "old": "a", "new": "b"}),
        // Where a case writes to its path, it is the destination, but for a link, which is where to start from.
        "copy_file" | "move_file" if args.get("content").is_some() && path != "l" => {
            serde_json::json!({"from": "ok", "to": path})
        }
        "copy_file" | "move_file" => serde_json::json!({"from": path, "to": "elsewhere"}),
        _ => serde_json::json!({"path": path}),
    };
    if let Some(version) = args.get("expected_version") {
        other["expected_version"] = version.clone();
    }
    other
}

/// Other tools answer with the same kind and code, and find as little.
fn alike(expect: &Value) -> Value {
    match expect.get("error") {
        Some(_) => expect.clone(),
        None => serde_json::json!({"ok": {}}),
    }
}

fn resolve(case: &Value) -> Vec<String> {
    let Some(path) = scene::expand(&case["path"]).as_str().map(str::to_owned) else {
        // Not a string: the decoder's business, which every tool's path parameter goes through.
        let call = serde_json::json!({"tool": "read_file", "args": {"path": case["path"]}});
        let result = Scene::new(case).call_strictly(case, &call);
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
fn the_vectors_hold_for_nobody_too() {
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let program = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new(program);
    command.args(["--nocapture", "the_file_tools_answer", "paths_are_resolved"]).uid(NOBODY).gid(NOBODY);
    command.env("TMPDIR", "/tmp").current_dir("/");
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            assert_ne!(
                std::env::var("TOOL_REQUIRE_PEERS").as_deref(),
                Ok("1"),
                "nobody cannot run this test"
            );
            println!("skipped: nobody cannot run this test");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| line.contains("cases of")).for_each(|line| println!("as nobody: {line}"));
    assert!(output.status.success(), "{text}");
}
