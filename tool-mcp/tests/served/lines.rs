//! Lines that are no messages.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::client::{initialize, legacy, modern, send, serve, talk};
use crate::tools::builder;

#[tokio::test]
async fn broken_lines_are_answered_and_end_nothing() {
    let lines = [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        "{not json".to_owned(),
        "[]".to_owned(),
        r#"{"jsonrpc":"2.0","id":7}"#.to_owned(),
        String::new(),
        initialize(),
        r#"{"jsonrpc":"1.0","id":8,"method":"tools/list"}"#.to_owned(),
        legacy(9, "tools/call", &json!({"name": "add", "arguments": 5})),
        legacy(10, "tools/call", &json!({"name": "add", "arguments": {"a": 1, "b": 2}})),
        legacy(11, "tools/list", &json!({"cursor": "nonsense"})),
        legacy(12, "tools/list", &json!({"cursor": 5})),
        legacy(13, "tools/list", &json!({"cursor": null})),
    ];
    let answers = talk(builder().build().unwrap(), &lines, 10).await;
    let code = |id: Value| {
        let of = |answer: &&Value| answer["id"] == id;
        answers.iter().filter(of).map(|answer| answer["error"]["code"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(code(Value::Null), [-32700, -32600], "{answers:?}");
    assert_eq!(code(json!(7)), [-32600], "{answers:?}");
    assert_eq!(code(json!(8)), [-32600], "{answers:?}");
    assert_eq!(code(json!(9)), [-32602], "{answers:?}");
    assert_eq!(code(json!(10)), [Value::Null], "{answers:?}");
    assert_eq!(code(json!(11)), [-32602], "{answers:?}");
    assert_eq!(code(json!(12)), [-32602], "what is no text is no cursor: {answers:?}");
    assert_eq!(code(json!(13)), [Value::Null], "{answers:?}");
    let lines = [5, 6]
        .map(|id| modern(id, "tools/list", json!({"cursor": if id == 5 { json!(5) } else { Value::Null }})));
    let mut answers = talk(builder().build().unwrap(), &lines, 2).await;
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!((&answers[0]["error"]["code"], &answers[1]["error"]), (&json!(-32602), &Value::Null));
}

#[tokio::test]
async fn a_key_that_is_given_twice_is_told_and_no_value_of_it_is_taken() {
    let once = json!({"name": "greet", "arguments": {"name": "Ada"}});
    let twice = |line: String| line.replace(r#"{"name":"Ada"}"#, r#"{"name":"Ada","\u006eame":"Bob"}"#);
    type Call = fn(u32, &Value) -> String;
    let eras: [(Vec<String>, Call); 2] = [
        (vec![initialize()], |id, params| legacy(id, "tools/call", params)),
        (vec![modern(0, "server/discover", json!({}))], |id, params| {
            modern(id, "tools/call", params.clone())
        }),
    ];
    for (mut lines, call) in eras {
        lines.extend([twice(call(1, &once)), call(2, &once)]);
        let mut answers = talk(builder().build().unwrap(), &lines, 3).await;
        answers.sort_by_key(|answer| answer["id"].as_u64());
        let told = &answers[1]["result"];
        assert_eq!(told["isError"], true, "{told}");
        let told: Value = serde_json::from_str(told["content"][0]["text"].as_str().unwrap()).unwrap();
        let issue = &told["error"]["issues"][0];
        assert_eq!((&told["error"]["code"], &issue["path"]), (&json!("duplicate_key"), &json!("/name")));
        assert_eq!(answers[2]["result"]["structuredContent"]["text"], "Hello Ada.");
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_the_next_one_is_answered() {
    let big = "x".repeat(tool_mcp::LINE_BYTES + 1_024 * 1_024);
    let lines = [
        initialize(),
        legacy(1, "tools/call", &json!({"name": "greet", "arguments": {"name": big}})),
        legacy(2, "tools/call", &json!({"name": "greet", "arguments": {"name": "Ada"}})),
    ];
    let (read, write) = tokio::io::split(serve(builder().build().unwrap()));
    let sent = send(write, lines.into());
    let mut read = BufReader::new(read).lines();
    let mut next =
        async || -> Value { serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap() };
    assert_eq!(next().await["id"], 0);
    assert_eq!(next().await["error"]["code"], -32600);
    assert_eq!(next().await["result"]["structuredContent"]["text"], "Hello Ada.");
    drop(sent.await.unwrap());
}

#[tokio::test]
async fn ten_thousand_broken_lines_end_nothing_and_put_only_json_on_the_output() {
    let seeds = [
        initialize(),
        modern(1, "tools/list", json!({})),
        modern(2, "tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}})),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#.to_owned(),
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let mut lines = Vec::new();
    for _ in 0..10_000 {
        let mut line = seeds[next(seeds.len())].clone().into_bytes();
        for _ in 0..=next(4) {
            let at = next(line.len().max(1));
            if line.is_empty() {
                break;
            }
            match next(3) {
                0 => line[at] = u8::try_from(next(256)).unwrap(),
                1 => drop(line.remove(at)),
                _ => line.truncate(at.max(1)),
            }
        }
        line.retain(|byte| *byte != b'\n');
        line.push(b'\n');
        lines.extend_from_slice(&line);
    }
    lines.extend_from_slice(format!("{}\n", modern(77_777, "tools/list", json!({}))).as_bytes());
    let (read, mut write) = tokio::io::split(serve(builder().build().unwrap()));
    let sent = tokio::spawn(async move {
        write.write_all(&lines).await.unwrap();
        write
    });
    let mut read = BufReader::new(read).lines();
    loop {
        let line = read.next_line().await.unwrap().expect("the session goes on");
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer["jsonrpc"], "2.0");
        if answer["id"] == 77_777 {
            break;
        }
    }
    drop(sent.await.unwrap());
}
