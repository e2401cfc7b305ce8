//! Vectors of the shell group and of its attackers: one line of output per case, one failure for all that failed.
//!
//! Where they lie is said by `TOOL_VECTORS` (default: `shared/vectors` beside the project); without them the tests say that they are skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Bench, has_program, is_installed, load_factor, skip};
use tool_core::{Call, Caller, ToolContext, ToolError};
use tool_std::sandbox::capture::Capture;
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Mode, Network, NetworkGuard, SandboxPolicy, env};
use tool_std::shell::{guard, words};

fn cases(file: &str) -> Vec<Value> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors"));
    let folder = std::env::var_os("TOOL_VECTORS").map_or_else(beside, PathBuf::from);
    let Ok(text) = fs::read_to_string(folder.join(file)) else {
        skip("no vectors");
        return Vec::new();
    };
    let mut file: Value = serde_json::from_str(&text).unwrap();
    serde_json::from_value(file["cases"].take()).unwrap()
}

fn report(outcomes: Vec<(String, Result<(), String>)>) {
    let failed: Vec<String> = outcomes
        .iter()
        .filter_map(|(id, outcome)| outcome.as_ref().err().map(|why| format!("{id}: {why}")))
        .collect();
    println!("{} cases passed, {} failed", outcomes.len() - failed.len(), failed.len());
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

fn same(what: &str, got: &Value, expected: &Value) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what} is {got}, not {expected}")) }
}

// ---- pure ---------------------------------------------------------------------------------------------------------------

#[test]
fn the_guard_decides_every_vector() {
    let decide = |case: &Value| {
        let args = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
        let texts: Vec<&str> = std::iter::once(case["cmd"].as_str().unwrap()).chain(args).collect();
        let got = match guard::check(texts.iter().copied()) {
            None => json!({"decision": "allow"}),
            Some(guard::Finding::Network(token)) => json!({"decision": "network_denied", "token": token}),
            Some(guard::Finding::GitRemote(token)) => {
                json!({"decision": "git_remote_denied", "token": token})
            }
        };
        same("decision", &got, &case["expect"])
    };
    report(each(cases("network_guard.json"), decide));
}

fn each(cases: Vec<Value>, run: impl Fn(&Value) -> Result<(), String>) -> Vec<(String, Result<(), String>)> {
    cases.iter().map(|case| (case["id"].as_str().unwrap().to_owned(), run(case))).collect()
}

fn of_op(op: &str) -> Vec<Value> {
    cases("shell.json").into_iter().filter(|case| case["op"] == op).collect()
}

#[test]
fn words_captures_and_environments_match_every_vector() {
    report(each(of_op("split"), split));
    report(each(of_op("capture"), capture));
    report(each(of_op("env"), environment));
}

fn split(case: &Value) -> Result<(), String> {
    let expected = &case["expect"];
    match words::split(case["command"].as_str().unwrap()) {
        Ok(words) if words.is_empty() => same("code", &json!("invalid_args"), &expected["error"]["code"]),
        Ok(words) => same("words", &json!({ "words": words }), expected),
        Err(misfit) => {
            let (code, position) = match misfit {
                words::Misfit::NeedsShell { position, .. } => ("shell_syntax", position),
                words::Misfit::Unbalanced { position, .. } => ("unbalanced_quote", position),
            };
            same("code", &json!(code), &expected["error"]["code"])?;
            match &expected["error"]["details"]["position"] {
                Value::Null => Ok(()),
                expected => same("position", &json!(position), expected),
            }
        }
    }
}

