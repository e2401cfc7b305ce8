//! The generated command line through a real process: the cases of `cli.json` that need no terminal, and one way to every
//! other operation that a program has.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

#[path = "../src/vectors/cli_judge.rs"]
mod judge;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

use judge::{Outcome, equal, same};

/// The statuses that a case ends with; the vectors have no case for the others.
const STATUSES: [u8; 8] = [0, 1, 2, 3, 4, 5, 124, 130];

/// Runs a case in a session of its own, so that no terminal of whoever runs the tests is there.
fn start(case: &Value, results: &Path) -> Outcome {
    start_below(&[], case, results)
}

/// The same below another program, which starts it.
fn start_below(above: &[&str], case: &Value, results: &Path) -> Outcome {
    let directory = judge::directory(case);
    let mut child = Command::new("setsid")
        .arg("--wait")
        .args(above)
        .arg(env!("CARGO_BIN_EXE_demo"))
        .args(case["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()))
        .current_dir(directory.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("PROBE_RESULTS", results)
        .envs(
            case["env"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name, value.as_str().unwrap())),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not ask for its standard input may have ended before it is written.
    let _ = child.stdin.take().unwrap().write_all(&judge::stdin(case));
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: tool_cli::ExitCode(output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap()),
        reached: None,
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        directory,
    }
}

/// What stands on standard output of a case that must succeed.
fn printed(case: &Value, results: &Path) -> Result<Value, String> {
    let outcome = start(case, results);
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    serde_json::from_str(&text).map_err(|error| format!("{error}: {text:?} {}", outcome.stderr))
}

fn has(peer: &str) -> bool {
    let found = Command::new(peer).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        tool_trials::skip(&format!("{peer} is missing"));
    }
    found
}

/// The texts of a case that nobody may see: what its files and variables hold.
fn secrets(case: &Value) -> Vec<String> {
    let held = ["files", "env"].into_iter().filter_map(|kind| case[kind].as_object()).flatten();
    held.filter_map(|(_, text)| Some(text.as_str()?.trim_end().to_owned())).collect()
}

#[test]
fn the_secrets_of_the_cases_are_in_no_argument_list() {
    let Some((cases, _)) = tool_trials::vectors::cases("cli.json") else { return };
    if !has("setsid") || !has("strace") {
        return;
    }
    let own = tool_trials::directory();
    let (results, trace) = (own.path().join("results.json"), own.path().join("trace"));
    std::fs::write(&results, "{}").unwrap();
    let above = ["strace", "-f", "-s", "4096", "-e", "trace=execve,openat", "-o", trace.to_str().unwrap()];
    let mut found = 0;
    for case in cases.iter().filter(|case| case["id"].as_str().unwrap().starts_with("secret-")) {
        if case["op"] != "run" || needs_terminal(case) {
            continue;
        }
        let outcome = start_below(&above, case, &results);
        assert_eq!(json!(outcome.code.0), case["expect"]["exit"], "{case}: {}", outcome.stderr);
        let traced = std::fs::read_to_string(&trace).unwrap();
        let started = traced.lines().filter(|line| line.contains("execve("));
        let lists: Vec<&str> = started.collect();
        assert!(lists.iter().any(|line| line.contains("\"login\"")), "{traced}");
        for secret in secrets(case) {
            // As the tracer writes it.
            let shown = secret.replace('\n', "\\n").replace('\r', "\\r").replace('"', "\\\"");
            assert!(!lists.iter().any(|line| line.contains(&shown)), "{case}: {traced}");
            found += 1;
        }
    }
    assert!(found >= 4, "{found} secrets");
}

#[test]
fn cases_without_a_terminal_hold_in_a_process_too() {
    let Some((cases, folder)) = tool_trials::vectors::cases("cli.json") else { return };
    if !has("setsid") {
        return;
    }
    let file: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("cli.json")).unwrap()).unwrap();
    let own = tool_trials::directory();
    let results = own.path().join("results.json");
    std::fs::write(&results, file["results"].to_string()).unwrap();
    let (mut ops, mut statuses, mut wrong) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let found = match case["op"].as_str().unwrap() {
            _ if needs_terminal(case) => continue,
            "run" => {
                statuses.extend(case["expect"]["exit"].as_u64().and_then(|status| u8::try_from(status).ok()));
                run(case, &results)
            }
            "line" => line(case, &results),
            "duration" => duration(case, &results),
            "select" => select(case, own.path()),
            "command" => match known(case, &results) {
                Ok(true) => Ok(()),
                Ok(false) => continue,
                Err(why) => Err(why),
            },
            "flags" => flags(case),
            "clash" => clashes(case),
            other => panic!("no operation {other}"),
        };
        ops.insert(case["op"].as_str().unwrap());
        wrong.extend(found.err().map(|why| format!("{id}: {why}")));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(ops, BTreeSet::from(["clash", "command", "duration", "flags", "line", "run", "select"]));
    assert_eq!(statuses, BTreeSet::from(STATUSES));
}

