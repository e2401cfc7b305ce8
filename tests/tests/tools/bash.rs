//! `bash`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs, NotFound, Timeout};
use tool_core::ToolContext;
use tool_std::shell::bash;

use crate::commands::{self, shell_kit};
use crate::common::{Case, Setting, Subject, fails, files, gives, place};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "bash",
    files,
    cases,
    codes: &[
        "invalid_args",
        "command_not_found",
        "path_not_found",
        "not_a_directory",
        "path_escape",
        "network_denied",
        "git_remote_denied",
        "permission_denied",
        "command_failed",
        "limit_output",
        "timeout",
    ],
    varying: &["/duration_ms", "/cpu_ms", "/max_rss_bytes"],
    kit: shell_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives(
            "a program",
            json!({"cmd": "echo", "args": ["a"]}),
            json!({"exit_code": 0, "signal": null, "stdout": "a\n", "stderr": "", "stdout_bytes": 2, "truncated": [], "lossy": []}),
        ),
        gives(
            "in another directory",
            json!({"cmd": "ls", "args": [], "cwd": "src"}),
            json!({"stdout": "main.rs\nparser\n"}),
        ),
        gives(
            "whatever its exit code",
            json!({"cmd": "sh", "args": ["-c", "echo out; echo err >&2; exit 7"], "check": false}),
            json!({"exit_code": 7, "stdout": "out\n", "stderr": "err\n"}),
        ),
        gives(
            "a signal",
            json!({"cmd": "sh", "args": ["-c", "kill -KILL $$"], "check": false}),
            json!({"exit_code": null, "signal": "SIGKILL"}),
        ),
        gives("no input", json!({"cmd": "cat", "args": []}), json!({"exit_code": 0, "stdout": ""})),
        gives(
            "what is no text",
            json!({"cmd": "sh", "args": ["-c", "printf '\\377'"]}),
            json!({"lossy": ["stdout"], "stdout_bytes": 1}),
        ),
        fails(
            "words of another kind",
            json!({"cmd": 5.5, "cwd": []}),
            InvalidArgs,
            "invalid_args",
            "2 arguments do not fit.\n/cmd: expected string, got number 5.5; send it in quotes\n/cwd: expected string, got array of 0 items",
        ),
        fails(
            "a blank",
            json!({"cmd": " "}),
            InvalidArgs,
            "invalid_args",
            "cmd must be a non-empty string.\n/cmd: expected a text that is not blank, got a blank text; cmd must be a non-empty string.",
        ),
        fails(
            "no such program",
            json!({"cmd": "no-such-program", "args": []}),
            NotFound,
            "command_not_found",
            "Command not found: no-such-program.",
        ),
        fails(
            "no such directory",
            json!({"cmd": "true", "cwd": "gone"}),
            NotFound,
            "path_not_found",
            "cwd gone does not exist.",
        ),
        fails(
            "in a file",
            json!({"cmd": "true", "cwd": "notes.txt"}),
            Failed,
            "not_a_directory",
            "cwd notes.txt is not a directory.",
        ),
        fails(
            "above the root",
            json!({"cmd": "true", "cwd": "../a"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "the network",
            json!({"cmd": "curl", "args": ["https://example.com"]}),
            Denied,
            "network_denied",
            "Network access is disabled for bash tool\nhint: Network is off for commands. An operator can allow it with sandbox.network, or turn this early check off with sandbox.network_guard.",
        ),
        fails(
            "a remote",
            json!({"cmd": "git", "args": ["push"]}),
            Denied,
            "git_remote_denied",
            "Git remote operations are disabled for bash tool\nhint: Network is off for commands. An operator can allow it with sandbox.network, or turn this early check off with sandbox.network_guard.",
        ),
        fails(
            "what is no program",
            json!({"cmd": "./notes.txt", "args": []}),
            Denied,
            "permission_denied",
            "./notes.txt is not executable.",
        ),
        fails(
            "an exit code",
            json!({"cmd": "sh", "args": ["-c", "exit 7"]}),
            Failed,
            "command_failed",
            "Command failed with exit code 7",
        )
        .telling_times(),
        fails(
            "too much output",
            json!({"cmd": "yes", "args": []}),
            Failed,
            "limit_output",
            "Command was stopped: it wrote more than 1000 bytes.",
        )
        .limit("max_total_output_bytes", 1_000)
        .telling_times(),
        fails(
            "no end",
            json!({"cmd": "sleep", "args": ["60"], "timeout": 0.1}),
            Timeout,
            "timeout",
            "Command timed out after 100ms\nhint: The effect may have happened; check before trying again.",
        )
        .telling_times(),
        fails(
            "no time",
            json!({"cmd": "true", "timeout": 0}),
            InvalidArgs,
            "invalid_args",
            "timeout must be positive.\n/timeout: expected seconds above 0, at most 3600, got 0 seconds; timeout must be positive.",
        ),
        gives(
            "words as they are",
            json!({"cmd": "echo", "args": ["$HOME", "*", "a;b"]}),
            json!({"stdout": "$HOME * a;b\n"}),
        ),
        fails(
            "a line",
            json!({"cmd": "echo hello"}),
            NotFound,
            "command_not_found",
            "Command not found: echo hello.\nhint: cmd is one executable: put the rest in args, or use run_command.",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let kit = shell_kit(TOOL.setting()).build();
    let (sandbox, ctx) = (&commands::sandbox(&kit), &ToolContext::empty());
    let output =
        effects::block_on(bash("true", Vec::new(), Path::new("."), None, true, false, sandbox, None, ctx))
            .unwrap();
    assert_eq!(output.data()["exit_code"], 0);
}

// covers: 2
#[test]
fn its_examples_run() {
    proofs::examples_run(&TOOL);
}

// covers: 3
#[test]
fn its_cases_hold() {
    proofs::cases_hold(&TOOL);
}

// covers: 5
#[test]
fn every_surface_tells_the_same() {
    proofs::every_surface_tells_the_same(&TOOL);
}

// covers: 12
#[test]
fn help_names_everything() {
    proofs::help_names_everything(&TOOL);
}

// covers: 4
#[test]
fn its_bounds_hold() {
    let timed = |seconds: f64| {
        let mut args = json!({"cmd": "true"});
        args["timeout"] = json!(seconds);
        args
    };
    let placed = |cwd: String| {
        let mut args = json!({"cmd": "true"});
        args["cwd"] = json!(cwd);
        args
    };
    let bounds: [refusals::Bound; _] = [
        (json!({"cmd": "true", "args": vec!["x"; 128]}), &[], None),
        (json!({"cmd": "true", "args": vec!["x"; 129]}), &[], Some("invalid_args")),
        (json!({"cmd": "true", "args": ["é".repeat(8_187)]}), &[], None),
        (json!({"cmd": "true", "args": ["é".repeat(8_188)]}), &[], Some("invalid_args")),
        (json!({"cmd": "true", "args": ["a\0b"]}), &[], Some("invalid_args")),
        (json!({"cmd": "true", "args": ["a\r\nb", "größe", ""]}), &[], None),
        (timed(3_600.0), &[], None),
        (timed(3_600.001), &[], Some("invalid_args")),
        (timed(-1.0), &[], Some("invalid_args")),
        (timed(6.0), &[("max_timeout_seconds", 6)], None),
        (timed(7.0), &[("max_timeout_seconds", 6)], Some("invalid_args")),
        (placed(format!("{}.", "./".repeat(511))), &[], None),
        (placed("./".repeat(513)), &[], Some("invalid_args")),
        (placed(String::new()), &[], Some("path_invalid")),
    ];
    refusals::bounds_hold(&TOOL, &bounds);
}

// covers: 6
#[test]
fn its_effects_are_told_truly() {
    let behavior = TOOL.def().behavior;
    assert!(behavior.side_effect && behavior.destructive && behavior.open_world && !behavior.idempotent);
    let kit = TOOL.recipe(TOOL.setting()).build();
    let run = |args| kit.call_blocking(TOOL.tool, args).unwrap();
    run(json!({"cmd": "cat", "args": ["notes.txt"]}));
    assert_eq!(place(&kit).files(), files());
    for length in [2, 4] {
        run(json!({"cmd": "sh", "args": ["-c", "echo x >> log"]}));
        assert_eq!(place(&kit).files().file("log").unwrap().len(), length);
    }
    run(json!({"cmd": "rm", "args": ["notes.txt"]}));
    assert_eq!(place(&kit).files().file("notes.txt"), None);
    kit.script().forgive();
}

// covers: 7
#[test]
fn no_fault_leaves_half() {
    effects::no_fault_leaves_half(&TOOL, &json!({"cmd": "rm", "args": ["notes.txt"]}), 1);
    commands::without_a_sandbox_nothing_runs(&TOOL, &json!({"cmd": "rm", "args": ["notes.txt"]}));
    commands::each_way_to_fail_is_told(&TOOL, "ls", &json!({"cmd": "ls", "timeout": 5}));
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"cmd": "rm", "args": ["notes.txt"]}), 1);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told_with_what_it_wrote() {
    commands::a_cancelled_command_tells_what_it_wrote(
        &TOOL,
        &json!({"cmd": "sh", "args": ["-c", "echo partial; touch written; exec sleep 60"]}),
    );
    let error = TOOL
        .result(&json!({"cmd": "sh", "args": ["-c", "echo partial; exec sleep 60"], "timeout": 2}))
        .unwrap_err();
    assert_eq!((error.kind(), &error.details()["stdout"]), (Timeout, &json!("partial\n")), "{error:?}");
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(
        &TOOL,
        &json!({"cmd": "true", "args": ["x".repeat(8_193)]}),
        &[],
        "invalid_args",
    );
    let setting = Setting { limits: vec![("max_stream_bytes", 1_000)], ..TOOL.setting() };
    let args = json!({"cmd": "sh", "args": ["-c", "printf a; printf '%010000d' 0; printf b; echo err >&2"]});
    let data = TOOL.call(setting, &args).1.unwrap().data();
    assert_eq!((&data["stdout_bytes"], &data["truncated"]), (&json!(10_002), &json!(["stdout"])));
    let text = data["stdout"].as_str().unwrap();
    assert!(
        text.len() < 1_200 && text.starts_with("a0") && text.ends_with("0b") && text.contains("9002"),
        "{text}"
    );
    assert_eq!(data["stderr"], "err\n");
}

