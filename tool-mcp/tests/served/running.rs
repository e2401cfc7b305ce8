//! Calls while they run: progress and cancellation.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::client::{initialize, legacy, serve, talk};
use crate::tools::builder;

#[tokio::test]
async fn cancelled_calls_have_no_answer_and_leave_nothing_behind() {
    let server = builder().build().unwrap();
    let mut lines = vec![initialize()];
    for id in 1..=100 {
        lines.push(legacy(id, "tools/call", &json!({"name": "wait", "arguments": {}})));
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        lines.push(cancelled.to_string());
    }
    lines.push(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}"#.to_owned(),
    );
    lines.push(legacy(200, "tools/call", &json!({"name": "add", "arguments": {"a": 1, "b": 2}})));
    let answers = talk(server.clone(), &lines, 2).await;
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [0, 200], "{answers:?}");
    // What runs when the server shuts down is what was left.
    let drained = server.executor().shutdown(Duration::from_secs(10)).await;
    assert_eq!(drained.left, 0, "{drained:?}");
}

#[tokio::test]
async fn an_id_is_refused_until_the_request_that_has_it_is_over_whoever_answers_it() {
    // A member that nobody knows sends a request rmcp's way.
    let rmcps = |line: String| line.replacen('{', "{\"unknown\":1,", 1);
    let wait = |id| legacy(id, "tools/call", &json!({"name": "wait", "arguments": {}}));
    let add = |id| legacy(id, "tools/call", &json!({"name": "add", "arguments": {"a": id, "b": 2}}));
    let cancelled = |id: u32| {
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
            .to_string()
    };
    let mut lines = vec![initialize(), wait(1), add(1), rmcps(add(1)), cancelled(1), add(1)];
    lines.extend([rmcps(wait(2)), add(2), rmcps(add(2)), cancelled(2), add(2)]);
    let answers = talk(builder().build().unwrap(), &lines, 7).await;
    let mut told: Vec<Value> = answers
        .iter()
        .skip(1)
        .map(|answer| {
            json!([answer["id"], answer["error"]["code"], answer["result"]["structuredContent"]["result"]])
        })
        .collect();
    // Within an id the refusals come first: the call that follows them begins later.
    told.sort_by_key(|told| told[0].as_u64());
    let (first, second) = (json!([1, -32600, null]), json!([2, -32600, null]));
    let expected = [first.clone(), first, json!([1, null, 3]), second.clone(), second, json!([2, null, 4])];
    assert_eq!(told, expected, "{answers:?}");
}

#[tokio::test]
async fn progress_comes_before_the_result_and_only_when_asked_for() {
    let with = |id, token: Option<&str>| {
        let meta = token.map_or_else(|| json!({}), |token| json!({"progressToken": token}));
        legacy(id, "tools/call", &json!({"name": "count", "arguments": {}, "_meta": meta}))
    };
    let answers = talk(builder().build().unwrap(), &[initialize(), with(1, None)], 2).await;
    assert_eq!(answers[1]["id"], 1, "no token, no progress");
    let (read, mut write) = tokio::io::split(serve(builder().build().unwrap()));
    write.write_all(format!("{}\n{}\n", initialize(), with(2, Some("t"))).as_bytes()).await.unwrap();
    let mut read = BufReader::new(read).lines();
    let (mut told, mut last) = (Vec::new(), Value::Null);
    while last["id"] != 2 {
        last = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        if last["method"] == "notifications/progress" {
            assert_eq!(last["params"]["progressToken"], "t");
            told.push(last["params"]["progress"].as_f64().unwrap());
        }
    }
    assert_eq!(told.last(), Some(&3.0), "{told:?}");
    assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
}