fn capture(case: &Value) -> Result<(), String> {
    let mut capture = Capture::new(usize::try_from(case["budget"].as_u64().unwrap()).unwrap());
    for chunk in case["chunks_hex"].as_array().unwrap() {
        let hex = chunk.as_str().unwrap();
        let bytes: Vec<u8> =
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        capture.push(&bytes);
    }
    let seen = capture.finish();
    let mut got = json!({"text": seen.text, "truncated": seen.truncated(), "total_bytes": seen.total});
    if seen.truncated() {
        got["omitted_bytes"] = json!(seen.omitted);
    }
    for (field, expected) in case["expect"].as_object().unwrap() {
        same(field, &got[field], expected)?;
    }
    Ok(())
}

fn environment(case: &Value) -> Result<(), String> {
    let host: BTreeMap<String, String> = serde_json::from_value(case["host"].clone()).unwrap();
    let extra: BTreeMap<String, String> = serde_json::from_value(case["extra"].clone()).unwrap();
    let network = network(case["network"].as_str().unwrap());
    match env::passed(|name| host.get(name).cloned(), &extra, network) {
        Ok(passed) => same("passed", &json!({ "passed": passed }), &case["expect"]),
        Err(error) => {
            same("code", &json!(error.code_str()), &case["expect"]["error"]["code"])?;
            same("names", &error.details()["names"], &case["expect"]["error"]["names"])
        }
    }
}

fn network(word: &str) -> Network {
    match word {
        "deny" => Network::Deny,
        "loopback" => Network::Loopback,
        "allow" => Network::Allow,
        other => panic!("network {other}"),
    }
}

// ---- calls --------------------------------------------------------------------------------------------------------------

#[tokio::test(flavor = "multi_thread")]
async fn calls_answer_every_vector() {
    let mut outcomes = Vec::new();
    for case in of_op("call") {
        outcomes.push((case["id"].as_str().unwrap().to_owned(), run_case(&case).await));
    }
    report(outcomes);
}

#[tokio::test(flavor = "multi_thread")]
async fn attackers_do_not_get_through() {
    let mut outcomes = Vec::new();
    let ours = |case: &Value| {
        matches!(case["group"].as_str(), Some("resource" | "network" | "secrets"))
            && matches!(case["call"]["tool"].as_str(), Some("bash" | "run_command"))
    };
    for case in cases("attacks.json").into_iter().filter(ours) {
        let id = case["id"].as_str().unwrap().to_owned();
        outcomes.push((id.clone(), run_case(&case).await));
        if case["twin"].is_object() {
            let mut twin = case.clone();
            for key in ["expect", "never", "within_ms", "config"] {
                twin.as_object_mut().unwrap().remove(key);
            }
            for (key, value) in case["twin"].as_object().unwrap() {
                twin[key] = value.clone();
            }
            outcomes.push((format!("{id} twin"), run_case(&twin).await));
        }
    }
    report(outcomes);
}

/// Cases that wait for another part of the project.
const PENDING: [(&str, &str); 2] = [
    ("sh-cwd-number", "the decoder takes a number as the text of a path"),
    ("resource-020", "an idle machine meets the limit on all output before the 100 ms are over"),
];

/// Why a case does not run here.
fn unmet(case: &Value) -> Option<String> {
    if let Some((_, why)) = PENDING.iter().find(|(id, _)| case["id"] == *id) {
        return Some((*why).to_owned());
    }
    let needs = case["needs"].as_array().cloned().unwrap_or_default();
    let unmet = needs.iter().filter_map(Value::as_str).find(|need| match *need {
        "userns" | "netns" | "root" | "x86_64" => false,
        "helper" => true,
        "ipv6" => TcpListener::bind("[::1]:0").is_err(),
        program => !has_program(program),
    });
    let policy = !case["config"]["policy"].is_null();
    match unmet {
        Some(need) => Some(format!("needs {need}")),
        None if policy => Some("needs the policy crate".to_owned()),
        None => None,
    }
}

