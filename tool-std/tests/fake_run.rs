//! Commands that go as a test has written down: what tools make of every way in which a command can go.

#![allow(clippy::unwrap_used, reason = "a helper of tests may fail the test")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tool_core::ErrorKind::{Cancelled, Conflict, Denied, Failed, Internal, NotFound, Timeout};
use tool_core::test::{CallResult, FakeClock, ToolKit, answer};
use tool_core::{Call, Caller, Registry, tree};
use tool_std::sandbox::{Command, End, NotStarted, Sandbox, SandboxPolicy, State, Stop, Stream};
use tool_std::shell::{BashTool, ProcessOutputTool, ProcessStopTool, RunCommandTool};
use tool_std::test::{FakeRun, FilesExt as _};
use tool_std::{Workspace, WorkspacePolicy};

const SECOND: Duration = Duration::from_secs(1);

/// A kit in which a person lets so many commands run.
fn kit(runs: usize, script: impl Fn(FakeRun) -> FakeRun + Send + Sync + 'static) -> ToolKit {
    let registry = Registry::builder().add::<BashTool>().add::<RunCommandTool>();
    let registry = registry.add::<ProcessOutputTool>().add::<ProcessStopTool>().build().unwrap();
    let kit = ToolKit::of(registry).answers(std::iter::repeat_n(answer::yes("run_command"), runs));
    kit.files_and_commands(tree! { "d/": {} }, script).build()
}

fn run(kit: &ToolKit, args: Value) -> CallResult {
    kit.call_blocking("run_command", args)
}

#[test]
fn a_command_writes_in_pieces_and_ends_as_written_down() {
    let kit = kit(2, |run| {
        let run = run.command(["make", "-k"]).out("one\n").err("bad\n").out("two\n").exit(2);
        run.program("make").with(|argv| argv.len() == 1).signal(11)
    });
    let data = run(&kit, json!({"command": "make -k"})).unwrap().data();
    assert_eq!(
        (&data["exit_code"], &data["stdout"], &data["stderr"]),
        (&json!(2), &json!("one\ntwo\n"), &json!("bad\n"))
    );
    assert_eq!((&data["sandbox"]["level"], &data["sandbox"]["network"]), (&json!("full"), &json!("deny")));
    let error = run(&kit, json!({"command": "make", "check": true})).unwrap_err();
    assert_eq!((error.kind(), &error.details()["signal"]), (Failed, &json!("SIGSEGV")), "{error:?}");
    let shown: Vec<String> = kit.io().iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["run_command (call_1) commands: make -k", "run_command (call_2) commands: make"]);
}

#[test]
fn what_nobody_expects_is_not_run_and_fails_the_test_with_the_call_that_did_it() {
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let kit = kit(2, |run| run.command(["ls"]));
        let error = run(&kit, json!({"command": "rm -r d"})).unwrap_err();
        assert_eq!((error.kind(), error.code_str()), (Internal, "not_scripted"), "{error:?}");
        assert_eq!(error.message(), "The test does not expect rm.", "the caller is told no arguments");
        run(&kit, json!({"command": "ls"})).unwrap();
    }));
    let told = unwound.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(
        *told,
        "commands were not as scripted:\nrm -r d was run by run_command (call_1), and is not expected"
    );
}

#[test]
fn what_nobody_runs_fails_the_test() {
    let unwound = catch_unwind(|| drop(kit(0, |run| run.command(["ls"]).times(2).program("git"))));
    let told = unwound.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(*told, "commands were not as scripted:\nnobody ran ls\nnobody ran ls\nnobody ran git …");
    let run = FakeRun::default().command(["ls"]);
    assert_eq!(run.forgive(), ["nobody ran ls"]);
}

#[test]
fn a_command_that_is_not_started_is_told_by_its_reason() {
    let expected = |why| match why {
        NotStarted::NotFound => (NotFound, "command_not_found"),
        NotStarted::NotExecutable => (Denied, "permission_denied"),
        NotStarted::NoDirectory => (NotFound, "path_not_found"),
        NotStarted::Changed => (Conflict, "path_changed"),
        NotStarted::Unconfined => (Denied, "sandbox_unavailable"),
    };
    for why in NotStarted::ALL {
        let kit = kit(3, move |run| run.command(["ls"]).fails(why).times(2).command(["ls"]).out("d\n"));
        for args in [json!({"command": "ls"}), json!({"command": "ls", "background": true})] {
            let error = run(&kit, args).unwrap_err();
            assert_eq!((error.kind(), error.code_str()), expected(why), "{why:?}: {error:?}");
        }
        assert_eq!(run(&kit, json!({"command": "ls"})).unwrap().data()["stdout"], "d\n", "{why:?}");
    }
}

#[test]
fn the_directory_is_looked_at_as_for_a_real_command() {
    let kit = kit(2, |run| run.command(["ls"]));
    let error = run(&kit, json!({"command": "ls", "cwd": "e"})).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (NotFound, "path_not_found"), "{error:?}");
    run(&kit, json!({"command": "ls", "cwd": "d"})).unwrap();
}

