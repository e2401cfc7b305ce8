//! What an attacker in the sandbox gets through: a script that tries everything, and policies to try it under.

use std::fs;
use std::net::TcpListener;

use serde_json::json;
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Mode, SandboxPolicy};

use crate::support::{Bench, skip};

pub(crate) const ATTACKER: &str = include_str!("../support/attacker.py");
pub(crate) const PYTHON: &str = "/usr/bin/python3";

pub(crate) fn without(layers: &[Layer]) -> SandboxPolicy {
    SandboxPolicy { missing: layers.to_vec(), ..SandboxPolicy::default() }
}

pub(crate) fn without_in(mode: Mode, layers: &[Layer]) -> SandboxPolicy {
    SandboxPolicy { mode, ..without(layers) }
}

pub(crate) fn has_python() -> bool {
    let found = std::path::Path::new(PYTHON).exists();
    if !found {
        skip("no python3 in /usr/bin");
    }
    found
}

/// What an attacker in the sandbox got through.
pub(crate) async fn broken(policy: SandboxPolicy) -> Vec<String> {
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
