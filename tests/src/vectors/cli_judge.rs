//! What a case of the command line expects, held against what a run left behind: in process, or of a program.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tool_cli::ExitCode;

/// What a run left behind.
pub(crate) struct Outcome {
    pub(crate) code: ExitCode,
    #[allow(dead_code, reason = "a process does not tell what reached a tool")]
    pub(crate) reached: Option<(String, Value)>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) directory: tool_trials::Directory,
}

/// A working directory with the files of a case.
pub(crate) fn directory(case: &Value) -> tool_trials::Directory {
    let directory = tool_trials::directory();
    for (name, text) in case["files"].as_object().into_iter().flatten() {
        std::fs::write(directory.path().join(name), bytes_of(text)).unwrap();
    }
    directory
}

/// The standard input of a case.
pub(crate) fn stdin(case: &Value) -> Vec<u8> {
    match case["stdin_base64"].as_str() {
        Some(text) => STANDARD.decode(text).unwrap(),
        None => case["stdin"].as_str().unwrap_or_default().as_bytes().to_vec(),
    }
}

fn bytes_of(text: &Value) -> Vec<u8> {
    match text {
        Value::String(text) => text.clone().into_bytes(),
        other => STANDARD.decode(other["base64"].as_str().unwrap()).unwrap(),
    }
}

/// Whether exit status, streams and files are the expected ones.
pub(crate) fn judge_printed(outcome: &Outcome, expect: &Value) -> Result<(), String> {
    equal("exit", &json!(outcome.code.0), &expect["exit"])?;
    judge_streams(outcome, expect, &String::from_utf8_lossy(&outcome.stdout))
}

fn judge_streams(outcome: &Outcome, expect: &Value, stdout: &str) -> Result<(), String> {
    let Outcome { stderr, directory, .. } = outcome;
    for (key, value) in expect.as_object().unwrap() {
        match key.as_str() {
            "stdout" => equal("stdout", &json!(stdout), value)?,
            "stderr" => equal("stderr", &json!(stderr), value)?,
            "stdout_base64" => equal("stdout", &json!(STANDARD.encode(&outcome.stdout)), value)?,
            "stdout_json" => alike("stdout", &parsed(stdout)?, value)?,
            "stderr_json" => alike("stderr", &parsed(stderr)?, value)?,
            "stdout_yaml" => {
                let found: Value = serde_saphyr::from_str(stdout).map_err(|error| error.to_string())?;
                alike("stdout", &found, value)?;
            }
            "stdout_jsonl" => {
                let lines: Vec<Value> = stdout.lines().map(parsed).collect::<Result<_, _>>()?;
                let expected = value.as_array().unwrap();
                equal("lines", &json!(lines.len()), &json!(expected.len()))?;
                lines.iter().zip(expected).try_for_each(|(line, expected)| alike("line", line, expected))?;
            }
            "stderr_contains" => {
                value
                    .as_array()
                    .unwrap()
                    .iter()
                    .try_for_each(|part| contains("stderr", stderr, part.as_str().unwrap()))?;
            }
            "never" => {
                for part in value.as_array().unwrap().iter().map(|part| part.as_str().unwrap()) {
                    if stdout.contains(part) || stderr.contains(part) {
                        return Err(format!("`{part}` was shown"));
                    }
                }
            }
            "files" => files(directory.path(), value)?,
            "special" => special(value.as_str().unwrap(), stdout, stderr)?,
            _ => {}
        }
    }
    Ok(())
}

fn files(directory: &Path, expected: &Value) -> Result<(), String> {
    for (name, text) in expected.as_object().unwrap() {
        let found = std::fs::read(directory.join(name)).map_err(|error| format!("{name}: {error}"))?;
        equal(
            name,
            &json!(String::from_utf8_lossy(&found)),
            &json!(String::from_utf8_lossy(&bytes_of(text))),
        )?;
    }
    Ok(())
}

/// Whether a command ended in that output instead of a call.
fn special(kind: &str, stdout: &str, stderr: &str) -> Result<(), String> {
    match kind {
        "help" => contains("help", &format!("{stdout}{stderr}"), "Usage: demo"),
        "version" => equal("version", &json!(stdout), &json!("demo 1.0.0\n")),
        "schema" => parsed(stdout).map(|_| ()),
        "dry-run" => alike("dry_run", &parsed(stdout)?["dry_run"], &json!(true)),
        _ => Ok(()),
    }
}

// ---- comparing -------------------------------------------------------------------------------------------------------

pub(crate) fn parsed(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("{error} in {text:?}"))
}

pub(crate) fn equal(what: &str, found: &Value, expected: &Value) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} is {found}, not {expected}")) }
}

pub(crate) fn contains(what: &str, found: &str, part: &str) -> Result<(), String> {
    if found.contains(part) { Ok(()) } else { Err(format!("{what} is {found:?}, without {part:?}")) }
}

/// Equal, numbers by value.
pub(crate) fn same(what: &str, found: &Value, expected: &Value) -> Result<(), String> {
    if is_same(found, expected) { Ok(()) } else { Err(format!("{what} is {found}, not {expected}")) }
}

fn is_same(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(key, b)| a.get(key).is_some_and(|a| is_same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Equal, where `meta` stands for any object and errors and issues are compared on the members listed.
fn alike(what: &str, found: &Value, expected: &Value) -> Result<(), String> {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            let loose = what == "error" || what == "issues" || what == "details";
            if !loose && a.len() != b.len() {
                return Err(format!("{what} is {found}, not {expected}"));
            }
            b.iter().try_for_each(|(key, b)| match a.get(key) {
                Some(a) if key == "meta" => {
                    if a.is_object() {
                        Ok(())
                    } else {
                        Err(format!("meta is {a}"))
                    }
                }
                Some(a) => alike(key, a, b),
                None => Err(format!("{what} has no {key}: {found}")),
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| alike(what, a, b))
        }
        _ => same(what, found, expected),
    }
}
