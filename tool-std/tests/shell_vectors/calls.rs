//! The vectors that run commands, and the attackers among them.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::{Call, Caller, ToolContext, ToolError};
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Mode, NetworkGuard, SandboxPolicy};

use crate::judge::{Outcome, after, fits_any, hits, nevers};
use crate::listeners::Listeners;
use crate::places::Places;
use crate::pure::{network, of_op};
use crate::support::{self, Bench, has_program, load_factor};
use crate::{cases, report};

#[tokio::test(flavor = "multi_thread")]
async fn calls_answer_every_vector() {
    let mut outcomes = Vec::new();
    let by_path = cases("paths.json").into_iter().filter(|case| case["call"]["tool"] == "bash");
    for case in of_op("call").into_iter().chain(by_path) {
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

/// A static program that asks the kernel for sockets in ways that no libc knows; built once.
fn helper() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let (source, program) = (directory.path().join("attacker.c"), directory.path().join("attacker"));
        fs::write(&source, include_str!("../support/attacker.c")).unwrap();
        let status = Command::new("cc").args(["-static", "-O1", "-o"]).args([&program, &source]).status();
        status.is_ok_and(|status| status.success()).then_some((directory, program))
    });
    built.as_ref().map(|(_, program)| program.as_path())
}

#[test]
fn outside_of_the_sandbox_the_helper_gets_a_socket() {
    let Some(program) = helper() else { return support::skip("cc cannot link statically") };
    let disabled = fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    if disabled.trim() == "0" {
        assert!(Command::new(program).arg("io_uring_socket").status().unwrap().success());
    }
    // Most kernels lack the x32 entry, and say so: nothing ends the process.
    assert!(Command::new(program).arg("x32_socket").status().unwrap().code().is_some());
}

/// Why a case does not run here.
fn unmet(case: &Value) -> Option<String> {
    let needs = case["needs"].as_array().cloned().unwrap_or_default();
    let is_root = rustix::process::geteuid().is_root();
    let unmet = needs.iter().filter_map(Value::as_str).find(|need| match *need {
        "userns" | "netns" => false,
        "root" => !is_root,
        "non_root" => is_root,
        "x86_64" => !cfg!(target_arch = "x86_64"),
        "helper" => helper().is_none(),
        "ipv6" => TcpListener::bind("[::1]:0").is_err(),
        program => !has_program(program),
    });
    let policy = !case["config"]["policy"].is_null();
    match unmet {
        Some("helper") => {
            support::skip("cc cannot link statically");
            Some("needs helper".to_owned())
        }
        Some(need) => Some(format!("needs {need}")),
        None if policy => Some("needs the policy crate".to_owned()),
        None => None,
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
        ("{CANARY}", canary()),
        ("{HELPER}", directory.path().join("root/helper").to_str().unwrap().to_owned()),
    ]);
    set_up(&places.fill(&case["setup"]), &listeners);
    if let Some(program) = helper().filter(|_| case.to_string().contains("{HELPER}")) {
        fs::copy(program, directory.path().join("root/helper")).unwrap();
    }
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

/// A text in the program's environment that no command may see: Cargo sets one.
fn canary() -> String {
    std::env::var("CARGO_PKG_DESCRIPTION").unwrap_or_else(|_| "canary-5f1c0f8a7e".to_owned())
}

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
            "symlink" => {
                parent(word(2));
                std::os::unix::fs::symlink(word(1), word(2)).unwrap();
            }
            "listen" => {}
            "unixlisten" => listeners.start_abstract(word(1)),
            other => panic!("setup {other}"),
        }
    }
}
