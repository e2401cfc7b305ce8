//! The contract of a tool set: what changed between two lists, and fingerprints byte for byte.

use super::{Outcome, judge_all};
use serde_json::{Value, json};
use tool_core::canonical;
use tool_core::contract::{Entry, compare, worst};

/// Fewer cases are a broken file.
const LEAST: usize = 55;

#[test]
fn vectors_contract() {
    judge_all("contract", LEAST, outcome);
}

fn outcome(case: &Value) -> Outcome {
    match case["kind"].as_str() {
        Some("classify") => classify(case),
        Some("fingerprint") => fingerprint(case),
        other => Err(format!("unknown kind {other:?}")),
    }
}

fn classify(case: &Value) -> Result<(), String> {
    let entries = |key: &str| -> Vec<Entry> { serde_json::from_value(case[key].clone()).unwrap() };
    let changes = compare(&entries("old"), &entries("new"));
    let got = sorted(changes.iter().map(|change| canonical::text(&change.to_json())));
    let expected = case["expect"]["changes"].as_array().unwrap();
    let wanted = sorted(expected.iter().map(canonical::text));
    if got != wanted {
        return Err(format!("{}\n   got {got:?}\n  want {wanted:?}", case["about"]));
    }
    let class = worst(&changes).as_str();
    if case["expect"]["class"] != class {
        return Err(format!("is {class}, not {}", case["expect"]["class"]));
    }
    Ok(())
}

/// In an order of their own: the rules name no order of changes.
fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

fn fingerprint(case: &Value) -> Result<(), String> {
    let entry: Entry = serde_json::from_value(case["tool"].clone()).unwrap();
    let got = json!({"preimage": canonical::text(&entry.preimage()), "fingerprint": entry.digest()});
    let wanted = &case["expect"];
    for key in ["preimage", "fingerprint"] {
        if got[key] != wanted[key] {
            return Err(format!("{key}\n   got {}\n  want {}", got[key], wanted[key]));
        }
    }
    Ok(())
}
