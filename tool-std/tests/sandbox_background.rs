//! Background processes: started, read by offsets, stopped, and seen by their owner only.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use support::Bench;
use tool_core::{Call, Caller, Executor, ToolContext, ToolError};
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Mode, Network, SandboxPolicy};
use tool_std::shell::{ProcessEnd, Processes};

/// A program that lives on, with one owner.
struct Host {
    executor: Executor,
    ctx: ToolContext,
}

impl Host {
    fn new(bench: &Bench, processes: &Processes) -> Self {
        Self { executor: support::executor_of_all(), ctx: bench.context_of(processes) }
    }

    async fn call(&self, tool: &str, args: Value) -> Result<Value, ToolError> {
        self.executor.call(Call::new(tool, args), &self.ctx, Caller::Llm).await.map(|output| output.data())
    }

    async fn start(&self, script: &str) -> String {
        let args = json!({"cmd": "sh", "args": ["-c", script], "background": true});
        self.call("bash", args).await.unwrap()["process_id"].as_str().unwrap().to_owned()
    }

    /// Reads standard output to the end of the process.
    async fn read_all(&self, id: &str) -> (String, Value) {
        let (mut text, mut offset) = (String::new(), 0);
        loop {
            let args = json!({"process_id": id, "stdout_offset": offset, "wait": 5});
            let page = self.call("process_output", args).await.unwrap();
            text.push_str(page["stdout"]["text"].as_str().unwrap());
            offset = page["stdout"]["next_offset"].as_u64().unwrap();
            if page["state"] != "running" && page["stdout"]["text"] == "" {
                return (text, page);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_is_read_by_offsets_without_loss_or_repetition() {
    let bench = Bench::new();
    let host = Host::new(&bench, &Processes::new("a"));
    let id = host.start("for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; echo err >&2; exit 3").await;
    let (text, page) = host.read_all(&id).await;
    assert_eq!(text, "1\n2\n3\n4\n5\n");
    assert_eq!((&page["state"], &page["exit_code"]), (&json!("exited"), &json!(3)));
    let again = host.call("process_output", json!({"process_id": id, "stdout_offset": 2})).await.unwrap();
    assert_eq!(
        (&again["stdout"]["text"], &again["stderr"]["text"]),
        (&json!("2\n3\n4\n5\n"), &json!("err\n"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_is_stopped_with_all_it_started_and_stopping_again_is_a_success() {
    let bench = Bench::new();
    let host = Host::new(&bench, &Processes::new("a"));
    for (signal, script, expected) in
        [("term", "sleep 60", "SIGTERM"), ("kill", "trap '' TERM; sleep 60 & wait; sleep 60", "SIGKILL")]
    {
        let id = host.start(&format!("echo in; {script}")).await;
        host.call("process_output", json!({"process_id": id, "wait": 5})).await.unwrap();
        let stopped = host.call("process_stop", json!({"process_id": id, "signal": signal})).await.unwrap();
        assert_eq!((&stopped["state"], &stopped["signal"]), (&json!("stopped"), &json!(expected)));
        assert_eq!(stopped["already_ended"], false);
        assert!(!bench.has_survivors());
        let again = host.call("process_stop", json!({"process_id": id})).await.unwrap();
        assert_eq!(again["already_ended"], true);
    }
    let list = host.call("process_list", json!({})).await.unwrap();
    let ids: Vec<&str> =
        list["processes"].as_array().unwrap().iter().map(|p| p["process_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["p1", "p2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_owner_sees_nothing_and_the_owner_sees_its_own() {
    let bench = Bench::new();
    let processes = Processes::new("a");
    let (own, other) = (Host::new(&bench, &processes), Host::new(&bench, &processes.owned_by("b")));
    let id = own.start("sleep 60").await;
    for tool in ["process_output", "process_stop"] {
        let error = other.call(tool, json!({"process_id": id})).await.unwrap_err();
        assert_eq!((error.code_str(), error.message()), ("process_not_found", "There is no process p1."));
    }
    assert_eq!(other.call("process_list", json!({})).await.unwrap()["processes"], json!([]));
    assert_eq!(own.call("process_output", json!({"process_id": id})).await.unwrap()["state"], "running");
    processes.end();
    assert!(!bench.has_survivors());
    assert_eq!(own.call("process_list", json!({})).await.unwrap()["processes"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_has_heard_of_every_end_before_and_starts_nothing_more() {
    let bench = Bench::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ends = Arc::clone(&heard);
    let told = move |end: &ProcessEnd| {
        let code = end.ended.fault().map(|(_, code)| code);
        ends.lock().unwrap().push((end.process_id.clone(), code));
    };
    let processes = Processes::new("a").told(told);
    let (own, other) = (Host::new(&bench, &processes), Host::new(&bench, &processes.owned_by("b")));
    let quick = own.start("true").await;
    own.read_all(&quick).await;
    own.start("trap '' TERM; sleep 60 & wait; sleep 60").await;
    processes.end();
    own.start("sleep 60").await;
    other.start("sleep 60").await;
    let stopped = Some("cancelled");
    assert!(heard.lock().unwrap().contains(&(quick, None)), "who sees an end finds it recorded");
    assert_eq!(processes.close(Duration::from_secs(60)).await, 0);
    let mut heard = heard.lock().unwrap().clone();
    heard.sort();
    let ids: Vec<&str> = heard.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["p1", "p2", "p3", "p4"], "each once");
    assert!(heard[1..].iter().all(|(_, code)| *code == stopped), "{heard:?}");
    assert!(!bench.has_survivors());
    let args = json!({"cmd": "true", "background": true});
    let error = other.call("bash", args).await.unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("unavailable", "shutting_down"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_runs_without_a_guarantee_says_so_at_its_start() {
    let missing = vec![Layer::Userns, Layer::Landlock];
    let policy = SandboxPolicy { mode: Mode::BestEffort, missing, ..SandboxPolicy::default() };
    for (bench, is_told) in [(Bench::with(policy), true), (Bench::new(), false)] {
        let host = Host::new(&bench, &Processes::new("a"));
        let started = host.call("bash", json!({"cmd": "true", "background": true})).await.unwrap();
        assert_eq!(started["sandbox"]["level"] == "none", is_told, "{started}");
        assert_eq!(started.to_string().contains("no write isolation"), is_told, "{started}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_went_wrong_with_a_process_is_told_with_its_output() {
    let away = tool_trials::directory();
    let policy = SandboxPolicy { quarantine: Some(away.path().into()), ..SandboxPolicy::default() };
    let bench = Bench::with(policy);
    let host = Host::new(&bench, &Processes::new("a"));
    for (script, error) in [
        (
            "echo evil > .bashrc",
            json!({"kind": "denied", "code": "protected_path", "quarantined": [".bashrc"]}),
        ),
        ("exit 3", json!({"kind": "failed", "code": "command_failed"})),
        ("echo fine > a", Value::Null),
    ] {
        let id = host.start(script).await;
        host.read_all(&id).await;
        let told = host.call("process_output", json!({"process_id": id})).await.unwrap();
        assert_eq!((&told["state"], &told["error"]), (&json!("exited"), &error), "{script}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ninth_process_is_refused_and_the_eighth_is_not() {
    let bench = Bench::new();
    let processes = Processes::new("a");
    let host = Host::new(&bench, &processes);
    for _ in 0..8 {
        host.start("sleep 60").await;
    }
    let args = json!({"cmd": "sleep", "args": ["60"], "background": true});
    let error = host.call("bash", args.clone()).await.unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("rate_limited", "too_many_processes"));
    host.call("process_stop", json!({"process_id": "p1"})).await.unwrap();
    assert!(host.call("bash", args).await.is_ok());
    processes.end();
    assert!(!bench.has_survivors());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_64_that_have_ended_are_listed_oldest_first_beside_those_that_run() {
    let bench = Bench::new();
    let host = Host::new(&bench, &Processes::new("a"));
    let running = host.start("sleep 60").await;
    for _ in 0..66 {
        let id = host.start("exit 3").await;
        host.read_all(&id).await;
    }
    let list = host.call("process_list", json!({})).await.unwrap();
    let told: Vec<(&str, &str)> = list["processes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|process| (process["process_id"].as_str().unwrap(), process["state"].as_str().unwrap()))
        .collect();
    assert_eq!((told.len(), told[0]), (65, (running.as_str(), "running")));
    assert_eq!((told[1], told[64]), (("p4", "exited"), ("p67", "exited")));
    let error = host.call("process_output", json!({"process_id": "p3"})).await.unwrap_err();
    assert_eq!(error.code_str(), "process_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_start_is_an_error_and_what_times_out_says_so() {
    let bench = Bench::new();
    let host = Host::new(&bench, &Processes::new("a"));
    let error = host.call("bash", json!({"cmd": "no-such-program", "background": true})).await.unwrap_err();
    assert_eq!(error.code_str(), "command_not_found");
    let args = json!({"cmd": "true", "background": true, "check": false});
    assert_eq!(host.call("bash", args).await.unwrap_err().arg_issues()[0].path, "/check");
    let args = json!({"cmd": "true", "background": true, "timeout": 86_401});
    assert_eq!(host.call("bash", args).await.unwrap_err().message(), "timeout exceeds 86400.");
    let args = json!({"command": "sleep 60", "background": true, "timeout": 0.1});
    let id = host.call("run_command", args).await.unwrap()["process_id"].as_str().unwrap().to_owned();
    let (_, page) = host.read_all(&id).await;
    assert_eq!(page["state"], "timed_out");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_after_one_call_refuses() {
    let bench = Bench::new();
    let error = bench.call("bash", json!({"cmd": "true", "background": true})).await.unwrap_err();
    assert_eq!(error.code_str(), "background_unsupported");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_the_background_talks_to_itself() {
    if !std::path::Path::new("/usr/bin/python3").exists() {
        return support::skip("no python3 in /usr/bin");
    }
    let policy = SandboxPolicy { network: Network::Loopback, ..SandboxPolicy::default() };
    let bench = Bench::with(policy);
    let host = Host::new(&bench, &Processes::new("a"));
    let script = "/usr/bin/python3 -u -m http.server 8123 --bind 127.0.0.1 2>&1 & \
                  for i in $(seq 100); do \
                  /usr/bin/python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:8123/').status)\" \
                  2>/dev/null && exit 0; sleep 0.1; done; exit 1";
    let id = host.start(script).await;
    let (text, page) = tokio::time::timeout(tool_trials::patience(), host.read_all(&id)).await.unwrap();
    assert!(text.contains("200"), "{text}");
    assert_eq!(page["exit_code"], 0);
    assert!(!bench.has_survivors());
}
