//! What a caller is told.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::{Value, json};
use tool_std::sandbox::{Command, SandboxPolicy, Stop};

use crate::support::Bench;

#[tokio::test]
async fn what_a_shell_would_do_is_refused_by_words_and_done_by_a_shell() {
    let bench = Bench::new();
    fs::write(bench.root().join("f"), "f\n").unwrap();
    for (line, position) in
        [("ls | wc -l", 4), ("ls *.rs", 4), ("A=1 env", 2), ("echo $HOME", 6), ("cat < f", 5)]
    {
        let error = bench.call("run_command", json!({"command": line})).await.unwrap_err();
        assert_eq!(
            (error.code_str(), &error.details()["position"]),
            ("shell_syntax", &json!(position)),
            "{line}"
        );
        let result = bench.call("run_command", json!({"command": line, "shell": true})).await;
        assert!(result.is_ok(), "{line}");
    }
    let result = bench.call("bash", json!({"cmd": "echo", "args": ["$HOME", "*", "a;b"]})).await.unwrap();
    assert_eq!(result.data()["stdout"], "$HOME * a;b\n");
    let error = bench.call("bash", json!({"cmd": "echo hello"})).await.unwrap_err();
    assert_eq!(error.code_str(), "command_not_found");
    assert!(error.hint_str().unwrap().starts_with("cmd is one executable"));
}

#[tokio::test]
async fn a_directory_a_file_and_a_script_without_a_mode_are_told_apart() {
    let bench = Bench::new();
    fs::create_dir(bench.root().join("sub")).unwrap();
    fs::write(bench.root().join("file"), "#!/bin/sh\npwd\n").unwrap();
    let call = |cmd: &str, cwd: &str| {
        let args = json!({"cmd": cmd, "cwd": cwd});
        let bench = &bench;
        async move { bench.call("bash", args).await }
    };
    let refused = |outcome: tool_core::ToolResult| {
        let error = outcome.unwrap_err();
        (error.code_str().to_owned(), error.message().to_owned())
    };
    let expected = |code: &str, text: &str| (code.to_owned(), text.to_owned());
    assert_eq!(refused(call("pwd", "no").await), expected("path_not_found", "cwd no does not exist."));
    assert_eq!(
        refused(call("pwd", "file").await),
        expected("not_a_directory", "cwd file is not a directory.")
    );
    assert_eq!(refused(call("pwd", "..").await).0, "path_escape");
    assert_eq!(
        refused(call("./file", ".").await),
        expected("permission_denied", "./file is not executable.")
    );
    fs::set_permissions(bench.root().join("file"), fs::Permissions::from_mode(0o755)).unwrap();
    let result = call("../file", "sub").await.unwrap().data();
    assert!(result["stdout"].as_str().unwrap().ends_with("/root/sub\n"));
}

#[tokio::test]
async fn long_output_keeps_its_head_and_tail_and_the_other_stream_is_whole() {
    let bench = Bench::new();
    let result = bench.sh("yes | head -c 1000000; echo err >&2").await;
    assert_eq!((&result["stdout_bytes"], &result["stderr"]), (&json!(1_000_000), &json!("err\n")));
    assert_eq!(result["truncated"], json!(["stdout"]));
    assert!(result["stdout"].as_str().unwrap().contains("[... 800000 bytes omitted ...]"));
}

#[tokio::test]
async fn a_limit_out_of_its_range_is_refused_at_the_start() {
    let mut policy = SandboxPolicy::default();
    policy.limits.max_stream_bytes = 10_485_761;
    let error = Bench::try_at(Bench::directory(), policy.clone()).err().unwrap();
    assert_eq!(
        (error.code_str(), error.message()),
        ("limit_out_of_range", "max_stream_bytes exceeds 10485760.")
    );
    policy.limits.max_stream_bytes = 10_485_760;
    assert!(Bench::try_at(Bench::directory(), policy).is_ok());
}

#[tokio::test]
async fn the_whole_sandbox_is_gone_when_it_is_closed() {
    let before = mounts();
    {
        let bench = Bench::new();
        bench.sh("echo x > /tmp/x").await;
        let finished = bench.sandbox.run(Command::new("true", Duration::from_secs(5))).await.unwrap();
        assert_ne!(finished.stopped, Some(Stop::TimedOut));
    }
    assert_eq!(mounts(), before);
}

fn mounts() -> String {
    fs::read_to_string("/proc/self/mounts").unwrap()
}

#[test]
fn the_report_names_the_layers_of_each_guarantee() {
    let section: Value = Bench::new().sandbox.report().to_json();
    assert_eq!(section["mode"], "enforce");
    assert!(
        section["guarantees"]["network"].as_array().is_some_and(|layers| !layers.is_empty()),
        "{section}"
    );
    println!("{section:#}");
}

#[tokio::test]
async fn the_output_of_a_command_that_failed_or_took_too_long_is_told() {
    let bench = Bench::new();
    let script = "echo out; echo err >&2; exit 7";
    let error = bench.call("bash", json!({"cmd": "sh", "args": ["-c", script]})).await.unwrap_err();
    assert_eq!((error.code_str(), error.message()), ("command_failed", "Command failed with exit code 7"));
    for (field, value) in [("exit_code", json!(7)), ("stdout", json!("out\n")), ("stderr", json!("err\n"))] {
        assert_eq!(error.details()[field], value, "{field}");
    }
    for check in [false, true] {
        let args = json!({"command": script, "shell": true, "check": check});
        match bench.call("run_command", args).await {
            Ok(output) => assert_eq!((output.data()["exit_code"].clone(), check), (json!(7), false)),
            Err(error) => assert_eq!((error.code_str(), check), ("command_failed", true)),
        }
    }
    let args = json!({"cmd": "sh", "args": ["-c", "echo partial; sleep 5"], "timeout": 0.1});
    let error = bench.call("bash", args).await.unwrap_err();
    assert_eq!((error.kind().as_str(), &error.details()["stdout"]), ("timeout", &json!("partial\n")));
}

#[tokio::test]
async fn rust_code_gives_a_command_a_secret_and_variables_that_operators_may_not() {
    let bench = Bench::new();
    let secret = tool_core::Secret::new("hush-4411");
    let show =
        || Command::new("sh", Duration::from_secs(20)).args(["-c", "echo \"[$TOKEN] [$GIT_ASKPASS]\""]);
    let given = show().secret_env("TOKEN", &secret).env_trusted("GIT_ASKPASS", "/bin/true");
    assert!(!format!("{given:?}").contains("hush"), "{given:?}");
    assert_eq!(bench.sandbox.run(given).await.unwrap().stdout.text, "[hush-4411] [/bin/true]\n");
    assert_eq!(bench.sandbox.run(show()).await.unwrap().stdout.text, "[] []\n");
    let policy = SandboxPolicy {
        env: [("GIT_ASKPASS".to_owned(), "/bin/true".to_owned())].into_iter().collect(),
        ..SandboxPolicy::default()
    };
    let error = Bench::try_at(Bench::directory(), policy).err().unwrap();
    assert_eq!((error.kind().as_str(), error.code_str()), ("not_configured", "env_refused"));
}