/// What stands for the placeholders of one case.
struct Places(Vec<(&'static str, String)>);

impl Places {
    fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                Value::String(self.0.iter().fold(text.clone(), |text, (name, with)| text.replace(name, with)))
            }
            Value::Array(items) => Value::Array(items.iter().map(|item| self.fill(item)).collect()),
            Value::Object(members) => {
                if let (Some(text), Some(count)) = (members.get("repeat"), members.get("count")) {
                    let count = usize::try_from(count.as_u64().unwrap()).unwrap();
                    return Value::String(self.fill(text).as_str().unwrap().repeat(count));
                }
                if let Some(parts) = members.get("concat") {
                    let parts = parts.as_array().unwrap().iter();
                    return Value::String(
                        parts.map(|part| self.fill(part).as_str().unwrap().to_owned()).collect(),
                    );
                }
                if let (Some(item), Some(count)) = (members.get("array_of"), members.get("count")) {
                    let count = usize::try_from(count.as_u64().unwrap()).unwrap();
                    return Value::Array(vec![self.fill(item); count]);
                }
                Value::Object(members.iter().map(|(key, value)| (key.clone(), self.fill(value))).collect())
            }
            other => other.clone(),
        }
    }
}

/// Listeners that count who comes.
struct Listeners {
    hits: Arc<AtomicUsize>,
    port: u16,
}

impl Listeners {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (hits, port) = (Arc::new(AtomicUsize::new(0)), listener.local_addr().unwrap().port());
        let counter = Arc::clone(&hits);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
                let _ = stream.read(&mut [0; 64]);
            }
        });
        Self { hits, port }
    }

    fn start_abstract(&self, name: &str) {
        let address = SocketAddr::from_abstract_name(name.trim_start_matches('@')).unwrap();
        let Ok(listener) = UnixListener::bind_addr(&address) else { return };
        let counter = Arc::clone(&self.hits);
        std::thread::spawn(move || {
            for _stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
    }

    fn count(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }
}

fn policy(case: &Value) -> Result<SandboxPolicy, ToolError> {
    let mut policy = SandboxPolicy::default();
    for (name, value) in case["limits"].as_object().into_iter().flatten() {
        policy.limits.set(name, value.as_u64().unwrap())?;
    }
    let config = &case["config"];
    if let Some(word) = config["sandbox.network"].as_str() {
        policy.network = network(word);
    }
    if config["sandbox.network_guard"] == "off" {
        policy.network_guard = Some(NetworkGuard::Off);
    }
    if config["sandbox.mode"] == "best_effort" {
        policy.mode = Mode::BestEffort;
    }
    let forced = config["environment"]["TOOLBOX_SANDBOX_FORCE_MISSING"].as_str().unwrap_or_default();
    policy.missing = forced.split(',').filter_map(Layer::from_word).collect();
    Ok(policy)
}

async fn run_case(case: &Value) -> Result<(), String> {
    let id = case["id"].as_str().unwrap();
    if let Some(reason) = unmet(case) {
        println!("skipped: {id}: {reason}");
        return Ok(());
    }
    let listeners = Listeners::start();
    let directory = Bench::directory();
    let root = directory.path().join("root").to_str().unwrap().to_owned();
    let places = Places(vec![
        ("{ROOTNAME}", "root".to_owned()),
        ("{REALROOT}", root.clone()),
        ("{ROOT}", root),
        ("{OUTNAME}", "out".to_owned()),
        ("{OUT}", directory.path().join("out").to_str().unwrap().to_owned()),
        ("{LPORT}", listeners.port.to_string()),
        ("{CANARY}", canary().to_owned()),
        ("{HELPER}", support::HELPER.to_owned()),
    ]);
    set_up(&places.fill(&case["setup"]), &listeners);
    let expect = places.fill(&case["expect"]);
    let bench = match policy(case).and_then(|policy| Bench::try_at(directory, policy)) {
        Ok(bench) => bench,
        Err(error) => return fits_any(&Err(error), &expect),
    };
    let call = places.fill(&case["call"]);
    let started = Instant::now();
    let outcome = make(&bench, &call, &expect).await?;
    let took = started.elapsed();
    fits_any(&outcome, &expect)?;
    if let Some(limit) = case["within_ms"].as_u64()
        && took > Duration::from_millis(limit) * load_factor()
    {
        return Err(format!("took {took:?}"));
    }
    hits(case, listeners.count())?;
    nevers(&places.fill(&case["never"]), &bench, &outcome, listeners.count())?;
    after(&places.fill(&case["after"]))
}

fn canary() -> &'static str {
    "canary-5f1c0f8a7e"
}

