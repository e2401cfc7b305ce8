//! Which methods there are, and what each answers.

use serde_json::json;

use crate::client::{initialize, legacy, modern, talk};
use crate::tools::builder;

#[tokio::test]
async fn methods_that_are_not_declared_are_not_found() {
    const ABSENT: [&str; 9] = [
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "logging/setLevel",
        "tasks/get",
        "skills/list",
        "subscriptions/listen",
        "completion/complete",
        "nonsense/at_all",
    ];
    let params = |method: &str| match method {
        "logging/setLevel" => json!({"level": "info"}),
        "tasks/get" => json!({"taskId": "t"}),
        "subscriptions/listen" => json!({"notifications": {"toolsListChanged": true}}),
        "completion/complete" => {
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}})
        }
        _ => json!({}),
    };
    let mut lines = vec![initialize()];
    lines.extend((1..).zip(ABSENT).map(|(id, method)| legacy(id, method, &params(method))));
    let answers = talk(builder().build().unwrap(), &lines, lines.len()).await;
    for answer in answers.iter().filter(|answer| answer["id"] != 0) {
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    let lines: Vec<String> = (1..)
        .zip(ABSENT.into_iter().chain(["ping", "initialize"]))
        .map(|(id, method)| {
            let params = match method {
                "initialize" => json!({"protocolVersion": "2026-07-28", "capabilities": {},
                    "clientInfo": {"name": "tests", "version": "1"}}),
                other => params(other),
            };
            modern(id, method, params)
        })
        .collect();
    // The first line opens the modern era.
    let lines = [vec![modern(100, "tools/list", json!({}))], lines].concat();
    let answers = talk(builder().build().unwrap(), &lines, lines.len()).await;
    for answer in answers.iter().filter(|answer| answer["id"] != 100) {
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}