// covers: 11
#[test]
fn what_echo_is_given_is_what_it_prints() {
    for words in
        [vec!["a  b", "c"], vec!["$HOME", "`id`", "'"], vec!["größe", "\\", "*"], vec!["-e", "a;b|c>d"]]
    {
        let mut args = vec!["%s\\n"];
        args.extend(&words);
        let data = TOOL.result(&json!({"cmd": "printf", "args": args})).unwrap().data();
        let lines: Vec<&str> = data["stdout"].as_str().unwrap().lines().collect();
        assert_eq!(lines, words);
    }
}

// covers: 13
#[test]
fn no_attack_gets_through() {
    let setting = || Setting { prepare: Some(crate::common::hostile), ..TOOL.setting() };
    for script in [
        "cat outside/secret.txt",
        "echo x > outside/new",
        "cat ../*.beside/secret.txt",
        "echo x > .git/hooks/pre-commit",
        "cat .netrc",
    ] {
        let mut args = json!({"cmd": "sh", "check": false});
        args["args"] = json!(["-c", script]);
        let (kit, result) = TOOL.call(setting(), &args);
        let beside = place(&kit).beside();
        assert_eq!(std::fs::read_dir(&beside).unwrap().count(), 1, "{script}");
        assert!(!place(&kit).root().join(".git/hooks/pre-commit").exists(), "{script}");
        let data = result.unwrap().data();
        assert!(data["exit_code"] != 0 || data["stdout"] == "", "{script}: {data}");
        assert!(!data.to_string().contains(crate::common::CANARY), "{script}: {data}");
    }
    let (_, twin) = TOOL.call(setting(), &json!({"cmd": "cat", "args": ["d/e.txt"]}));
    assert_eq!(twin.unwrap().data()["stdout"], "below\n");
}

// covers: 14
#[test]
fn a_call_in_doubt_is_left_to_a_person() {
    commands::a_call_in_doubt_is_left_to_a_person(
        &TOOL,
        &json!({"cmd": "sh", "args": ["-c", "echo x >> log.txt; exec sleep 60"], "timeout": 2}),
    );
}
