//! The limits of a command.

use std::fs;
use std::process::Command as Program;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Command, End, Sandbox, SandboxPolicy, Stop};
use tool_std::{Workspace, WorkspacePolicy};

use crate::attack::{PYTHON, has_python, without};
use crate::support::{self, Bench};
use tool_trials::rounds;

#[tokio::test]
async fn bombs_end_with_their_code_and_the_program_goes_on() {
    let mut policy = SandboxPolicy::default();
    policy.limits.max_memory_bytes = 256 * 1_024 * 1_024;
    policy.limits.max_total_output_bytes = 8 * 1_024 * 1_024;
    let bench = Bench::with(policy);
    let bomb = json!({"cmd": "bash", "args": ["-c", ":(){ :|:& };:; wait; sleep 60"], "timeout": 2});
    let ended = AtomicBool::new(false);
    let (bombed, others) = tokio::join!(
        async {
            let bombed = bench.call("bash", bomb).await;
            ended.store(true, Ordering::Relaxed);
            bombed
        },
        async {
            let mut started = 0;
            while !ended.load(Ordering::Relaxed) {
                assert!(Program::new("true").status().unwrap().success());
                started += 1;
                tokio::task::yield_now().await;
            }
            started
        }
    );
    let error = bombed.unwrap_err();
    let told = (error.kind().as_str(), error.code_str());
    assert!(
        [("timeout", "timeout"), ("failed", "limit_processes"), ("failed", "command_failed")].contains(&told),
        "{error:?}"
    );
    println!("a fork bomb: {told:?}; {others} processes of the program meanwhile");
    assert!(others > 0);
    assert!(!bench.has_survivors());
    let error = bench.call("bash", json!({"cmd": "yes"})).await.unwrap_err();
    assert_eq!(error.code_str(), "limit_output");
    assert!(error.message().contains("8388608 bytes"));
    if has_python() {
        let script = "x = bytearray(1 << 30)";
        let error = bench.call("bash", json!({"cmd": PYTHON, "args": ["-c", script]})).await.unwrap_err();
        // The limit of a cgroup ends it; that of a process makes its allocation fail.
        assert!(["limit_memory", "command_failed"].contains(&error.code_str()), "{error:?}");
        let script = "x = bytearray(1 << 24)";
        assert!(bench.call("bash", json!({"cmd": PYTHON, "args": ["-c", script]})).await.is_ok());
    }
}

#[tokio::test]
async fn too_many_processes_are_counted_where_nothing_better_limits_them() {
    let root = rustix::process::getuid().is_root();
    // The namespace's own limit cannot be as low as that.
    for (missing, by_user) in
        [([Layer::PidMax, Layer::Cgroup].as_slice(), !root), ([Layer::Cgroup].as_slice(), false)]
    {
        let mut policy = without(missing);
        policy.limits.max_processes = 20;
        let bench = Bench::with(policy);
        let script = "i=0; while [ $i -lt 60 ]; do sleep 600 & i=$((i+1)); done; wait";
        let args = json!({"cmd": "sh", "args": ["-c", script], "timeout": 300});
        let error = bench.call("bash", args).await.unwrap_err();
        let expected = if by_user { "command_failed" } else { "limit_processes" };
        assert_eq!(error.code_str(), expected, "{missing:?}: {error:?}");
        assert!(!bench.has_survivors());
        assert_eq!(bench.sh("sleep 0.01 & wait").await["exit_code"], 0);
    }
}

#[tokio::test]
async fn a_command_is_stopped_when_the_disk_runs_full_and_runs_while_it_does_not() {
    let bench = Bench::new();
    let mut rules = WorkspacePolicy::default();
    rules.limits.free_space_floor = u64::MAX / 2;
    let workspace = Workspace::open(&bench.root(), rules).unwrap();
    let policy = SandboxPolicy { helper: Some(support::HELPER.into()), ..SandboxPolicy::default() };
    let full = Sandbox::open(policy, &workspace).unwrap();
    let sleep = |seconds: &str| Command::new("sleep", Duration::from_secs(20)).args([seconds]);
    assert_eq!(full.run(sleep("15")).await.unwrap().stopped, Some(Stop::Disk));
    assert_eq!(bench.sandbox.run(sleep("0.6")).await.unwrap().stopped, None);
}

#[tokio::test]
async fn a_command_that_spends_the_quota_is_stopped_while_it_runs_and_one_within_it_is_not() {
    // A file system that no other program fills or empties meanwhile.
    let base = ["/dev/shm", "/tmp"].into_iter().find_map(|base| tempfile::tempdir_in(base).ok()).unwrap();
    let rules = WorkspacePolicy { max_bytes: Some(16 << 20), ..WorkspacePolicy::default() };
    let workspace = Workspace::open(base.path(), rules).unwrap();
    let policy = SandboxPolicy { helper: Some(support::HELPER.into()), ..SandboxPolicy::default() };
    let sandbox = Sandbox::open(policy, &workspace).unwrap();
    let write = |megabytes: u32, seconds: &str| {
        let script = format!("head -c {megabytes}M /dev/zero > file; sleep {seconds}");
        Command::new("sh", Duration::from_secs(20)).args(["-c", &script])
    };
    let finished = sandbox.run(write(64, "15")).await.unwrap();
    assert_eq!(finished.stopped, Some(Stop::Disk));
    let finished = sandbox.run(write(8, "0.6")).await.unwrap();
    assert_eq!((finished.stopped, finished.end), (None, End::Exit(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_commands_at_once_all_succeed_and_never_more_than_16_run() {
    let bench = Bench::new();
    // Each notes its beginning and its end.
    let script = "echo + >> log; sleep 0.02; echo - >> log";
    for (count, program, args) in [(1_000, "true", &[][..]), (rounds(1_000), "sh", &["-c", script][..])] {
        let runs: Vec<_> = (0..count)
            .map(|_| {
                let sandbox = bench.sandbox.clone();
                let command = Command::new(program, Duration::from_secs(120)).args(args.iter().copied());
                tokio::spawn(async move { sandbox.run(command).await })
            })
            .collect();
        for run in runs {
            assert_eq!(run.await.unwrap().unwrap().end, End::Exit(0));
        }
    }
    let log = fs::read_to_string(bench.root().join("log")).unwrap();
    let (mut now, mut most) = (0_i32, 0);
    for line in log.lines() {
        now += if line == "+" { 1 } else { -1 };
        most = most.max(now);
    }
    println!("at most {most} of {} at once", rounds(1_000));
    assert_eq!(now, 0);
    assert!((2..=16).contains(&most), "{most}");
}
