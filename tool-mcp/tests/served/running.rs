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
