//! The end of a command and of all that came from it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tool_core::{Call, Caller, ToolContext};
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Command, SandboxPolicy};

use crate::attack::without;
use crate::support::{self, Bench, load_factor};
use tool_trials::rounds;

const STRAYS: [&str; 4] = [
    "sleep 60 & echo done",
    "setsid sleep 60 & echo done",
    "(setsid sh -c 'setsid sleep 60 & exit 0' &); sleep 0.1; echo done",
    "sleep 60 >&- 2>&- <&- & echo done",
];

#[tokio::test]
async fn nothing_outlives_a_command_with_and_without_a_pid_namespace() {
    for policy in [
        SandboxPolicy::default(),
        without(&[Layer::Pidns]),
        without(&[Layer::Pidns, Layer::Cgroup]),
        without(&[Layer::Userns]),
    ] {
        let bench = Bench::with(policy.clone());
        let scripts = STRAYS.iter().cycle().take(rounds(100).max(STRAYS.len()));
        for script in scripts {
            let started = Instant::now();
            let result = bench.sh(script).await;
            assert_eq!(result["stdout"], "done\n", "{script} {:?}", policy.missing);
            // On a busy machine the shell between the command and the sleep may be there still.
            let strays = result["strays"].as_u64().unwrap_or_default();
            assert!((1..=2).contains(&strays), "{strays}: {script} {:?}", policy.missing);
            assert!(started.elapsed() < Duration::from_secs(1) * load_factor(), "{script}");
            assert!(!bench.has_survivors(), "{script} {:?}", policy.missing);
        }
    }
}

#[tokio::test]
async fn a_timeout_ends_the_whole_tree() {
    for policy in [SandboxPolicy::default(), without(&[Layer::Pidns])] {
        let bench = Bench::with(policy);
        let script = "trap '' TERM; (setsid sh -c 'trap \"\" TERM; sleep 60 & exit 0' &); setsid sleep 60 & echo in; sleep 60";
        for _ in 0..rounds(100) {
            // A busy machine may need longer until the whole tree stands.
            let mut stands = false;
            for milliseconds in [200, 400, 800, 1_600, 3_200, 6_400] {
                let args =
                    json!({"cmd": "sh", "args": ["-c", script], "timeout": f64::from(milliseconds) / 1e3});
                let error = bench.call("bash", args).await.unwrap_err();
                let message = format!("Command timed out after {milliseconds}ms");
                assert_eq!((error.code_str(), error.message()), ("timeout", message.as_str()));
                assert!(!bench.has_survivors());
                stands = error.details()["stdout"] == "in\n";
                if stands {
                    break;
                }
            }
            assert!(stands);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_cancelled_at_any_moment_has_one_result_and_leaves_nothing() {
    let bench = Bench::new();
    let executor = Arc::new(support::executor());
    for round in 0..rounds(200).max(40) as u64 {
        let token = tokio_util::sync::CancellationToken::new();
        let sandbox = bench.sandbox.clone();
        let ctx = ToolContext::builder()
            .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx)))
            .cancellation(token.clone())
            .build();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(round * 7 % 100)).await;
            token.cancel();
        });
        let args = json!({"cmd": "sh", "args": ["-c", "setsid sleep 60 & sleep 60"]});
        let error = executor.call(Call::new("bash", args), &ctx, Caller::Llm).await.unwrap_err();
        assert_eq!(error.kind().as_str(), "cancelled", "{error:?}");
    }
    assert!(!bench.has_survivors());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_command_tells_so_with_what_it_has_written() {
    let bench = Bench::new();
    let token = tokio_util::sync::CancellationToken::new();
    let (sandbox, root) = (bench.sandbox.clone(), bench.root().to_owned());
    let ctx = ToolContext::builder()
        .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx)))
        .cancellation(token.clone())
        .build();
    let args = json!({"cmd": "sh", "args": ["-c", "echo partial; touch written; sleep 60"]});
    let call =
        tokio::spawn(
            async move { support::executor().call(Call::new("bash", args), &ctx, Caller::Llm).await },
        );
    let deadline = Instant::now() + tool_trials::patience();
    while !root.join("written").exists() {
        assert!(Instant::now() < deadline, "the command did not begin");
        tokio::task::yield_now().await;
    }
    token.cancel();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!((error.kind().as_str(), &error.details()["stdout"]), ("cancelled", &json!("partial\n")));
    assert!(error.message().starts_with("Command was cancelled after "), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_ends_before_its_call_must_and_its_output_is_told() {
    let bench = Bench::new();
    // What works here is found out before the time begins.
    assert_eq!(bench.sandbox.report().refusal(), None);
    let mut told = json!("");
    // A busy machine may need longer until the command runs.
    for seconds in [3, 6, 12] {
        let sandbox = bench.sandbox.clone();
        let ctx = ToolContext::builder()
            .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx)))
            .deadline(Instant::now() + Duration::from_secs(seconds))
            .build();
        let args = json!({"cmd": "sh", "args": ["-c", "echo partial; sleep 60"], "timeout": 60});
        let error = support::executor().call(Call::new("bash", args), &ctx, Caller::Llm).await.unwrap_err();
        assert_eq!(error.kind().as_str(), "timeout", "{error:?}");
        assert!(!bench.has_survivors());
        told = error.details()["stdout"].clone();
        if told != "" {
            break;
        }
    }
    assert_eq!(told, "partial\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_call_ends_its_command() {
    let bench = Bench::new();
    let command = Command::new("sleep", Duration::from_secs(60)).args(["60"]);
    let outcome = tokio::time::timeout(Duration::from_millis(200), bench.sandbox.run(command)).await;
    assert!(outcome.is_err());
    assert!(!bench.has_survivors());
}
