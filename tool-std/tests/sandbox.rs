//! The process sandbox on this machine, with real programs as attackers. Each refusal has its twin.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stdout)]

mod support;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command as Program;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Bench, has_program, load_factor, skip};
use tool_core::{Call, Caller, ToolContext};
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Command, End, Mode, Network, NetworkGuard, Sandbox, SandboxPolicy, Stop};
use tool_std::{Workspace, WorkspacePolicy};

const ATTACKER: &str = include_str!("support/attacker.py");
const PYTHON: &str = "/usr/bin/python3";

fn without(layers: &[Layer]) -> SandboxPolicy {
    SandboxPolicy { missing: layers.to_vec(), ..SandboxPolicy::default() }
}

fn without_in(mode: Mode, layers: &[Layer]) -> SandboxPolicy {
    SandboxPolicy { mode, ..without(layers) }
}

fn has_python() -> bool {
    let found = std::path::Path::new(PYTHON).exists();
    if !found {
        skip("no python3 in /usr/bin");
    }
    found
}

/// What an attacker in the sandbox got through.
async fn broken(policy: SandboxPolicy) -> Vec<String> {
    let bench = Bench::with(policy);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    fs::write(bench.out().join("file"), "secret").unwrap();
    let port = listener.local_addr().unwrap().port();
    let agent = std::process::id();
    let args = json!(["-c", ATTACKER, bench.out().to_str().unwrap(), agent.to_string(), port.to_string()]);
    let args = json!({"cmd": PYTHON, "args": args, "check": false});
    let result = bench.call("bash", args).await.unwrap().data();
    assert_eq!(result["exit_code"], 0, "{result}");
    assert_eq!(fs::read_to_string(bench.root().join("inside")).unwrap(), "written");
    result["stdout"].as_str().unwrap().lines().map(str::to_owned).collect()
}

// ---- what holds with every layer ----------------------------------------------------------------------------------------

#[tokio::test]
async fn no_attempt_of_the_attacker_gets_through_and_the_workspace_is_written() {
    if has_python() {
        assert_eq!(broken(SandboxPolicy::default()).await, [""; 0]);
    }
}

#[tokio::test]
async fn without_confinement_the_same_attacker_gets_through() {
    if !has_python() {
        return;
    }
    let through = broken(without_in(Mode::Off, &[])).await;
    for attempt in ["write_outside", "change_mode", "connect", "socket_inet", "socket_unix", "signal_program"]
    {
        assert!(through.contains(&attempt.to_owned()), "{attempt} of {through:?}");
    }
}

#[tokio::test]
async fn usual_programs_work() {
    let bench = Bench::new();
    for (program, script) in [
        (
            "git",
            "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git status",
        ),
        ("bash", "bash -c 'echo a | tr a b; [[ -w . ]]'"),
        ("cc", "echo 'int main(void){return 0;}' > a.c && cc a.c && ./a.out"),
        ("perl", "perl -e 'fork; 1'"),
    ] {
        if has_program(program) {
            let result = bench.sh(script).await;
            assert_eq!(result["exit_code"], 0, "{program}: {result}");
        }
    }
}

#[tokio::test]
async fn a_command_sees_its_own_environment_and_no_other_process() {
    let bench = Bench::new();
    let result = bench.sh("env").await;
    let text = result["stdout"].as_str().unwrap().to_owned();
    let allowed = [
        "LANG",
        "LANGUAGE",
        "LC_",
        "TZ",
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "NODE_",
        "SSL_CERT_",
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "TMPDIR",
        "PWD",
        "TOOLBOX_SANDBOX",
        "_=",
        "OLDPWD",
        "SHLVL",
    ];
    for line in text.lines() {
        assert!(allowed.iter().any(|name| line.starts_with(name)), "{line}");
    }
    let result = bench.sh("cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; ls -l /proc/*/fd").await;
    let seen = result["stdout"].as_str().unwrap();
    assert!(!seen.contains("CARGO_PKG_NAME") && !seen.contains("sandbox-"), "{seen}");
    assert!(std::env::var("CARGO_PKG_NAME").is_ok() || std::env::var("CARGO").is_err());
}

