//! The attack catalogue against the file tools: the call, its variants, the other tools that must answer alike, and the twin.

use serde_json::Value;

use crate::{attackers, call, json, known, run};

/// Groups of the attack catalogue that are about files.
const GROUPS: [&str; 6] = ["path", "patch", "regex", "resource", "json", "secrets"];
/// Tools that other tests of this crate attack: those of the shell group.
const SHELL: [&str; 2] = ["bash", "run_command"];

#[test]
fn vectors_attacks() {
    run("attacks.json", |case| {
        let (group, tool) = (case["group"].as_str().unwrap(), case["call"]["tool"].as_str());
        match (group, tool) {
            (_, Some(tool)) if SHELL.contains(&tool) => Err("the tests of the shell group".to_owned()),
            ("json" | "secrets", None) => json::attack(case),
            ("json" | "secrets", Some(tool)) if known(&tool.into()).is_err() => Err(format!("tool:{tool}")),
            // Arguments have their codes from their own specification; the catalogue has the kind.
            ("json", _) => attack(&without_code(case)),
            (group, _) if GROUPS.contains(&group) => attack(&with_what_twins_read(case)),
            _ => Err(needed(case)),
        }
    });
}

/// What an attack of another group is on: a tool that is not here, or whatever the group is about.
fn needed(case: &Value) -> String {
    let needs = case["needs"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let tool = needs.filter_map(|need| need.strip_prefix("tool:")).next().or(case["call"]["tool"].as_str());
    tool.map_or_else(|| format!("group {}", case["group"].as_str().unwrap()), |tool| format!("tool:{tool}"))
}

fn without_code(case: &Value) -> Value {
    let mut case = case.clone();
    case["expect"]["error"].as_object_mut().and_then(|error| error.remove("code"));
    case
}

/// A case that only says what happens at run time has the usual files beside that.
fn with_what_twins_read(case: &Value) -> Value {
    let mut case = case.clone();
    if case["setup"][0][0] == "at_runtime" {
        let usual = serde_json::json!([["write", "{ROOT}/ok", "ok"], ["write", "{OUT}/secret", "SECRET"]]);
        let mut steps = usual.as_array().cloned().unwrap_or_default();
        steps.extend(case["setup"].as_array().cloned().unwrap_or_default());
        case["setup"] = steps.into();
    }
    case
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
    if case["call"]["attacker"].is_string() || case["call"]["between"].is_string() {
        return Ok(attackers::race(case));
    }
    if case["setup"][0][0] == "appender" {
        return attackers::while_it_grows(case);
    }
    if case["never"].to_string().contains("posix_lock_dropped") {
        return attackers::with_a_lock(case);
    }
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
