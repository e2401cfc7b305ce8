//! The network guard: every decision, and that it is not the boundary.

use serde_json::{Value, json};
use tool_std::sandbox::{Network, NetworkGuard, SandboxPolicy};
use tool_std::shell::guard;

use crate::judge::same;
use crate::listeners::Listeners;
use crate::support::{Bench, is_installed};
use crate::{cases, each, report};

#[test]
fn vectors_network_guard() {
    let decide = |case: &Value| {
        let args = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
        let texts: Vec<&str> = std::iter::once(case["cmd"].as_str().unwrap()).chain(args).collect();
        let got = match guard::check(texts.iter().copied()) {
            None => json!({"decision": "allow"}),
            Some(guard::Finding::Network(token)) => json!({"decision": "network_denied", "token": token}),
            Some(guard::Finding::GitRemote(token)) => {
                json!({"decision": "git_remote_denied", "token": token})
            }
        };
        same("decision", &got, &case["expect"])
    };
    report("vectors_network_guard", each(cases("network_guard.json"), decide));
}

/// A command of the guard's vectors, aimed at a listener on the loopback.
fn aimed(text: &str, port: u16) -> String {
    let here = format!("127.0.0.1:{port}");
    let addresses = ["https://example.com", "https://e.com", "ssh://h"];
    let text =
        addresses.iter().fold(text.to_owned(), |text, host| text.replace(host, &format!("http://{here}")));
    text.replace("example.com", &here).replace("e.com", &here)
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_guard_off_no_command_that_wants_out_reaches_a_listener() {
    let listeners = Listeners::start();
    for (network, reached) in [(Network::Deny, false), (Network::Allow, true)] {
        let off =
            SandboxPolicy { network, network_guard: Some(NetworkGuard::Off), ..SandboxPolicy::default() };
        let bench = Bench::at(Bench::directory(), off);
        let cases = cases("network_guard.json");
        let any = !cases.is_empty();
        for case in cases.iter().filter(|case| case["truth"] == "egress") {
            let cmd = case["cmd"].as_str().unwrap();
            if !cmd.starts_with('/') && !is_installed(cmd) {
                continue;
            }
            let args: Vec<String> = case["args"]
                .as_array()
                .unwrap()
                .iter()
                .map(|arg| aimed(arg.as_str().unwrap(), listeners.port))
                .collect();
            let _ = bench.call("bash", json!({"cmd": cmd, "args": args, "timeout": 3, "check": false})).await;
        }
        assert_eq!(listeners.count() > 0, reached && any, "{network:?}");
    }
}