fn needs_terminal(case: &Value) -> bool {
    let streams = case["tty"].as_object().into_iter().flatten();
    case.get("answer").is_some() || streams.into_iter().any(|(_, on)| on == true)
}

fn run(case: &Value, results: &Path) -> Result<(), String> {
    let outcome = start(case, results);
    let shown =
        format!("\n  stdout: {}\n  stderr: {}", String::from_utf8_lossy(&outcome.stdout), outcome.stderr);
    judge::judge_printed(&outcome, &case["expect"]).map_err(|why| format!("{why}{shown}"))
}

/// The command line that a dry run prints.
fn line(case: &Value, results: &Path) -> Result<(), String> {
    let argv = ["call", case["tool"].as_str().unwrap(), "--input", "-", "--dry-run", "--json"];
    let planned = printed(&json!({"argv": argv, "stdin": case["args"].to_string()}), results)?;
    equal("line", &planned["command"], &case["expect"]["line"])
}

/// A time limit is taken, or refused.
fn duration(case: &Value, results: &Path) -> Result<(), String> {
    let argv = ["ping".to_owned(), format!("--timeout={}", case["text"].as_str().unwrap())];
    let outcome = start(&json!({"argv": argv}), results);
    let expected = if case["expect"]["ms"].is_null() { 2 } else { 0 };
    equal("exit", &json!(outcome.code.0), &json!(expected))
}

fn select(case: &Value, folder: &Path) -> Result<(), String> {
    let results = folder.join("selected.json");
    std::fs::write(&results, json!({"it": {"structured": case["data"]}}).to_string()).unwrap();
    let select = format!("--select={}", case["select"].as_str().unwrap());
    let argv = ["probe", "result", "it", "--json", &select];
    match case["expect"].get("error") {
        Some(_) => equal("exit", &json!(start(&json!({"argv": argv}), &results).code.0), &json!(2)),
        None => same("value", &printed(&json!({"argv": argv}), &results)?, &case["expect"]["value"]),
    }
}

/// The words of a tool, if this program has it.
fn known(case: &Value, results: &Path) -> Result<bool, String> {
    static LIST: OnceLock<Value> = OnceLock::new();
    let list = match LIST.get() {
        Some(list) => list,
        None => {
            let list = printed(&json!({"argv": ["tools", "list", "--json"]}), results)?;
            LIST.get_or_init(|| list)
        }
    };
    let is = |tool: &&Value| tool["name"] == case["tool"] && tool["group"] == case["group"];
    let Some(tool) = list.as_array().unwrap().iter().find(is) else { return Ok(false) };
    let words: Vec<&str> = tool["command"].as_str().unwrap().split(' ').collect();
    equal("words", &json!(words), &case["expect"]["words"]).map(|()| true)
}

/// A program with tools of the case's own.
fn given(tools: &Value, argv: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_given"));
    program.args(argv).env_clear().env("GIVEN", tools.to_string()).output().unwrap()
}

/// The options that a program tells of its tool.
fn flags(case: &Value) -> Result<(), String> {
    let name = case["tool"]["name"].as_str().unwrap();
    let output = given(&json!([case["tool"]]), &["tools", "show", name, "--json"]);
    let shown: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    let params = shown["params"].as_array().unwrap();
    let flags: Value = params
        .iter()
        .map(|param| (param["name"].as_str().unwrap().to_owned(), param["flag"].clone()))
        .collect();
    same("flags", &flags, &case["expect"]["flags"])
}

/// The clashes that a program ends with, as a set.
fn clashes(case: &Value) -> Result<(), String> {
    let output = given(&case["tools"], &["tools", "list"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    if stderr.starts_with("error[name_clash]: ") {
        // Names that fold together are the registry's to refuse, and it is asked first.
        let refused = (output.status.code(), output.stdout.is_empty());
        return equal("refused", &json!(refused), &json!([1, case["expect"]["clashes"] != json!([])]));
    }
    let mut found: Vec<Value> = stderr.lines().filter_map(clash).collect();
    let mut expected = case["expect"]["clashes"].as_array().unwrap().clone();
    found.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    equal("clashes", &json!(found), &json!(expected))?;
    let (status, silent) = if expected.is_empty() { (0, false) } else { (1, true) };
    equal("exit", &json!(output.status.code()), &json!(status))?;
    equal("silent", &json!(output.stdout.is_empty()), &json!(silent))
        .map_err(|why| format!("{why}: {stderr}"))
}

/// What a line says: ``cli_clash: `NAME` of `TOOL` meets WITH: ORIGINS``.
fn clash(line: &str) -> Option<Value> {
    let (name, rest) = line.split_once("cli_clash: `")?.1.split_once("` of `")?;
    let with = rest.split_once("` meets ")?.1.split_once(": ")?.0;
    Some(json!({"name": name, "with": with}))
}
