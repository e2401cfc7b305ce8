//! Every case of `edit_unified.json` through the unified diff engine.

use serde_json::{Value, json};
use tool_std::Limits;
use tool_std::edit::unified;
use tool_trials::vectors::judge_all;

use crate::vectors::{bytes, compare_error};

/// Fewer cases are a broken file.
const LEAST: usize = 50;

#[test]
fn vectors_edit_unified() {
    judge_all("edit_unified", LEAST, check);
}

fn check(case: &Value) -> Result<(), String> {
    let file = bytes(case, "file").ok_or("no file")?;
    let patch = case["patch"].as_str().ok_or("no patch")?;
    let expect = &case["expect"];
    match (unified::apply(&file, patch, "f", &Limits::default()), expect.get("error")) {
        (Err(error), Some(expected)) => compare_error(&error, expected),
        (Err(error), None) => Err(format!("refused: {}", error.to_json())),
        (Ok(edited), Some(expected)) => {
            Err(format!("expected {expected}, got {:?}", String::from_utf8_lossy(&edited.bytes)))
        }
        (Ok(edited), None) => {
            if Some(&edited.bytes) != bytes(expect, "ok").as_ref() {
                return Err(format!("got {:?}", String::from_utf8_lossy(&edited.bytes)));
            }
            let starts: Vec<usize> = edited.hunks.iter().map(|hunk| hunk.old_start).collect();
            match expect.get("old_starts") {
                Some(wanted) if *wanted != json!(starts) => {
                    Err(format!("old_starts {starts:?}, not {wanted}"))
                }
                _ => Ok(()),
            }
        }
    }
}