#[tokio::test]
async fn the_network_is_off_and_its_twins_are_on() {
    if !has_python() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("import socket; socket.create_connection(('127.0.0.1', {port}), 2)");
    let serve = "import socket as s; a = s.create_server(('127.0.0.1', 0)); \
                 b = s.create_connection(a.getsockname()); c, _ = a.accept(); b.send(b'x'); print(c.recv(1))";
    let with = |network| SandboxPolicy {
        network,
        network_guard: Some(NetworkGuard::Off),
        ..SandboxPolicy::default()
    };
    for (network, reaches_host, serves_itself) in
        [(Network::Deny, false, false), (Network::Loopback, false, true), (Network::Allow, true, true)]
    {
        let bench = Bench::with(with(network));
        let run = |script: String| {
            let args = json!({"cmd": PYTHON, "args": ["-c", script], "check": false});
            let bench = &bench;
            async move { bench.call("bash", args).await.unwrap().data() }
        };
        let result = run(connect.clone()).await;
        assert_eq!(result["exit_code"] == 0, reaches_host, "{network:?} {result}");
        let result = run(serve.to_owned()).await;
        assert_eq!(result["exit_code"] == 0, serves_itself, "{network:?} {result}");
    }
}

#[tokio::test]
async fn a_failure_that_blames_the_network_says_that_it_is_off() {
    let bench = Bench::new();
    let script = "echo 'could not resolve host' >&2; exit 6";
    let error = bench.call("bash", json!({"cmd": "sh", "args": ["-c", script]})).await.unwrap_err();
    assert_eq!(error.hint_str(), Some("Network is off for commands."));
    let error = bench.call("bash", json!({"cmd": "sh", "args": ["-c", "exit 6"]})).await.unwrap_err();
    assert_eq!(error.hint_str(), None);
}

// ---- protected names ----------------------------------------------------------------------------------------------------

