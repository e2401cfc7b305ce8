//! The vectors of what is decided without a command: words, captures and environments.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tool_std::sandbox::capture::Capture;
use tool_std::sandbox::{Network, env};
use tool_std::shell::words;

use crate::judge::same;
use crate::{cases, each};

pub(crate) fn of_op(op: &str) -> Vec<Value> {
    cases("shell.json").into_iter().filter(|case| case["op"] == op).collect()
}

/// Words, captures and environments.
pub(crate) fn outcomes() -> Vec<(String, Result<(), String>)> {
    [each(of_op("split"), split), each(of_op("capture"), capture), each(of_op("env"), environment)].concat()
}

fn split(case: &Value) -> Result<(), String> {
    let expected = &case["expect"];
    match words::split(case["command"].as_str().unwrap()) {
        Ok(words) if words.is_empty() => same("code", &json!("invalid_args"), &expected["error"]["code"]),
        Ok(words) => same("words", &json!({ "words": words }), expected),
        Err(misfit) => {
            let (code, position) = match misfit {
                words::Misfit::NeedsShell { position, .. } => ("shell_syntax", position),
                words::Misfit::Unbalanced { position, .. } => ("unbalanced_quote", position),
            };
            same("code", &json!(code), &expected["error"]["code"])?;
            match &expected["error"]["details"]["position"] {
                Value::Null => Ok(()),
                expected => same("position", &json!(position), expected),
            }
        }
    }
}

fn capture(case: &Value) -> Result<(), String> {
    let mut capture = Capture::new(usize::try_from(case["budget"].as_u64().unwrap()).unwrap());
    for chunk in case["chunks_hex"].as_array().unwrap() {
        let hex = chunk.as_str().unwrap();
        let bytes: Vec<u8> =
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        capture.push(&bytes);
    }
    let seen = capture.finish();
    let mut got = json!({"text": seen.text, "truncated": seen.truncated(), "total_bytes": seen.total});
    if seen.truncated() {
        got["omitted_bytes"] = json!(seen.omitted);
    }
    for (field, expected) in case["expect"].as_object().unwrap() {
        same(field, &got[field], expected)?;
    }
    Ok(())
}

fn environment(case: &Value) -> Result<(), String> {
    let host: BTreeMap<String, String> = serde_json::from_value(case["host"].clone()).unwrap();
    let extra: BTreeMap<String, String> = serde_json::from_value(case["extra"].clone()).unwrap();
    let network = network(case["network"].as_str().unwrap());
    match env::passed(|name| host.get(name).cloned(), &extra, network) {
        Ok(passed) => same("passed", &json!({ "passed": passed }), &case["expect"]),
        Err(error) => {
            same("code", &json!(error.code_str()), &case["expect"]["error"]["code"])?;
            same("names", &error.details()["names"], &case["expect"]["error"]["names"])
        }
    }
}

pub(crate) fn network(word: &str) -> Network {
    match word {
        "deny" => Network::Deny,
        "loopback" => Network::Loopback,
        "allow" => Network::Allow,
        other => panic!("network {other}"),
    }
}
