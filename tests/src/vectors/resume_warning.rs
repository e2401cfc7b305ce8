//! The cases of resume_warning.json: which calls a resumed task is warned about, the exact text, and where it goes.

use super::judge_all_in;
use serde_json::{Value, json};
use tool_core::journal::resume::{self, Delivery, MARKER, Role};
use tool_core::journal::{Row, Word};
use tool_core::{Behavior, DynTool, Registry};

/// Fewer cases mean that the file was cut.
const LEAST: usize = 24;

#[test]
fn vectors_resume_warning() {
    let registry = |file: &Value| {
        assert_eq!(file["fixtures"]["marker"], MARKER);
        registry(&file["fixtures"]["registry"])
    };
    judge_all_in("resume_warning", LEAST, registry, |registry, case| match case["group"].as_str() {
        Some("warning") => warning_case(case, registry),
        Some("deliver") => deliver_case(case),
        other => Err(format!("unknown group {other:?}")),
    });
}

fn registry(fixture: &Value) -> Registry {
    let mut builder = Registry::builder();
    for (name, said) in fixture.as_object().unwrap() {
        let behavior = Behavior {
            side_effect: said["side_effect"] == true,
            idempotent: said["idempotent"] == true,
            destructive: false,
            open_world: false,
        };
        let mut tool = DynTool::builder(name).description("Does it.").behavior(behavior);
        for alias in said["aliases"].as_array().unwrap() {
            tool = tool.alias(alias.as_str().unwrap());
        }
        builder = builder.add_dyn(tool.build().unwrap());
    }
    builder.build().unwrap()
}

fn warning_case(case: &Value, registry: &Registry) -> Result<(), String> {
    let rows: Vec<Row> = case["rows"].as_array().unwrap().iter().map(super::journal::row).collect();
    let attempt = u32::try_from(case["attempt"].as_u64().unwrap()).unwrap();
    let selected = resume::selected(&rows, attempt, Some(registry));
    let selected: Vec<Value> =
        selected.iter().map(|row| json!([row.tool_name, row.attempt, row.seq])).collect();
    super::journal::same(selected, &case["selected"])?;
    super::journal::same(json!(resume::warning(&rows, attempt, Some(registry))), &case["text"])?;
    // What is written is read back.
    for said in case["rows"].as_array().unwrap() {
        let status: tool_core::journal::Status = super::journal::word(&said["status"]).unwrap();
        super::journal::same(status.word(), &said["status"])?;
    }
    Ok(())
}

/// A user's text, however a message holds it; a result of a tool is none.
fn spoken(message: &Value) -> (Role, String) {
    let text = match &message["content"] {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) if blocks.iter().all(|block| block["type"] == "text") => {
            Some(blocks.iter().filter_map(|block| block["text"].as_str()).collect())
        }
        _ => None,
    };
    match text {
        Some(text) if message["role"] == "user" => (Role::User, text),
        text => (Role::Other, text.unwrap_or_default()),
    }
}

fn deliver_case(case: &Value) -> Result<(), String> {
    let prompt = case["prompt"].as_str().unwrap();
    let mut messages = case["messages"].as_array().unwrap().clone();
    let spoken: Vec<(Role, String)> = messages.iter().map(spoken).collect();
    let spoken = spoken.iter().map(|(role, text)| (*role, text.as_str()));
    let delivery = resume::deliver(prompt, spoken, case["warning"].as_str());
    let (how, prompt) = match delivery {
        Delivery::None => ("none", prompt.to_owned()),
        Delivery::Present => ("present", prompt.to_owned()),
        Delivery::Replaced(prompt) => ("replaced", prompt),
        Delivery::Prepended(prompt) => ("prepended", prompt),
        Delivery::Appended(text) => {
            messages.push(json!({"role": "user", "content": text}));
            ("appended", prompt.to_owned())
        }
    };
    super::journal::same(json!({"prompt": prompt, "messages": messages, "how": how}), &case["expect"])
}