#[tokio::test]
async fn protected_names_are_covered_or_frozen_and_their_neighbours_are_not() {
    let bench = Bench::new();
    let root = bench.root();
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    fs::create_dir_all(root.join(".aws")).unwrap();
    for (name, text) in [
        (".netrc", "password"),
        (".bashrc", "set"),
        (".git/config", "[core]"),
        (".aws/credentials", "key"),
        ("a", "a"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    for (script, works) in [
        ("grep -q password .netrc", false),
        ("grep -q key .aws/credentials", false),
        ("echo x >> .netrc", false),
        ("echo x >> .bashrc", false),
        ("rm .bashrc", false),
        ("grep -q set .bashrc", true),
        ("echo x >> .git/config", false),
        ("grep -q core .git/config", true),
        ("echo x > .git/hooks/pre-commit", false),
        ("echo x > .git/description", true),
        ("echo x >> a", true),
        ("test -s /etc/shadow", false),
        ("test -s /etc/passwd", true),
    ] {
        assert_eq!(bench.sh(script).await["exit_code"] == 0, works, "{script}");
    }
    assert_eq!(fs::read_to_string(root.join(".netrc")).unwrap(), "password");
}

#[tokio::test]
async fn a_protected_name_that_a_command_makes_is_moved_away_and_what_is_harmless_stays() {
    let away = tempfile::tempdir().unwrap();
    let policy = SandboxPolicy { quarantine: Some(away.path().into()), ..SandboxPolicy::default() };
    let bench = Bench::with(policy);
    for (script, gone, stays) in [
        ("echo 'touch x' > .envrc; echo ok > a", Some(".envrc"), "a"),
        ("mkdir .vscode && echo x > .vscode/tasks.json", Some(".vscode"), "a"),
        ("ln -s /etc/passwd .mcp.json", Some(".mcp.json"), "a"),
        ("git init -q . && echo x > .git/hooks/pre-commit.sample", None, ".git/config"),
        ("git init -q sub && echo ok > sub/.git/x", None, "sub/.git/x"),
    ] {
        if script.starts_with("git") && !has_program("git") {
            continue;
        }
        let args = json!({"cmd": "sh", "args": ["-c", script]});
        let outcome = bench.call("bash", args).await;
        match (gone, outcome) {
            (Some(name), Err(error)) => {
                assert_eq!(error.code_str(), "protected_path", "{script}: {error:?}");
                assert_eq!(error.details()["exit_code"], 0);
                assert_eq!(error.details()["quarantined"], json!([name]));
                assert!(bench.root().join(name).symlink_metadata().is_err());
            }
            (None, Ok(_)) => {}
            (_, outcome) => panic!("{script}: {outcome:?}"),
        }
        assert!(bench.root().join(stays).exists(), "{script}");
    }
    assert_eq!(fs::read_dir(away.path()).unwrap().count(), 3);
}

#[tokio::test]
async fn a_hook_or_a_program_in_a_git_directory_that_the_command_made_is_moved_away() {
    if !has_program("git") {
        return;
    }
    for (script, gone) in [
        ("git init -q . && git config core.pager x", ".git/config"),
        ("git init -q . && echo x > .git/hooks/pre-commit", ".git/hooks/pre-commit"),
        ("mv .git .g && git init -q . && git config alias.x '!y'", ".git/config"),
    ] {
        let away = tempfile::tempdir().unwrap();
        let policy = SandboxPolicy { quarantine: Some(away.path().into()), ..SandboxPolicy::default() };
        let bench = Bench::with(policy);
        if script.starts_with("mv") {
            assert_eq!(bench.sh("git init -q .").await["exit_code"], 0);
        }
        let error = bench.call("bash", json!({"cmd": "sh", "args": ["-c", script]})).await.unwrap_err();
        assert_eq!(error.details()["quarantined"], json!([gone]), "{script}: {error:?}");
        assert!(!bench.root().join(gone).exists());
    }
}

// ---- the end ------------------------------------------------------------------------------------------------------------

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
        for script in STRAYS {
            let started = Instant::now();
            let result = bench.sh(script).await;
            assert_eq!(result["stdout"], "done\n", "{script} {:?}", policy.missing);
            assert_eq!(result["strays"], 1, "{script} {:?}", policy.missing);
            assert!(started.elapsed() < Duration::from_secs(1) * load_factor(), "{script}");
            assert!(!bench.has_survivors(), "{script} {:?}", policy.missing);
        }
    }
}

