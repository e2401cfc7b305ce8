//! Every row of the tables of methods and of calls, byte for byte, in three revisions. UPDATE=1 writes down what is answered.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::client::{modern, talk};
use crate::kept::compare;
use crate::tools::builder;

/// The requests: what is asked, the method, and its parameters. The first opens the session of the eras that have one.
fn requests() -> Vec<(&'static str, &'static str, Value)> {
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    vec![
        ("a list", "tools/list", json!({})),
        ("a cursor that is none", "tools/list", json!({"cursor": "nonsense"})),
        ("a cursor behind a name that is gone", "tools/list", json!({"cursor": "djE6cGxlYXNl"})),
        ("a ping", "ping", json!({})),
        ("discovery", "server/discover", json!({})),
        ("prompts", "prompts/list", json!({})),
        ("resources", "resources/list", json!({})),
        ("skills", "skills/list", json!({})),
        ("tasks", "tasks/get", json!({"taskId": "t"})),
        ("logging", "logging/setLevel", json!({"level": "info"})),
        ("a method that nobody has", "no/such_method", json!({})),
        ("an object", "tools/call", call("greet", json!({"name": "Ada", "times": 2}))),
        ("a bare value", "tools/call", call("add", json!({"a": 2, "b": 3}))),
        ("no value", "tools/call", call("note", json!({"text": "x"}))),
        ("a hidden tool", "tools/call", call("unlisted", json!({}))),
        ("a tool that nobody has", "tools/call", call("gret", json!({}))),
        ("arguments that are no object", "tools/call", json!({"name": "add", "arguments": 5})),
        ("arguments that do not fit", "tools/call", call("greet", json!({"times": 9, "nam": 1}))),
        ("a tool without its secret", "tools/call", call("keyed", json!({"x": 1}))),
        ("a failure", "tools/call", call("broken", json!({}))),
        ("a panic", "tools/call", call("panics", json!({}))),
        ("a call after a panic", "tools/call", call("add", json!({"a": 1, "b": 1}))),
    ]
}

fn initialize(version: &str) -> Value {
    let client = json!({"name": "tests", "version": "1"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

#[tokio::test]
async fn every_row_is_answered_as_it_is_written_down() {
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let is_modern = version == "2026-07-28";
        let mut lines = Vec::new();
        if !is_modern {
            lines.push(initialize(version).to_string());
        }
        for (id, (_, method, params)) in (1..).zip(requests()) {
            lines.push(match is_modern {
                true => modern(id, method, params),
                false => json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
            });
        }
        let answers = talk(builder().build().unwrap(), &lines, lines.len()).await;
        let mut told = String::new();
        let of = |id: usize| answers.iter().find(|answer| answer["id"] == id).unwrap();
        if !is_modern {
            writeln!(told, "== the handshake\n{:#}", of(0)).unwrap();
        }
        for (id, (what, ..)) in (1..).zip(requests()) {
            writeln!(told, "== {what}\n{:#}", of(id)).unwrap();
        }
        compare(&format!("served/{version}.txt"), &told);
    }
}

#[tokio::test]
async fn a_revision_that_is_not_known_is_answered_with_one_that_is() {
    for (asked, answered) in
        [("2024-11-05", "2024-11-05"), ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25")]
    {
        let answers = talk(builder().build().unwrap(), &[initialize(asked).to_string()], 1).await;
        assert_eq!(answers[0]["result"]["protocolVersion"], answered, "{asked}: {}", answers[0]);
    }
    let without_meta = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}).to_string();
    let unknown = modern(3, "tools/list", json!({})).replace("2026-07-28", "2999-01-01");
    let lines = [modern(1, "tools/list", json!({})), without_meta, unknown];
    let answers = talk(builder().build().unwrap(), &lines, 3).await;
    let code = |id: u32| answers.iter().find(|answer| answer["id"] == id).unwrap()["error"]["code"].clone();
    assert_eq!((code(2), code(3)), (json!(-32602), json!(-32022)), "{answers:?}");
}
