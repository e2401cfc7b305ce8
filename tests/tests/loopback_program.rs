//! The program `loopback`: it says where it listens, answers, and writes what it was asked without the key.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// The program, which ends with the value.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn post(port: u16, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer sk-very-secret\r\n"
    )
    .unwrap();
    write!(stream, "content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_listens_answers_and_writes_a_log_without_keys() {
    let directory = tool_trials::directory();
    let log = directory.path().join("log.jsonl");
    let child =
        Command::new(env!("CARGO_BIN_EXE_loopback")).arg("--log").arg(&log).stdout(Stdio::piped()).spawn();
    let mut program = Program(child.unwrap());
    let mut line = String::new();
    BufReader::new(program.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().strip_prefix("LISTENING ").unwrap().parse().unwrap();

    let body = json!({"model": "m", "messages": [{"role": "user", "content": "SAY Hello there."}]});
    let answer = post(port, "/v1/chat/completions", &body.to_string());
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("Hello there."), "{answer}");
    let answer = post(port, "/chat/completions", "{\"model\": \"m\"}");
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("messages"), "{answer}");
    assert!(post(port, "/elsewhere", "{}").starts_with("HTTP/1.1 404"));

    let text = std::fs::read_to_string(&log).unwrap();
    assert!(!text.contains("very-secret"), "{text}");
    let entries: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses: Vec<&Value> = entries.iter().map(|entry| &entry["status"]).collect();
    assert_eq!(statuses, [200, 400, 404]);
    assert_eq!((&entries[0]["headers"]["authorization"], &entries[0]["body"]), (&json!("[key]"), &body));
    assert!(entries[1]["reason"].as_str().unwrap().contains("messages"));
}