#[tokio::test]
async fn a_timeout_ends_the_whole_tree() {
    for policy in [SandboxPolicy::default(), without(&[Layer::Pidns])] {
        let bench = Bench::with(policy);
        let script = "trap '' TERM; setsid sleep 60 & echo in; sleep 60";
        let args = json!({"cmd": "sh", "args": ["-c", script], "timeout": 0.2});
        let error = bench.call("bash", args).await.unwrap_err();
        assert_eq!((error.code_str(), error.message()), ("timeout", "Command timed out after 200ms"));
        assert_eq!(error.details()["stdout"], "in\n");
        assert!(!bench.has_survivors());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_cancelled_at_any_moment_has_one_result_and_leaves_nothing() {
    let bench = Bench::new();
    let executor = Arc::new(support::executor());
    for round in 0..40_u64 {
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
async fn a_dropped_call_ends_its_command() {
    let bench = Bench::new();
    let command = Command::new("sleep", Duration::from_secs(60)).args(["60"]);
    let outcome = tokio::time::timeout(Duration::from_millis(200), bench.sandbox.run(command)).await;
    assert!(outcome.is_err());
    assert!(!bench.has_survivors());
}

// ---- limits -------------------------------------------------------------------------------------------------------------

#[tokio::test]
async fn bombs_end_with_their_code_and_the_program_goes_on() {
    let mut policy = SandboxPolicy::default();
    policy.limits.max_memory_bytes = 256 * 1_024 * 1_024;
    policy.limits.max_total_output_bytes = 8 * 1_024 * 1_024;
    let bench = Bench::with(policy);
    let bomb = json!({"cmd": "bash", "args": ["-c", ":(){ :|:& };:"], "timeout": 2, "check": false});
    let _ = bench.call("bash", bomb).await;
    assert!(Program::new("true").status().unwrap().success());
    assert!(!bench.has_survivors());
    let error = bench.call("bash", json!({"cmd": "yes"})).await.unwrap_err();
    assert_eq!(error.code_str(), "limit_output");
    assert!(error.message().contains("8388608 bytes"));
    if has_python() {
        let script = "x = bytearray(1 << 30)";
        let error = bench.call("bash", json!({"cmd": PYTHON, "args": ["-c", script]})).await.unwrap_err();
        assert_eq!(error.code_str(), "command_failed");
        let script = "x = bytearray(1 << 24)";
        assert!(bench.call("bash", json!({"cmd": PYTHON, "args": ["-c", script]})).await.is_ok());
    }
}

#[tokio::test]
async fn too_many_processes_are_counted_where_nothing_better_limits_them() {
    let mut policy = without(&[Layer::PidMax, Layer::Cgroup]);
    policy.limits.max_processes = 20;
    let bench = Bench::with(policy);
    let script = "i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done; wait";
    let args = json!({"cmd": "sh", "args": ["-c", script], "timeout": 10});
    let error = bench.call("bash", args).await.unwrap_err();
    let expected = if rustix::process::getuid().is_root() { "limit_processes" } else { "command_failed" };
    assert_eq!(error.code_str(), expected, "{error:?}");
    assert!(!bench.has_survivors());
    assert_eq!(bench.sh("sleep 0.01 & wait").await["exit_code"], 0);
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
async fn a_limit_of_cpu_ends_a_spin() {
    let bench = Bench::new();
    let script = "ulimit -t 1; while :; do :; done";
    let error =
        bench.call("bash", json!({"cmd": "sh", "args": ["-c", script], "timeout": 10})).await.unwrap_err();
    assert!(["limit_cpu", "command_failed"].contains(&error.code_str()), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_commands_at_once_all_succeed() {
    let bench = Bench::new();
    let before = open_descriptors();
    let runs: Vec<_> = (0..1_000)
        .map(|_| {
            let sandbox = bench.sandbox.clone();
            tokio::spawn(async move { sandbox.run(Command::new("true", Duration::from_secs(60))).await })
        })
        .collect();
    for run in runs {
        assert_eq!(run.await.unwrap().unwrap().end, End::Exit(0));
    }
    assert!(open_descriptors() < before + 200, "descriptors leak");
}

fn open_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

// ---- fallbacks ----------------------------------------------------------------------------------------------------------

/// The rows of the table of fallbacks, as layers to force missing.
const ROWS: [&[Layer]; 9] = [
    &[Layer::Userns],
    &[Layer::Landlock],
    &[Layer::Seccomp],
    &[Layer::Pidns],
    &[Layer::Netns],
    &[Layer::Cgroup],
    &[Layer::PidMax],
    &[Layer::Cgroup, Layer::PidMax],
    &[Layer::Pidns, Layer::Cgroup],
];

/// What gets through though a guarantee holds: the gaps of each row.
fn is_gap(missing: &[Layer], attempt: &str) -> bool {
    let gaps: &[&str] = match missing {
        [Layer::Userns] => &["change_mode", "change_system_mode"],
        [Layer::Seccomp] => &[
            "io_uring",
            "clone_namespace",
            "clone3_namespace",
            "user_namespace",
            "foreign_number",
            "open_by_handle",
            "socket_inet",
            "socket_inet6",
            "socket_unix",
            "socket_netlink",
            "socket_alg",
            "socket_vsock",
        ],
        _ => &[],
    };
    gaps.contains(&attempt)
}

#[tokio::test]
async fn every_row_of_the_fallbacks_keeps_the_guarantees() {
    if !has_python() {
        return;
    }
    for row in ROWS {
        let through = broken(without(row)).await;
        let unexpected: Vec<_> = through.iter().filter(|attempt| !is_gap(row, attempt)).collect();
        assert!(unexpected.is_empty(), "{row:?}: {unexpected:?}");
    }
}

#[tokio::test]
async fn without_any_write_layer_commands_are_refused_and_best_effort_runs_and_says_so() {
    let missing = [Layer::Userns, Layer::Landlock];
    let bench = Bench::with(without(&missing));
    let error = bench.call("bash", json!({"cmd": "true"})).await.unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("denied", "sandbox_unavailable"));
    assert!(error.message().contains("no write isolation"), "{error}");
    assert_eq!(error.hint_str(), Some("toolbox doctor shows what is missing"));
    let bench = Bench::with(without_in(Mode::BestEffort, &missing));
    let result = bench.call("bash", json!({"cmd": "true"})).await.unwrap().data();
    assert_eq!(result["sandbox"]["level"], "none");
    assert!(result["sandbox"]["missing"][0].as_str().unwrap().starts_with("no write isolation"));
    let bench = Bench::new();
    assert!(bench.call("bash", json!({"cmd": "true"})).await.unwrap().data()["sandbox"]["missing"].is_null());
}

#[tokio::test]
async fn loopback_needs_a_network_namespace() {
    let policy = SandboxPolicy { network: Network::Loopback, ..without(&[Layer::Netns]) };
    let error = Bench::with(policy).call("bash", json!({"cmd": "true"})).await.unwrap_err();
    assert_eq!(error.code_str(), "sandbox_unavailable");
    let policy = SandboxPolicy { network: Network::Loopback, ..SandboxPolicy::default() };
    assert!(Bench::with(policy).call("bash", json!({"cmd": "true"})).await.is_ok());
}

#[tokio::test]
async fn a_program_without_init_starts_nothing() {
    let directory = Bench::directory();
    let workspace = Workspace::open(&directory.path().join("root"), WorkspacePolicy::default()).unwrap();
    let sandbox = Sandbox::open(SandboxPolicy::default(), &workspace).unwrap();
    let error = sandbox.run(Command::new("true", Duration::from_secs(1))).await.unwrap_err();
    assert_eq!(error.code_str(), "sandbox_unavailable");
    assert_eq!(error.message(), "Call tool_std::sandbox::init() first in main.");
}

/// Runs this file once more as `nobody`.
#[test]
fn everything_holds_for_an_unprivileged_user_too() {
    if !rustix::process::getuid().is_root() {
        return;
    }
    if !has_program("setpriv") {
        return;
    }
    let output = Program::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(std::env::current_exe().unwrap())
        .args(["--test-threads=2", "--skip", "everything_holds", "--skip", "an_administrator"])
        .env("HOME", "/nonexistent")
        .current_dir("/")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs the central promises where user namespaces are used up and the program may do without: as in many containers.
#[test]
fn an_administrator_without_user_namespaces_has_the_same_guarantees() {
    if !has_program("unshare") || !rustix::process::getuid().is_root() {
        return;
    }
    let script = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$0\" --test-threads=2 --nocapture the_report \
                  no_attempt nothing_outlives protected usual the_network";
    let output = Program::new("unshare")
        .args(["-Ur", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let missing = text.split("\"userns\"").nth(1).unwrap();
    assert!(missing.contains("\"ok\": false") && text.contains("\"mounts\""), "{text}");
}

// ---- results ------------------------------------------------------------------------------------------------------------

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
