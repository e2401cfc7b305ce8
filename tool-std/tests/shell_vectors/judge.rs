//! What is wrong with an outcome, by the rules of the vector files.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

/// What a call came to: its result, or its error as JSON.
pub(crate) type Outcome = Result<Value, Value>;

pub(crate) fn same(what: &str, got: &Value, expected: &Value) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what} is {got}, not {expected}")) }
}

pub(crate) fn fits_any(outcome: &Outcome, expect: &Value) -> Result<(), String> {
    if let Some(any) = expect["any"].as_array() {
        let failures: Vec<String> = any.iter().filter_map(|one| fits(outcome, one).err()).collect();
        return if failures.len() < any.len() { Ok(()) } else { Err(failures.join("; ")) };
    }
    fits(outcome, expect)
}

fn fits(outcome: &Outcome, expect: &Value) -> Result<(), String> {
    if expect["invariant"].is_string() {
        return Ok(());
    }
    match (outcome, &expect["ok"], &expect["error"]) {
        (Ok(data), Value::Object(fields), _) => {
            fields.iter().try_for_each(|(field, value)| same(field, &data[field], value))
        }
        (Err(error), _, expected @ Value::Object(_)) => fits_error(error, expected),
        (outcome, _, _) => Err(format!("{outcome:?} instead of {expect}")),
    }
}

fn fits_error(got: &Value, expected: &Value) -> Result<(), String> {
    for field in ["kind", "code", "message"] {
        if !expected[field].is_null() {
            same(field, &got[field], &expected[field])?;
        }
    }
    for (field, value) in expected["details"].as_object().into_iter().flatten() {
        same(field, &got["details"][field], value)?;
    }
    let issues = got["issues"].as_array().cloned().unwrap_or_default();
    for path in expected["issues"].as_array().into_iter().flatten() {
        if !issues.iter().any(|issue| issue["path"] == *path) {
            return Err(format!("no issue at {path} in {issues:?}"));
        }
    }
    for hint in expected["hints"].as_array().into_iter().flatten() {
        if !issues.iter().any(|issue| issue["hint"] == *hint) {
            return Err(format!("no hint {hint} in {issues:?}"));
        }
    }
    match expected["hint_contains"].as_str() {
        Some(part) if !got["hint"].as_str().unwrap_or_default().contains(part) => {
            Err(format!("hint of {got}"))
        }
        _ => Ok(()),
    }
}

pub(crate) fn hits(case: &Value, count: usize) -> Result<(), String> {
    match case["hits"].as_str() {
        Some(">=1") if count == 0 => Err("the listener was not reached".to_owned()),
        _ => Ok(()),
    }
}

/// `survives` says whether a process of the call is alive a second later.
pub(crate) fn nevers(
    nevers: &Value,
    survives: impl Fn() -> bool,
    outcome: &Outcome,
    hits: usize,
) -> Result<(), String> {
    for never in nevers.as_array().into_iter().flatten().map(|never| never.as_str().unwrap()) {
        let (word, operand) = never.split_once(':').unwrap_or((never, ""));
        let happened = match word {
            "survivors" => survives(),
            "listener_hit" => hits > 0,
            "exists" => PathBuf::from(operand).exists(),
            "exists_after_1500ms" => {
                std::thread::sleep(Duration::from_millis(1_500));
                PathBuf::from(operand).exists()
            }
            "output_contains" => format!("{outcome:?}").contains(operand),
            _ => false,
        };
        if happened {
            return Err(format!("{never} happened"));
        }
    }
    Ok(())
}

pub(crate) fn after(files: &Value) -> Result<(), String> {
    for (path, content) in files.as_object().into_iter().flatten() {
        same(path, &json!(fs::read_to_string(path).ok()), content)?;
    }
    Ok(())
}
