//! Redaction: values under schemas, free texts and envelopes, and what of them is written down.

use super::{Outcome, judge_all};
use serde_json::{Value, json};
use tool_core::redact::{Form, KnownSecrets, envelope, redact, redact_text};

/// Fewer cases are a broken file.
const LEAST: usize = 80;

#[test]
fn vectors_redaction() {
    judge_all("redaction", LEAST, outcome);
}

fn outcome(case: &Value) -> Outcome {
    let secrets = case["secrets"].as_object().cloned().unwrap_or_default();
    let known =
        KnownSecrets::new(secrets.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())));
    let number = |key: &str| usize::try_from(case[key].as_u64().unwrap()).unwrap();
    let got = match case["group"].as_str().unwrap() {
        "audit" => redact(&case["value"], &case["schema"], &known, Form::Audit).value,
        "journal" => {
            let redacted = redact(&case["value"], &case["schema"], &known, Form::Journal);
            if json!(redacted.complete) != case["input_complete"] {
                return Err(format!("complete is {}", redacted.complete));
            }
            redacted.value
        }
        "text" => json!(redact_text(case["text"].as_str().unwrap(), &known)),
        "envelope" => envelope(case["value"].clone(), number("max_bytes"), number("preview_bytes")),
        other => return Err(format!("unknown group {other}")),
    };
    match got == case["expect"] {
        true => Ok(()),
        false => Err(format!("\n   got {got}\n  want {}", case["expect"])),
    }
}
