//! Calls and their results.

use rmcp::model::ProtocolVersion;
use rmcp::service::ServiceError;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::client::{call, client, failure, initialize, legacy, modern, send, serve, talk, versions};
use crate::tools::builder;

#[tokio::test]
async fn tools_are_listed_and_called_in_every_revision() {
    let server = builder().build().unwrap();
    for version in versions() {
        let client = client(server.clone(), version.clone()).await;
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["add", "broken", "count", "greet", "note", "panics", "same", "wait"], "{version}");
        let greet = &tools[3];
        assert_eq!(greet.title.as_deref(), Some("Greet"));
        assert_eq!(greet.annotations.as_ref().unwrap().read_only_hint, Some(true));
        let meta = greet.meta.as_ref().unwrap();
        assert_eq!(meta["toolbox/group"], "words");
        assert!(meta["toolbox/fingerprint"].as_str().unwrap().starts_with("sha256:"));

        let result = client.call_tool(call("greet", json!({"name": "Ada", "times": "2"}))).await.unwrap();
        let structured = json!({"text": "Hello Ada. Hello Ada.", "length": 21});
        assert_eq!((result.is_error, result.structured_content), (None, Some(structured)), "{version}");

        let sum = client.call_tool(call("add", json!({"a": 2, "b": 3}))).await.unwrap();
        let modern = version >= ProtocolVersion::V_2026_07_28;
        let expected = if modern { json!(5) } else { json!({"result": 5}) };
        assert_eq!(sum.structured_content, Some(expected), "{version}");

        let unlisted = client.call_tool(call("unlisted", json!({}))).await.unwrap();
        assert_eq!(unlisted.is_error, None, "a hidden tool can be called");
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn failures_are_results_with_the_one_json_form() {
    let server = builder().build().unwrap();
    for version in versions() {
        let client = client(server.clone(), version).await;
        let wrong = client.call_tool(call("greet", json!({"times": 9, "nam": 1}))).await.unwrap();
        let failed = failure(&wrong);
        assert_eq!((&failed["ok"], &failed["tool"]), (&json!(false), &json!("greet")));
        let issues: Vec<&str> = failed["error"]["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| issue["path"].as_str().unwrap())
            .collect();
        assert_eq!(issues, ["/name", "/times", "/nam"]);

        let failed = failure(&client.call_tool(call("broken", json!({}))).await.unwrap());
        assert_eq!(failed["error"]["kind"], "failed");
        assert_eq!(failed["error"]["hint"], "mend it");

        let failed = failure(&client.call_tool(call("panics", json!({}))).await.unwrap());
        assert_eq!(failed["error"]["kind"], "internal");
        assert!(client.call_tool(call("add", json!({"a": 1, "b": 1}))).await.is_ok(), "the server lives on");

        // A tool without its secret says so, whatever the arguments, and describes no parameter.
        let failed = failure(&client.call_tool(call("keyed", json!({"x": 1}))).await.unwrap());
        assert_eq!(failed["error"]["kind"], "not_configured");
        assert_eq!(failed["error"]["code"], "tool_secret_missing");
        assert!(!failed.to_string().contains("wish"), "{failed}");

        match client.call_tool(call("gret", json!({}))).await {
            Err(ServiceError::McpError(error)) => {
                assert_eq!((error.code.0, &*error.message), (-32602, "Unknown tool: gret"));
                assert_eq!(error.data, Some(json!({"nearest": ["greet"]})));
            }
            other => panic!("{other:?}"),
        }
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn an_argument_of_ten_mebibytes_is_taken() {
    let big = "x".repeat(10 * 1024 * 1024);
    let client = client(builder().build().unwrap(), ProtocolVersion::V_2026_07_28).await;
    let length = big.len() + "Hello .".len();
    let result = client.call_tool(call("greet", json!({"name": big}))).await.unwrap();
    assert_eq!(result.structured_content.unwrap()["length"], length);
    // The text for the model is cut where the structured value is whole.
    let text = &result.content[0].as_text().unwrap().text;
    assert!(text.len() < 70_000 && text.contains("[truncated: "), "{} bytes", text.len());
    assert_eq!(client.call_tool(call("greet", json!({"name": "Ada"}))).await.unwrap().is_error, None);
}

#[tokio::test]
async fn a_thousand_calls_at_once_are_answered_each_once() {
    let lines: Vec<String> = (1..=1_000)
        .map(|id| modern(id, "tools/call", json!({"name": "add", "arguments": {"a": id, "b": 1}})))
        .collect();
    let (read, write) = tokio::io::split(serve(builder().build().unwrap()));
    let sent = send(write, lines);
    let mut read = BufReader::new(read).lines();
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..1_000 {
        let answer: Value = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        let id = answer["id"].as_u64().unwrap();
        assert_eq!(answer["result"]["structuredContent"], id + 1, "{answer}");
        assert!(ids.insert(id));
    }
    drop(sent.await.unwrap());
}

#[tokio::test]
async fn a_whole_number_comes_back_digit_for_digit() {
    // One more than what fits a double.
    let digits = "9007199254740993";
    let args = format!(r#"{{"number":{digits}}}"#);
    let args: Value = serde_json::from_str(&args).unwrap();
    let call = json!({"name": "same", "arguments": args});
    for (lines, wrapped) in [
        (vec![initialize(), legacy(1, "tools/call", &call)], true),
        (vec![modern(1, "tools/call", call)], false),
    ] {
        let answers = talk(builder().build().unwrap(), &lines, lines.len()).await;
        let result = &answers.last().unwrap()["result"];
        let structured = &result["structuredContent"];
        let number = if wrapped { &structured["result"] } else { structured };
        assert_eq!(number.to_string(), digits, "{result}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains(digits), "{result}");
    }
}