#[tokio::test]
async fn a_command_without_an_end_is_over_when_the_clock_says_so() {
    let kit = kit(3, |run| {
        let run = run.command(["serve"]).out("ready\n").never();
        let run = run.command(["serve"]).out("ready\n").never().ignores_signals();
        run.command(["serve"]).wait(29 * SECOND).out("done\n")
    });
    let call = || kit.call("run_command", json!({"command": "serve"}));
    let moved = |times: &'static [u64]| {
        let clock = kit.clock().clone();
        async move {
            for seconds in times {
                // Of a step that waits, and of the limit.
                clock.asleep(1).await;
                clock.advance(Duration::from_secs(*seconds));
            }
        }
    };
    let (result, ()) = tokio::join!(call(), moved(&[30]));
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.message()), (Timeout, "Command timed out after 30000ms"));
    assert_eq!(
        (&error.details()["signal"], &error.details()["stdout"]),
        (&json!("SIGTERM"), &json!("ready\n"))
    );
    // The second is asked, and killed after the grace.
    let (result, ()) = tokio::join!(call(), moved(&[30, 10]));
    let error = result.unwrap_err();
    assert_eq!((error.kind(), &error.details()["signal"]), (Timeout, &json!("SIGKILL")), "{error:?}");
    let (result, ()) = tokio::join!(call(), moved(&[29]));
    let data = result.unwrap().data();
    assert_eq!((&data["stdout"], &data["duration_ms"]), (&json!("done\n"), &json!(29_000)));
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_its_command_and_tells_what_it_wrote() {
    let kit = kit(1, |run| run.command(["serve"]).out("partial\n").never());
    let token = CancellationToken::new();
    let ctx = kit.context().to_builder().cancellation(token.clone()).build();
    let call = Call::new("run_command", json!({"command": "serve"}));
    let clock = kit.clock().clone();
    let cancelled = async {
        clock.asleep(1).await;
        token.cancel();
    };
    let (result, ()) = tokio::join!(kit.executor().call(call, &ctx, Caller::Test), cancelled);
    let error = result.unwrap_err();
    assert_eq!((error.kind(), &error.details()["stdout"]), (Cancelled, &json!("partial\n")), "{error:?}");
    assert_eq!(clock.sleepers(), 0, "nothing of it is left");
}

#[tokio::test]
async fn a_command_in_the_background_is_read_while_it_runs_and_stopped() {
    let kit = kit(1, |run| run.program("serve").out("one\n").wait(5 * SECOND).err("two\n").never());
    let started =
        kit.call("run_command", json!({"command": "serve -p 1", "background": true})).await.unwrap();
    let id = started.data()["process_id"].clone();
    let read = async || kit.call("process_output", json!({"process_id": id.clone()})).await.unwrap().data();
    kit.clock().asleep(1).await;
    assert_eq!(read().await["stdout"]["text"], "one\n");
    kit.advance(5 * SECOND);
    let stopped = kit.call("process_stop", json!({"process_id": id.clone()})).await.unwrap().data();
    assert_eq!(stopped["state"], "stopped", "{stopped}");
}

#[tokio::test]
async fn what_runs_in_the_background_and_ignores_signals_ends_with_the_kit() {
    let kit = kit(1, |run| run.command(["serve"]).out("ready\n").never().ignores_signals());
    let call = kit.call("run_command", json!({"command": "serve", "background": true}));
    assert!(call.await.unwrap().data()["process_id"].is_string());
    // It would be told to be left: a task of the kit's tools.
    drop(kit);
}

#[tokio::test]
async fn limits_and_a_kill_hold_for_whoever_uses_the_sandbox() {
    let directory = tool_trials::directory();
    let workspace = Workspace::open(directory.path(), WorkspacePolicy::default()).unwrap();
    let mut policy = SandboxPolicy::default();
    policy.limits.set("max_total_output_bytes", 100).unwrap();
    let sandbox = Sandbox::open(policy, &workspace).unwrap();
    let clock = FakeClock::default();
    let run = FakeRun::new(clock.clone()).command(["yes"]).out("y\n".repeat(60)).never();
    let run = run.command(["yes"]).out("y\n").never().ignores_signals();
    assert!(sandbox.inject(Arc::new(run.clone())));
    assert!(!sandbox.inject(Arc::new(FakeRun::default())), "nobody takes the place of another one");
    let finished = sandbox.run(Command::new("yes", 30 * SECOND)).await.unwrap();
    assert_eq!((finished.stopped, finished.stdout.total), (Some(Stop::Output), 120));
    let running = sandbox.start(Command::new("yes", 30 * SECOND)).await.unwrap();
    running.wait(0, 0).await;
    assert_eq!((running.state(), running.read(Stream::Out, 0, 10).text.as_str()), (State::Running, "y\n"));
    let ended = running.stop(true).await.unwrap();
    assert_eq!((ended.end, ended.stopped), (End::Signal(9), Some(Stop::Cancelled)));
    assert_eq!(run.runs(), [["yes"], ["yes"]]);
}
