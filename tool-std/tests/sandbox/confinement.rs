//! What holds with every layer, and what works inside.

use std::net::TcpListener;

use serde_json::json;
use tool_std::sandbox::{Mode, Network, NetworkGuard, SandboxPolicy};

use crate::attack::{PYTHON, broken, has_python, without_in};
use crate::support::{Bench, has_program};

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
        ("python3", "/usr/bin/python3 -c 1"),
        (
            "python3",
            "/usr/bin/python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); assert b.recv(1) == b\"x\"'",
        ),
        ("cargo", "cargo --version"),
    ] {
        // Toolchains are in the home directory of who installed them.
        let is_own = program != "cargo" || rustix::process::geteuid().is_root();
        if is_own && has_program(program) {
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
