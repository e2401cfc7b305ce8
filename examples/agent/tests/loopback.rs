//! The program against the scripted model server: the four APIs, whole and streamed. (dialects.md, acceptance 9)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tests::loopback::Loopback;

const PROVIDERS: [&str; 4] = ["anthropic", "openai", "openai-responses", "gemini"];

/// The program, once, in a directory.
fn agent(server: &Loopback, provider: &str, stream: bool, root: &Path, prompt: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent"));
    command
        .args(["--provider", provider, "--model", "scripted-1", "--base-url", &server.url(), "--root"])
        .arg(root);
    command.args(stream.then_some("--stream")).arg(prompt);
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env_remove(key);
    }
    command.output().unwrap()
}

fn root() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("a.txt"), "The quick brown fox.\n").unwrap();
    std::fs::write(root.path().join("empty.txt"), "").unwrap();
    root
}

/// Runs a prompt over every API, whole and streamed, and checks what is told of each.
fn everywhere(prompt: &str, check: impl Fn(&str, &Output, &[Value])) {
    let root = root();
    for provider in PROVIDERS {
        for stream in [false, true] {
            let server = Loopback::start().unwrap();
            let output = agent(&server, provider, stream, root.path(), prompt);
            let what = format!("{provider}, stream {stream}");
            check(&what, &output, &server.log());
        }
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn ended_well(what: &str, output: &Output, log: &[Value]) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {} {told}\n{log:#?}", output.status);
    assert!(log.iter().all(|entry| entry["status"] != 400), "{what}: {log:#?}");
}

fn statuses(log: &[Value]) -> Vec<u64> {
    log.iter().filter_map(|entry| entry["status"].as_u64()).collect()
}

#[test]
fn a_file_is_read_and_its_text_told() {
    everywhere("Read it.\nCALL read_file {\"path\":\"a.txt\"}", |what, output, log| {
        ended_well(what, output, log);
        let text = stdout(output);
        assert!(text.starts_with("RESULT") && text.contains("The quick brown fox."), "{what}: {text}");
        assert_eq!(statuses(log), [200, 200], "{what}");
    });
}

#[test]
fn calls_of_one_turn_good_and_bad_each_have_their_result() {
    let prompt = "CALL read_file {\"path\":\"empty.txt\"}\nCALL read_file {\"path\":\"nope.txt\"}\n\
        CALL read_file {\"pth\":1}\nCALL no_such_tool {}\nCALL list_dir {\"path\":\".\"}";
    everywhere(prompt, |what, output, log| {
        ended_well(what, output, log);
        assert!(stdout(output).contains("a.txt"), "{what}: {}", stdout(output));
        assert_eq!(log.len(), 2, "{what}");
    });
}

#[test]
fn a_rate_limit_is_waited_for_and_tried_again() {
    everywhere("FAIL 429\nCALL read_file {\"path\":\"a.txt\"}", |what, output, log| {
        ended_well(what, output, log);
        assert!(stdout(output).contains("The quick brown fox."), "{what}");
        assert_eq!(statuses(log), [429, 200, 200], "{what}");
    });
}

#[test]
fn what_breaks_off_is_asked_for_again() {
    everywhere("CUT\nCALL read_file {\"path\":\"a.txt\"}", |what, output, log| {
        ended_well(what, output, log);
        assert!(stdout(output).contains("The quick brown fox."), "{what}");
        assert_eq!(log.len(), 3, "{what}");
    });
}

#[test]
fn failures_have_their_exit_status_and_their_words() {
    let root = root();
    let server = Loopback::start().unwrap();
    for (prompt, code, kind) in
        [("FAIL 401", 5, "denied"), ("FAIL 404", 3, "not_found"), ("FAIL 422", 1, "provider_rejected")]
    {
        let output = agent(&server, "anthropic", false, root.path(), prompt);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{prompt}: {told}");
        assert!(
            told.contains(kind) && told.contains("As the script asks") || told.contains("as the script asks"),
            "{told}"
        );
    }
}

#[test]
fn requests_have_the_headers_and_members_that_the_api_wants() {
    let root = root();
    for (provider, header) in
        PROVIDERS.iter().zip(["x-api-key", "authorization", "authorization", "x-goog-api-key"])
    {
        let server = Loopback::start().unwrap();
        agent(&server, provider, true, root.path(), "SAY hello");
        let log = server.log();
        let entry = &log[0];
        assert_eq!(entry["headers"][header], "[key]", "{provider}");
        assert_eq!(entry["headers"]["content-type"], "application/json", "{provider}");
        assert!(entry["body"].get("tool_choice").is_none(), "{provider}");
        match *provider {
            "anthropic" => assert_eq!(entry["headers"]["anthropic-version"], "2023-06-01"),
            "openai-responses" => {
                let told = json!([entry["body"]["store"], entry["body"]["include"]]);
                assert_eq!(told, json!([false, ["reasoning.encrypted_content"]]));
            }
            "gemini" => assert_eq!(entry["path"], "/v1beta/models/scripted-1:streamGenerateContent?alt=sse"),
            _ => {}
        }
    }
}
