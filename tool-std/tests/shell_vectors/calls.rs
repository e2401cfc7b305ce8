//! The vectors that run commands, and the attackers among them.

use std::fs;
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::{Call, Caller, ToolContext, ToolError};
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Mode, NetworkGuard, SandboxPolicy};

use crate::judge::{Outcome, after, fits_any, hits, nevers};
use crate::listeners::Listeners;
use crate::places::Places;
use crate::pure::{network, of_op};
use crate::setting::{attacker, canary, set_up};
use crate::support::records::Records;
use crate::support::{self, Bench, has_program, load_factor};
use crate::{cases, report};

#[tokio::test(flavor = "multi_thread")]
async fn vectors_shell() {
    let mut outcomes = crate::pure::outcomes();
    for case in of_op("call") {
        outcomes.push((case["id"].as_str().unwrap().to_owned(), run_case(&case).await));
    }
    let all = cases("shell.json");
    assert_eq!(outcomes.len(), all.len(), "a case of another kind");
    report("vectors_shell", outcomes);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_the_vectors_of_paths() {
    let mut outcomes = Vec::new();
    for case in cases("paths.json").into_iter().filter(|case| case["call"]["tool"] == "bash") {
        outcomes.push((case["id"].as_str().unwrap().to_owned(), run_case(&case).await));
    }
    report("the commands of vectors_paths", outcomes);
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
    report("the commands of vectors_attacks", outcomes);
}

/// The rows of the table of fallbacks (sandbox.md §13) that take a layer away from commands.
const ROWS: [&[Layer]; 9] = [
    &[Layer::Userns],
    &[Layer::Seccomp],
    &[Layer::Pidns],
    &[Layer::Landlock],
    &[Layer::Netns],
    &[Layer::Cgroup],
    &[Layer::PidMax],
    &[Layer::Cgroup, Layer::PidMax],
    &[Layer::Pidns, Layer::Cgroup],
];

/// What a missing layer may change is how a command is told no; never that nothing gets out, is read or is left. Every row
/// in the full run, three of them otherwise.
#[tokio::test(flavor = "multi_thread")]
async fn attackers_do_not_get_through_with_a_layer_less() {
    let rows = tool_trials::by_effort(&ROWS[..], &ROWS[..3]);
    let watched = ["survivors", "listener_hit", "output_contains", "exists"];
    let is_watched = |case: &Value| {
        let nevers = case["never"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let is_command = matches!(case["call"]["tool"].as_str(), Some("bash" | "run_command"));
        let mut nevers = nevers.filter(|never| watched.iter().any(|word| never.starts_with(word)));
        is_command && case["call"]["fault"].is_null() && nevers.next().is_some()
    };
    let all = cases("attacks.json");
    for row in rows {
        let mut running = tokio::task::JoinSet::new();
        for case in all.iter().filter(|case| is_watched(case)) {
            let mut case = case.clone();
            case["expect"] = json!({"invariant": "what must never happen does not"});
            case["within_ms"] = Value::Null;
            let forced: Vec<&str> = row.iter().map(|layer| layer.as_str()).collect();
            case["config"]["environment"]["TOOLBOX_SANDBOX_FORCE_MISSING"] = forced.join(",").into();
            let name = format!("{} without {forced:?}", case["id"]);
            running.spawn(async move { (name, run_case(&case).await) });
        }
        let outcomes = running.join_all().await;
        report(&format!("vectors_attacks without {row:?}"), outcomes);
    }
}

#[test]
fn outside_of_the_sandbox_the_helper_gets_a_socket() {
    let Some(program) = attacker() else { return support::skip("cc cannot link statically") };
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
        "helper" => attacker().is_none(),
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
    if let Some(program) = attacker().filter(|_| case.to_string().contains("{HELPER}")) {
        fs::copy(program, directory.path().join("root/helper")).unwrap();
    }
    let expect = places.fill(&case["expect"]);
    let bench = match policy(case).and_then(|policy| Bench::try_at(directory, policy)) {
        Ok(bench) => bench,
        Err(error) => return fits_any(&Err(error.to_json()), &expect),
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
    nevers(&places.fill(&case["never"]), || bench.has_survivors(), &outcome, listeners.count())?;
    after(&places.fill(&case["after"]))
}

/// Makes the call, with what happens to it meanwhile.
async fn make(bench: &Bench, call: &Value, expect: &Value) -> Result<Outcome, String> {
    let (tool, args) = (call["tool"].as_str().unwrap(), call["args"].clone());
    let data =
        |outcome: tool_core::ToolResult| outcome.map(|output| output.data()).map_err(|error| error.to_json());
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
    let (records, said) = (Records::new(), args.to_string());
    let executor = records.executor(support::registry());
    let outcome = data(executor.call(Call::new(tool, args), &bench.context(), Caller::Llm).await);
    let left = records.left().await;
    let mut wrong = left.wrong(outcome.as_ref().map(drop));
    let canary = canary();
    if left.text().contains(&canary) && !said.contains(&canary) {
        wrong.push("what a command wrote is recorded".to_owned());
    }
    if wrong.is_empty() { Ok(outcome) } else { Err(wrong.join("; ")) }
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