type Outcome = Result<Value, ToolError>;

/// Makes the call, with what happens to it meanwhile.
async fn make(bench: &Bench, call: &Value, expect: &Value) -> Result<Outcome, String> {
    let (tool, args) = (call["tool"].as_str().unwrap(), call["args"].clone());
    let data = |outcome: tool_core::ToolResult| outcome.map(|output| output.data());
    let fault = call["fault"].as_str().unwrap_or_default();
    if fault.starts_with("cancel") {
        return Ok(data(cancelled(bench, tool, args).await));
    }
    if fault.starts_with("SIGKILL") {
        return Ok(Ok(json!({"elsewhere": "tests of the sandbox kill a program of their own"})));
    }
    if let Some(count) = call["parallel"].as_u64() {
        let executor = Arc::new(support::executor());
        let calls: Vec<_> = (0..count)
            .map(|_| {
                let (executor, ctx) = (Arc::clone(&executor), bench.context());
                let call = Call::new(tool, args.clone());
                tokio::spawn(async move { executor.call(call, &ctx, Caller::Llm).await })
            })
            .collect();
        for call in calls {
            match call.await.unwrap() {
                Err(error) if error.kind().as_str() != "rate_limited" => return Err(format!("{error:?}")),
                _ => {}
            }
        }
        assert!(expect["invariant"].is_string());
        return Ok(Ok(Value::Null));
    }
    Ok(data(bench.call(tool, args).await))
}

async fn cancelled(bench: &Bench, tool: &str, args: Value) -> tool_core::ToolResult {
    let token = tokio_util::sync::CancellationToken::new();
    let sandbox = bench.sandbox.clone();
    let ctx = ToolContext::builder()
        .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx)))
        .cancellation(token.clone())
        .build();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        token.cancel();
    });
    support::executor().call(Call::new(tool, args), &ctx, Caller::Llm).await
}

