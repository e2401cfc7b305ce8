//! The program built with `otel`: each call is a span in the trace of its caller, and measured, in the file that the settings
//! name. (calls.md §14)

#![cfg(feature = "otel")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

mod home;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Stdio;

use home::Home;
use serde_json::{Value, json};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A home whose settings name a file for spans and metrics, with the argument that names the settings.
fn watched(more: &str) -> (Home, String) {
    let home = Home::new();
    let file = home.0.path().join("otel.jsonl");
    let settings = home.0.path().join("s.toml");
    std::fs::write(&settings, format!("[otel]\nfile = {:?}\n{more}", file.to_str().unwrap())).unwrap();
    let settings = settings.to_str().unwrap().to_owned();
    (home, settings)
}

fn lines(home: &Home) -> Vec<Value> {
    let text = std::fs::read_to_string(home.0.path().join("otel.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn spans(home: &Home) -> Vec<Value> {
    let all = lines(home);
    let of = |line: &Value| line["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().cloned();
    all.iter().filter_map(of).flatten().collect()
}

fn calls(home: &Home) -> Vec<Value> {
    let named = |span: &Value| span["name"].as_str().unwrap().starts_with("execute_tool ");
    spans(home).into_iter().filter(named).collect()
}

fn attributes(of: &Value) -> BTreeMap<String, Value> {
    let pairs = of["attributes"].as_array().unwrap().iter();
    let value = |pair: &Value| pair["value"].as_object().unwrap().values().next().unwrap().clone();
    pairs.map(|pair| (pair["key"].as_str().unwrap().to_owned(), value(pair))).collect()
}

#[test]
fn a_call_of_the_command_line_is_a_span_in_the_trace_of_the_environment_and_is_measured() {
    let (home, settings) = watched("");
    let run = |args: &[&str]| {
        home.toolbox(&[("TRACEPARENT", PARENT)], &[&["--config", &settings], args].concat()).status.code()
    };
    assert_eq!(run(&["file", "write", "a", "a canary"]), Some(0));
    assert_eq!(run(&["file", "read", "no-such-file"]), Some(3));
    assert_eq!(run(&["file", "delete", "a"]), Some(5), "nobody can be asked");
    let calls = calls(&home);
    let names: Vec<&str> = calls.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["execute_tool write_file", "execute_tool read_file", "execute_tool delete_file"]);
    for (span, error) in calls.iter().zip([None, Some("path_not_found"), Some("approval_unavailable")]) {
        assert_eq!((&span["traceId"], &span["parentSpanId"]), (&json!(TRACE), &json!("b7ad6b7169203331")));
        assert_eq!(span["kind"], 1);
        let told = attributes(span);
        assert_eq!(told.get("error.type").and_then(Value::as_str), error, "{span}");
        assert_eq!(told["gen_ai.operation.name"], "execute_tool");
        assert_eq!(told["toolbox.caller"], "cli");
        let allowed =
            |key: &String| key.starts_with("gen_ai.") || key.starts_with("toolbox.") || key == "error.type";
        assert!(told.keys().all(allowed), "{told:?}");
        assert!(
            !told.contains_key("gen_ai.tool.call.arguments"),
            "arguments are told where they are asked for"
        );
    }
    let all = spans(&home);
    let begin = all.iter().find(|span| span["name"] == "toolbox.journal.begin").unwrap();
    assert_eq!((&begin["traceId"], &begin["parentSpanId"]), (&json!(TRACE), &calls[0]["spanId"]));
    // The records of a call have the same trace.
    assert_eq!(home.json(&["journal", "export"])[0]["trace_id"], TRACE);
    let audited = std::fs::read_to_string(home.state().join("audit.jsonl")).unwrap();
    assert!(audited.lines().all(|line| line.contains(TRACE)), "{audited}");
    let lines = lines(&home);
    let metrics: Vec<&Value> = lines
        .iter()
        .filter_map(|line| line["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array())
        .flatten()
        .collect();
    let durations: Vec<&&Value> =
        metrics.iter().filter(|metric| metric["name"] == "gen_ai.execute_tool.duration").collect();
    assert_eq!(durations.len(), 3, "one for each process");
    assert_eq!(durations[0]["unit"], "s");
    let point = &durations[2]["histogram"]["dataPoints"][0];
    assert_eq!(
        (&point["count"], &attributes(point)["error.type"]),
        (&json!("1"), &json!("approval_unavailable"))
    );
    for (name, unit) in
        [("toolbox.journal.commit.duration", "s"), ("toolbox.journal.batch.size", "{operation}")]
    {
        let found =
            metrics.iter().find(|metric| metric["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(found["unit"], unit);
        assert!(found["histogram"]["dataPoints"][0]["sum"].as_f64().unwrap() > 0.0, "{found}");
    }
    let refused = metrics.iter().find(|metric| metric["name"] == "toolbox.call.refusals").unwrap();
    assert_eq!(attributes(&refused["sum"]["dataPoints"][0])["toolbox.layer"], "approve");
    let written = std::fs::read_to_string(home.0.path().join("otel.jsonl")).unwrap();
    assert!(!written.contains("canary"), "{written}");
}

#[test]
fn a_call_of_a_client_is_a_span_in_the_trace_that_its_request_names() {
    let (home, settings) = watched("content = true\n");
    std::fs::write(home.work().join("a"), "hello\n").unwrap();
    let mut program = home
        .command(&["mcp", "serve", "--config", &settings])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
        "traceparent": PARENT,
    });
    let params = json!({"name": "read_file", "arguments": {"path": "a"}, "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    writeln!(program.stdin.take().unwrap(), "{call}").unwrap();
    assert!(program.wait().unwrap().success());
    let calls = calls(&home);
    assert_eq!((calls.len(), &calls[0]["traceId"]), (1, &json!(TRACE)), "{calls:?}");
    assert_eq!(calls[0]["parentSpanId"], "b7ad6b7169203331");
    let told = attributes(&calls[0]);
    assert_eq!((&told["gen_ai.agent.name"], &told["toolbox.caller"]), (&json!("mcp"), &json!("mcp")));
    let args: Value = serde_json::from_str(told["gen_ai.tool.call.arguments"].as_str().unwrap()).unwrap();
    assert_eq!(args["path"], "a");
    // What a file holds is a digest in records, and so it is here.
    let result: Value = serde_json::from_str(told["gen_ai.tool.call.result"].as_str().unwrap()).unwrap();
    assert_eq!((&result["path"], &result["content"]["$redacted"]), (&json!("a"), &json!("hash")), "{result}");
}

#[test]
fn a_file_that_cannot_be_written_to_and_a_relative_one_are_told() {
    let home = Home::new();
    let settings = home.0.path().join("s.toml");
    for (text, wanted) in [
        ("[otel]\nfile = \"/proc/no/such/file\"\n", "otel_unwritable"),
        ("[otel]\nfile = \"otel.jsonl\"\n", "s.toml:2:8: `otel.file`: expected an absolute path"),
        ("[otel]\ncontnt = true\n", "s.toml:2:1: unknown key `otel.contnt`; did you mean `content`?"),
    ] {
        std::fs::write(&settings, text).unwrap();
        let (status, told) = home.told(&["file", "exists", "a", "--config", settings.to_str().unwrap()]);
        assert!(status == Some(6) && told.contains(wanted), "{wanted}: {told}");
    }
}
