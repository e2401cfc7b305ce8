//! Every row of the table of fallbacks, by layers that are forced to be missing.

use std::process::Command as Program;
use std::time::Duration;

use serde_json::json;
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Command, Mode, Network, Sandbox, SandboxPolicy};
use tool_std::{Workspace, WorkspacePolicy};

use crate::attack::{broken, has_python, without, without_in};
use crate::support::{Bench, has_program};

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
async fn what_runs_without_a_guarantee_says_so_and_warns_once() {
    let missing = [Layer::Userns, Layer::Landlock];
    for (mode, told) in [(Mode::BestEffort, true), (Mode::Off, false)] {
        let log = tool_trials::Log::default();
        let bench = Bench::with(without_in(mode, &missing));
        let listening = log.of_this_thread();
        assert_eq!(bench.sandbox.report().level(), "none");
        assert_eq!(bench.sandbox.report().refusal(), None);
        drop(listening);
        let result = bench.call("bash", json!({"cmd": "true"})).await.unwrap().data();
        assert_eq!(result["sandbox"]["level"], "none");
        let log = log.text();
        let warnings = log.matches("commands run without some guarantees").count();
        assert_eq!(warnings, usize::from(told), "{mode:?}: {log}");
    }
}

#[tokio::test]
async fn results_without_confinement_say_what_holds() {
    let asked = SandboxPolicy { mode: Mode::Off, ..SandboxPolicy::default() };
    let refused = ("nc: socket: Operation not permitted", "unshare: Operation not permitted");
    for (policy, network, watched) in [
        (asked, "allow", false),
        (SandboxPolicy::default(), "deny", true),
        (without(&[Layer::Mounts]), "deny", true),
    ] {
        let is_off = policy.mode == Mode::Off;
        let bench = Bench::with(policy);
        let result = bench.sh("true").await;
        assert_eq!(result["sandbox"]["network"], network, "{result}");
        let empty = Vec::new();
        let gaps = result["sandbox"]["gaps"].as_array().unwrap_or(&empty);
        let distinct: std::collections::BTreeSet<String> = gaps.iter().map(ToString::to_string).collect();
        assert_eq!(distinct.len(), gaps.len(), "{result}");
        assert!(watched || !result.to_string().contains("moved away"), "{result}");
        for (text, blamed) in [(refused.0, !is_off), (refused.1, false)] {
            let script = format!("echo '{text}' >&2; exit 1");
            let error = bench.call("bash", json!({"cmd": "sh", "args": ["-c", script]})).await.unwrap_err();
            assert_eq!(error.hint_str() == Some("Network is off for commands."), blamed, "{text}: {error:?}");
        }
        let error = bench.call("bash", json!({"cmd": "curl"})).await.unwrap_err();
        assert_eq!(error.hint_str().unwrap().contains("Network is off"), !is_off, "{error:?}");
    }
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
