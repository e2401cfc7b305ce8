//! `run_command`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs, NotFound, Timeout};
use tool_core::ToolContext;
use tool_std::shell::run_command;

use crate::commands::{self, shell_kit};
use crate::common::{Case, Setting, Subject, fails, files, gives, place};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "run_command",
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
        "shell_syntax",
        "unbalanced_quote",
    ],
    varying: &["/duration_ms", "/cpu_ms", "/max_rss_bytes"],
    kit: shell_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives(
            "a program",
            json!({"command": "echo a"}),
            json!({"exit_code": 0, "signal": null, "stdout": "a\n", "stderr": "", "stdout_bytes": 2, "truncated": [], "lossy": []}),
        ),
        gives(
            "in another directory",
            json!({"command": "ls", "cwd": "src"}),
            json!({"stdout": "main.rs\nparser\n"}),
        ),
        gives(
            "whatever its exit code",
            json!({"command": "echo out; echo err >&2; exit 7", "shell": true}),
            json!({"exit_code": 7, "stdout": "out\n", "stderr": "err\n"}),
        ),
        gives(
            "a signal",
            json!({"command": "kill -KILL $$", "shell": true}),
            json!({"exit_code": null, "signal": "SIGKILL"}),
        ),
        gives("no input", json!({"command": "cat"}), json!({"exit_code": 0, "stdout": ""})),
        gives(
            "what is no text",
            json!({"command": "printf '\\377'", "shell": true}),
            json!({"lossy": ["stdout"], "stdout_bytes": 1}),
        ),
        fails(
            "words of another kind",
            json!({"command": 5.5, "cwd": []}),
            InvalidArgs,
            "invalid_args",
            "2 arguments do not fit.\n/command: expected string, got number 5.5; send it in quotes\n/cwd: expected string, got array of 0 items",
        ),
        fails(
            "a blank",
            json!({"command": " "}),
            InvalidArgs,
            "invalid_args",
            "command must be a non-empty string.\n/command: expected a text that is not blank, got a blank text; command must be a non-empty string.",
        ),
        fails(
            "no such program",
            json!({"command": "no-such-program"}),
            NotFound,
            "command_not_found",
            "Command not found: no-such-program.",
        ),
        fails(
            "no such directory",
            json!({"command": "true", "cwd": "gone"}),
            NotFound,
            "path_not_found",
            "cwd gone does not exist.",
        ),
        fails(
            "in a file",
            json!({"command": "true", "cwd": "notes.txt"}),
            Failed,
            "not_a_directory",
            "cwd notes.txt is not a directory.",
        ),
        fails(
            "above the root",
            json!({"command": "true", "cwd": "../a"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "the network",
            json!({"command": "curl https://example.com"}),
            Denied,
            "network_denied",
            "Network access is disabled for run_command tool\nhint: Network is off for commands. An operator can allow it with sandbox.network, or turn this early check off with sandbox.network_guard.",
        ),
        fails(
            "a remote",
            json!({"command": "git push"}),
            Denied,
            "git_remote_denied",
            "Git remote operations are disabled for run_command tool\nhint: Network is off for commands. An operator can allow it with sandbox.network, or turn this early check off with sandbox.network_guard.",
        ),
        fails(
            "what is no program",
            json!({"command": "./notes.txt"}),
            Denied,
            "permission_denied",
            "./notes.txt is not executable.",
        ),
        fails(
            "an exit code",
            json!({"command": "exit 7", "shell": true, "check": true}),
            Failed,
            "command_failed",
            "Command failed with exit code 7",
        )
        .telling_times(),
        fails(
            "too much output",
            json!({"command": "yes"}),
            Failed,
            "limit_output",
            "Command was stopped: it wrote more than 1000 bytes.",
        )
        .limit("max_total_output_bytes", 1_000)
        .telling_times(),
        fails(
            "no end",
            json!({"command": "sleep 60", "timeout": 0.1}),
            Timeout,
            "timeout",
            "Command timed out after 100ms\nhint: The effect may have happened; check before trying again.",
        )
        .telling_times(),
        fails(
            "no time",
            json!({"command": "true", "timeout": 0}),
            InvalidArgs,
            "invalid_args",
            "timeout must be positive.\n/timeout: expected seconds above 0, at most 3600, got 0 seconds; timeout must be positive.",
        ),
        fails(
            "a pipe of a shell",
            json!({"command": "ls | wc"}),
            InvalidArgs,
            "shell_syntax",
            "\"|\" at character 4 needs a shell.\nhint: Set shell = true, or quote it to pass it as it is.",
        ),
        fails(
            "an open quote",
            json!({"command": "echo \"a"}),
            InvalidArgs,
            "unbalanced_quote",
            "The \" at character 6 is never closed.",
        ),
        gives("quotes", json!({"command": "echo 'a  b' \"*\""}), json!({"stdout": "a  b *\n"})),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let kit = shell_kit(TOOL.setting()).build();
    let (sandbox, ctx) = (&commands::sandbox(&kit), &ToolContext::empty());
    let output =
        effects::block_on(run_command("true", false, Path::new("."), None, true, false, sandbox, None, ctx))
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
        let mut args = json!({"command": "true"});
        args["timeout"] = json!(seconds);
        args
    };
    let placed = |cwd: String| {
        let mut args = json!({"command": "true"});
        args["cwd"] = json!(cwd);
        args
    };
    let bounds: [refusals::Bound; _] = [
        (json!({"command": format!("true {}", "é".repeat(8_187))}), &[], None),
        (json!({"command": format!("true {}", "é".repeat(8_188))}), &[], Some("invalid_args")),
        (json!({"command": "true a\0b"}), &[], Some("invalid_args")),
        (json!({"command": format!("true{}", " x".repeat(128))}), &[], None),
        (json!({"command": format!("true{}", " x".repeat(129))}), &[], Some("invalid_args")),
        (json!({"command": "true größe ''"}), &[], None),
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
    run(json!({"command": "cat notes.txt"}));
    assert_eq!(place(&kit).files(), files());
    for length in [2, 4] {
        run(json!({"command": "echo x >> log", "shell": true}));
        assert_eq!(place(&kit).files().file("log").unwrap().len(), length);
    }
    run(json!({"command": "rm notes.txt"}));
    assert_eq!(place(&kit).files().file("notes.txt"), None);
    kit.script().forgive();
}

// covers: 7
#[test]
fn no_fault_leaves_half() {
    effects::no_fault_leaves_half(&TOOL, &json!({"command": "rm notes.txt"}), 1);
    commands::without_a_sandbox_nothing_runs(&TOOL, &json!({"command": "rm notes.txt"}));
    commands::each_way_to_fail_is_told(&TOOL, "ls", &json!({"command": "ls", "timeout": 5}));
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"command": "rm notes.txt"}), 1);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told_with_what_it_wrote() {
    commands::a_cancelled_command_tells_what_it_wrote(
        &TOOL,
        &json!({"command": "echo partial; touch written; exec sleep 60", "shell": true}),
    );
    let error = TOOL
        .result(&json!({"command": "echo partial; exec sleep 60", "shell": true, "timeout": 2}))
        .unwrap_err();
    assert_eq!((error.kind(), &error.details()["stdout"]), (Timeout, &json!("partial\n")), "{error:?}");
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(&TOOL, &json!({"command": "x".repeat(8_193)}), &[], "invalid_args");
    let setting = Setting { limits: vec![("max_stream_bytes", 1_000)], ..TOOL.setting() };
    let args = json!({"command": "printf a; printf '%010000d' 0; printf b; echo err >&2", "shell": true});
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
fn quoting_words_and_splitting_them_gives_them_back() {
    for words in
        [vec!["a  b", "c"], vec!["$HOME", "`id`", "'"], vec!["größe", "\\", "*"], vec!["-e", "a;b|c>d"]]
    {
        let quoted: Vec<String> =
            words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
        let line = format!("printf '%s\\n' {}", quoted.join(" "));
        for shell in [false, true] {
            let data = TOOL.result(&json!({"command": line, "shell": shell})).unwrap().data();
            let lines: Vec<&str> = data["stdout"].as_str().unwrap().lines().collect();
            assert_eq!(lines, words, "{line}");
        }
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
        let mut args = json!({"shell": true});
        args["command"] = json!(script);
        let (kit, result) = TOOL.call(setting(), &args);
        let beside = place(&kit).beside();
        assert_eq!(std::fs::read_dir(&beside).unwrap().count(), 1, "{script}");
        assert!(!place(&kit).root().join(".git/hooks/pre-commit").exists(), "{script}");
        let data = result.unwrap().data();
        assert!(data["exit_code"] != 0 || data["stdout"] == "", "{script}: {data}");
        assert!(!data.to_string().contains(crate::common::CANARY), "{script}: {data}");
    }
    let (_, twin) = TOOL.call(setting(), &json!({"command": "cat d/e.txt"}));
    assert_eq!(twin.unwrap().data()["stdout"], "below\n");
}

// covers: 14
#[test]
fn a_call_in_doubt_is_left_to_a_person() {
    commands::a_call_in_doubt_is_left_to_a_person(
        &TOOL,
        &json!({"command": "echo x >> log.txt; exec sleep 60", "shell": true, "timeout": 2}),
    );
}
