//! Every limit of commands holds at its value and not beyond it, and moves with its configuration. (shell.md §3, sandbox.md §10)
//!
//! A row names a limit, the value that is set, and a call of a size; the call must be within the limit at the value, beyond it
//! one above, and within it again when the limit is set one higher.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::{Call, Caller, ToolError};
use tool_std::Limits;
use tool_std::sandbox::{Command, End, Sandbox, SandboxPolicy};
use tool_std::shell::Processes;

use crate::support::{self, Bench};

/// Whether a call of a size is within a limit.
type Within = for<'b> fn(&'b Place, u64) -> Pin<Box<dyn Future<Output = bool> + 'b>>;

/// A limit, the value that is set, and whether a call of a size is within it.
type Row = (&'static str, u64, Within);

/// A bench with one limit set.
struct Place(Bench);

impl Place {
    fn new(limit: &str, value: u64) -> Self {
        let mut policy = SandboxPolicy::default();
        policy.limits.set(limit, value).unwrap();
        // So that one that runs is enough for the next to wait.
        if limit == "queued_commands" {
            policy.limits.parallel_commands = 1;
        }
        Self(Bench::with(policy))
    }

    async fn call(&self, tool: &str, args: Value) -> Result<Value, ToolError> {
        let ctx = self.0.context_of(&Processes::new("a"));
        let call = Call::new(tool, args);
        support::executor_of_all().call(call, &ctx, Caller::Llm).await.map(|output| output.data())
    }

    /// Whether a command is let run and ends well.
    async fn is_ok(&self, args: Value) -> bool {
        self.call("bash", args).await.is_ok()
    }

    async fn sh(&self, script: String) -> Result<Value, ToolError> {
        self.call("bash", json!({"cmd": "sh", "args": ["-c", script]})).await
    }

    /// Whether so many commands at once all end well.
    async fn all_end_well(&self, count: u64, command: impl Fn(u64) -> Command) -> bool {
        let run = |command| {
            let sandbox: Sandbox = self.0.sandbox.clone();
            tokio::spawn(async move {
                sandbox.run(command).await.is_ok_and(|finished| finished.end == End::Exit(0))
            })
        };
        let runs: Vec<_> = (0..count).map(|number| run(command(number))).collect();
        let mut all = true;
        for run in runs {
            all &= run.await.unwrap();
        }
        all
    }
}

fn text(size: u64) -> String {
    "x".repeat(usize::try_from(size).unwrap())
}

const ROWS: &[Row] = &[
    ("max_timeout_seconds", 5, |place, size| Box::pin(place.is_ok(json!({"cmd": "true", "timeout": size})))),
    ("max_command_chars", 12, |place, size| {
        Box::pin(place.is_ok(json!({"cmd": "echo", "args": ["a", text(size - 7)]})))
    }),
    ("max_args", 2, |place, size| {
        Box::pin(place.is_ok(json!({"cmd": "echo", "args": vec!["a"; size as usize]})))
    }),
    ("max_arg_chars", 8, |place, size| Box::pin(place.is_ok(json!({"cmd": "echo", "args": [text(size)]})))),
    ("max_cwd_chars", 8, |place, size| {
        Box::pin(place.is_ok(json!({"cmd": "true", "cwd": format!(".{}", "/".repeat(size as usize - 1))})))
    }),
    ("max_stream_bytes", 8, |place, size| {
        Box::pin(async move {
            place.sh(format!("printf {}", text(size))).await.unwrap()["truncated"] == json!([])
        })
    }),
    ("max_total_output_bytes", 1_000, |place, size| {
        let script = format!("printf {}; printf {} >&2", text(size - 400), text(400));
        Box::pin(async move { place.sh(script).await.is_ok() })
    }),
    ("max_file_bytes", 4_096, |place, size| {
        let args = json!(["if=/dev/zero", "of=f", "bs=1", format!("count={size}"), "status=none"]);
        Box::pin(async move {
            match place.call("bash", json!({"cmd": "dd", "args": args})).await {
                Ok(_) => true,
                Err(error) => {
                    assert_eq!(error.code_str(), "limit_file_size", "{error:?}");
                    false
                }
            }
        })
    }),
    // The highest descriptor is one below the limit.
    ("max_open_files", 64, |place, size| {
        let script = format!("exec {}</dev/null", size - 1);
        Box::pin(async move { place.is_ok(json!({"cmd": "bash", "args": ["-c", script]})).await })
    }),
    ("parallel_commands", 2, |place, size| {
        // Each waits until all have begun.
        let script = format!(
            "touch begun$0; i=0; while [ $(ls | wc -l) -lt {size} ]; do i=$((i+1)); [ $i -gt 100 ] && exit 1; \
             sleep 0.02; done"
        );
        Box::pin(place.all_end_well(size, move |number| {
            Command::new("sh", Duration::from_secs(60)).args(["-c", &script, &number.to_string()])
        }))
    }),
    // One runs, the others wait.
    ("queued_commands", 2, |place, size| {
        Box::pin(
            place.all_end_well(size + 1, |_| Command::new("sleep", Duration::from_secs(60)).args(["0.5"])),
        )
    }),
    ("max_background", 2, |place, size| {
        Box::pin(async move {
            let ctx = place.0.context_of(&Processes::new("a"));
            let executor = support::executor_of_all();
            let mut all = true;
            for _ in 0..size {
                let args = json!({"cmd": "sleep", "args": ["60"], "background": true});
                all &= executor.call(Call::new("bash", args), &ctx, Caller::Llm).await.is_ok();
            }
            all
        })
    }),
    ("max_background_seconds", 5, |place, size| {
        Box::pin(place.is_ok(json!({"cmd": "true", "background": true, "timeout": size})))
    }),
    ("background_buffer_bytes", 8, |place, size| {
        Box::pin(async move {
            let ctx = place.0.context_of(&Processes::new("a"));
            let executor = support::executor_of_all();
            let args = json!({"cmd": "printf", "args": [text(size)], "background": true});
            let started = executor.call(Call::new("bash", args), &ctx, Caller::Llm).await.unwrap().data();
            loop {
                let args = json!({"process_id": started["process_id"], "stdout_offset": size, "wait": 5});
                let wait =
                    executor.call(Call::new("process_output", args), &ctx, Caller::Llm).await.unwrap().data();
                if wait["state"] != "running" {
                    break;
                }
            }
            let args = json!({"process_id": started["process_id"]});
            let page =
                executor.call(Call::new("process_output", args), &ctx, Caller::Llm).await.unwrap().data();
            page["stdout"]["dropped_bytes"] == 0
        })
    }),
];

/// Limits that no call of a size meets exactly, and where they are looked at.
const ELSEWHERE: [(&str, &str); 5] = [
    ("max_memory_bytes", "below"),
    ("max_processes", "below"),
    ("max_cpu_seconds", "below"),
    ("kill_grace_ms", "below"),
    ("ready_commands", "sandbox_self, where no other test has helpers"),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_limit_of_commands_holds_at_its_value_and_not_beyond() {
    let mut wrong = Vec::new();
    for (limit, value, within) in ROWS {
        for (set, size, expected) in
            [(*value, *value, true), (*value, value + 1, false), (value + 1, value + 1, true)]
        {
            if within(&Place::new(limit, set), size).await != expected {
                let not = if expected { "not " } else { "" };
                wrong.push(format!("{limit} = {set}: a call of size {size} is {not}within"));
            }
        }
    }
    println!("{} limits of commands at their values and one above", ROWS.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_limit_of_commands_is_left_out() {
    let tested: BTreeSet<&str> =
        ROWS.iter().map(|row| row.0).chain(ELSEWHERE.iter().map(|row| row.0)).collect();
    let rows = Limits::default().rows();
    let commands = rows.iter().skip_while(|row| row.name != "max_timeout_seconds").map(|row| row.name);
    assert_eq!(tested, commands.collect());
}

#[tokio::test]
async fn memory_and_processes_move_with_their_limits() {
    // What a program needs besides what it asks for is no exact number: each call is far from either limit.
    const MIB: u64 = 1 << 20;
    let memory = "x = bytearray(160 << 20); print(len(x))";
    let processes =
        "i=0; while [ $i -lt 450 ]; do sleep 600 & i=$((i+1)); done; echo all; kill $(jobs -p); exit 0";
    for (limit, low, high, cmd, script) in [
        ("max_memory_bytes", 128 * MIB, 512 * MIB, crate::attack::PYTHON, memory),
        ("max_processes", 350, 700, "bash", processes),
    ] {
        if limit == "max_memory_bytes" && !crate::attack::has_python() {
            continue;
        }
        for (value, fits) in [(low, false), (high, true)] {
            let args = json!({"cmd": cmd, "args": ["-c", script], "timeout": 300, "check": false});
            let outcome = Place::new(limit, value).call("bash", args).await;
            let all = outcome.as_ref().is_ok_and(|result| {
                result["exit_code"] == 0 && result["stderr"] == "" && result["stdout"] != ""
            });
            assert_eq!(all, fits, "{limit} = {value}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn a_limit_of_cpu_is_the_operators_or_follows_the_timeout() {
    let spin = |timeout: u64| json!({"cmd": "sh", "args": ["-c", "while :; do :; done"], "timeout": timeout});
    let error = Place::new("max_cpu_seconds", 1).call("bash", spin(600)).await.unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("failed", "limit_cpu"), "{error:?}");
    // Five seconds more than the timeout, which comes first.
    let error = Place::new("max_cpu_seconds", 0).call("bash", spin(1)).await.unwrap_err();
    assert_eq!(error.code_str(), "timeout", "{error:?}");
    let limit = json!({"cmd": "sh", "args": ["-c", "ulimit -t"], "timeout": 7});
    let told = Place::new("max_cpu_seconds", 0).call("bash", limit).await.unwrap();
    assert_eq!(told["stdout"], "12\n");
}

#[tokio::test]
async fn a_command_has_the_time_of_grace_to_end_and_without_one_it_has_none() {
    let script = "trap 'sleep 0.1; echo bye; exit 0' TERM; echo in; while :; do sleep 0.01; done";
    let args = json!({"cmd": "sh", "args": ["-c", script], "timeout": 1});
    for (grace, last) in [(0, "in\n"), (500, "in\nbye\n")] {
        // On a busy machine even the whole time may be too short once.
        let mut seen = Vec::new();
        for _ in 0..5 {
            let error = Place::new("kill_grace_ms", grace).call("bash", args.clone()).await.unwrap_err();
            assert_eq!(error.code_str(), "timeout", "{error:?}");
            seen.push(error.details()["stdout"].as_str().unwrap().to_owned());
            if seen.last().is_some_and(|seen| seen == last) {
                break;
            }
        }
        assert_eq!(seen.last().map(String::as_str), Some(last), "{grace}: {seen:?}");
        assert!(grace > 0 || seen.iter().all(|seen| !seen.contains("bye")), "{seen:?}");
    }
}
