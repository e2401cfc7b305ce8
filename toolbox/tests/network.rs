//! The network of commands through the whole program: the guard refuses early, the kernel refuses in any case, and the
//! settings file allows.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

/// A server on the loopback that answers anything, and how many came.
fn serve() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, count) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&count);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            counter.fetch_add(1, Ordering::SeqCst);
            let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
            let _ = stream.read(&mut [0; 512]);
            let _ = stream.write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    });
    (port, count)
}

fn toolbox(root: &Path, settings: &str, words: &[String]) -> Output {
    std::fs::write(root.join("settings.toml"), settings).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_toolbox"));
    program.arg("--root").arg(root).arg("--config").arg(root.join("settings.toml"));
    program.env("TOOLBOX_JOURNAL", "off");
    program.args(["--yes", "shell", "bash"]).args(words).output().unwrap()
}

#[test]
fn the_guard_and_the_kernel_refuse_what_the_settings_file_allows() {
    if !["/usr/bin/curl", "/usr/bin/python3"].iter().all(|program| Path::new(program).exists()) {
        return tool_trials::skip("curl and python3 are needed");
    }
    let root = tool_trials::directory();
    let (port, count) = serve();
    let script =
        format!("import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('connected')");
    let curl = ["--", "curl", "-sS", "-m", "5", &format!("http://127.0.0.1:{port}/")].map(str::to_owned);
    let python = json!({"cmd": "/usr/bin/python3", "args": ["-c", script]}).to_string();
    let python = ["--input".to_owned(), python];
    for (words, exit, code) in [(&curl[..], 5, "network_denied"), (&python[..], 1, "command_failed")] {
        let output = toolbox(root.path(), "", words);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), told.contains(code)), (Some(exit), true), "{told}");
    }
    assert_eq!(count.load(Ordering::SeqCst), 0, "a command got out");
    for (words, text) in [(&curl[..], "ok"), (&python[..], "connected\n")] {
        let output = toolbox(root.path(), "[sandbox]\nnetwork = \"allow\"\n", words);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!((output.status.code(), said.contains(text)), (Some(0), true), "{output:?}");
    }
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[test]
fn a_rule_that_is_none_is_told_and_a_limit_that_is_set_holds() {
    let root = tool_trials::directory();
    let words = ["true"].map(str::to_owned);
    let output = toolbox(root.path(), "[sandbox]\nnetwrok = \"allow\"\n", &words);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    let limits = "[limits]\nmax_args = 1\n";
    let echo = |count: usize| -> Vec<String> {
        ["echo".to_owned(), "--".to_owned()].into_iter().chain(vec!["a".to_owned(); count]).collect()
    };
    assert_eq!(toolbox(root.path(), limits, &echo(1)).status.code(), Some(0));
    let output = toolbox(root.path(), limits, &echo(2));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