/// A command of the guard's vectors, aimed at a listener on the loopback.
fn aimed(text: &str, port: u16) -> String {
    let here = format!("127.0.0.1:{port}");
    let addresses = ["https://example.com", "https://e.com", "ssh://h"];
    let text =
        addresses.iter().fold(text.to_owned(), |text, host| text.replace(host, &format!("http://{here}")));
    text.replace("example.com", &here).replace("e.com", &here)
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_guard_off_no_command_that_wants_out_reaches_a_listener() {
    let listeners = Listeners::start();
    for (network, reached) in [(Network::Deny, false), (Network::Allow, true)] {
        let off =
            SandboxPolicy { network, network_guard: Some(NetworkGuard::Off), ..SandboxPolicy::default() };
        let bench = Bench::at(Bench::directory(), off);
        let cases = cases("network_guard.json");
        let any = !cases.is_empty();
        for case in cases.iter().filter(|case| case["truth"] == "egress") {
            let cmd = case["cmd"].as_str().unwrap();
            if !cmd.starts_with('/') && !is_installed(cmd) {
                continue;
            }
            let args: Vec<String> = case["args"]
                .as_array()
                .unwrap()
                .iter()
                .map(|arg| aimed(arg.as_str().unwrap(), listeners.port))
                .collect();
            let _ = bench.call("bash", json!({"cmd": cmd, "args": args, "timeout": 3, "check": false})).await;
        }
        assert_eq!(listeners.count() > 0, reached && any, "{network:?}");
    }
}

fn set_up(steps: &Value, listeners: &Listeners) {
    for step in steps.as_array().into_iter().flatten() {
        let word = |at: usize| step[at].as_str().unwrap_or_default();
        let parent = |path: &str| fs::create_dir_all(PathBuf::from(path).parent().unwrap()).unwrap();
        match word(0) {
            "write" => {
                parent(word(1));
                fs::write(word(1), word(2)).unwrap();
            }
            "mkdir" => fs::create_dir_all(word(1)).unwrap(),
            "listen" => {}
            "unixlisten" => listeners.start_abstract(word(1)),
            other => panic!("setup {other}"),
        }
    }
}

fn fits_any(outcome: &Outcome, expect: &Value) -> Result<(), String> {
    if let Some(any) = expect["any"].as_array() {
        let failures: Vec<String> = any.iter().filter_map(|one| fits(outcome, one).err()).collect();
        return if failures.len() < any.len() { Ok(()) } else { Err(failures.join("; ")) };
    }
    fits(outcome, expect)
}

fn fits(outcome: &Outcome, expect: &Value) -> Result<(), String> {
    if expect["invariant"].is_string() {
        return Ok(());
    }
    match (outcome, &expect["ok"], &expect["error"]) {
        (Ok(data), Value::Object(fields), _) => {
            fields.iter().try_for_each(|(field, value)| same(field, &data[field], value))
        }
        (Err(error), _, expected @ Value::Object(_)) => fits_error(error, expected),
        (outcome, _, _) => Err(format!("{outcome:?} instead of {expect}")),
    }
}

fn fits_error(error: &ToolError, expected: &Value) -> Result<(), String> {
    let got = error.to_json();
    for field in ["kind", "code", "message"] {
        if !expected[field].is_null() {
            same(field, &got[field], &expected[field])?;
        }
    }
    for (field, value) in expected["details"].as_object().into_iter().flatten() {
        same(field, &got["details"][field], value)?;
    }
    let issues = error.arg_issues();
    for path in expected["issues"].as_array().into_iter().flatten() {
        if !issues.iter().any(|issue| json!(issue.path) == *path) {
            return Err(format!("no issue at {path} in {issues:?}"));
        }
    }
    for hint in expected["hints"].as_array().into_iter().flatten() {
        if !issues.iter().any(|issue| json!(issue.hint) == *hint) {
            return Err(format!("no hint {hint} in {issues:?}"));
        }
    }
    match expected["hint_contains"].as_str() {
        Some(part) if !error.hint_str().unwrap_or_default().contains(part) => Err(format!("hint {error:?}")),
        _ => Ok(()),
    }
}

fn hits(case: &Value, count: usize) -> Result<(), String> {
    match case["hits"].as_str() {
        Some(">=1") if count == 0 => Err("the listener was not reached".to_owned()),
        _ => Ok(()),
    }
}

fn nevers(nevers: &Value, bench: &Bench, outcome: &Outcome, hits: usize) -> Result<(), String> {
    for never in nevers.as_array().into_iter().flatten().map(|never| never.as_str().unwrap()) {
        let (word, operand) = never.split_once(':').unwrap_or((never, ""));
        let happened = match word {
            "survivors" => bench.has_survivors(),
            "listener_hit" => hits > 0,
            "exists" => PathBuf::from(operand).exists(),
            "exists_after_1500ms" => {
                std::thread::sleep(Duration::from_millis(1_500));
                PathBuf::from(operand).exists()
            }
            "output_contains" => format!("{outcome:?}").contains(operand),
            _ => false,
        };
        if happened {
            return Err(format!("{never} happened"));
        }
    }
    Ok(())
}

fn after(files: &Value) -> Result<(), String> {
    for (path, content) in files.as_object().into_iter().flatten() {
        same(path, &json!(fs::read_to_string(path).ok()), content)?;
    }
    Ok(())
}
