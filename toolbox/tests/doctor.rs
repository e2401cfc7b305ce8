//! `toolbox doctor`: the workspace, the sandbox and every limit of the standard tools.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn doctor(root: &Path, env: &[(&str, &str)]) -> Output {
    let mut toolbox = Command::new(env!("CARGO_BIN_EXE_toolbox"));
    toolbox.args(["doctor", "--json", "--root"]).arg(root).env_clear().envs(env.iter().copied());
    toolbox.output().unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn it_tells_of_workspace_sandbox_and_limits_and_leaves_nothing_behind() {
    let root = tempfile::tempdir().unwrap();
    let output = doctor(root.path(), &[]);
    let report = report(&output);
    assert_eq!(report["workspace"]["root"], root.path().canonicalize().unwrap().to_str().unwrap());
    let layers = report["sandbox"]["layers"].as_object().unwrap();
    assert!(layers.contains_key("landlock") && layers.values().all(|layer| layer["ok"].is_boolean()));
    for name in ["max_read_bytes", "max_timeout_seconds", "max_args_bytes"] {
        let limits = report["limits"].as_array().unwrap();
        let limit = limits.iter().find(|limit| limit["name"] == name).unwrap();
        assert_eq!((&limit["value"], &limit["from"]), (&limit["default"], &json!("default")), "{name}");
    }
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn without_a_layer_that_commands_need_it_fails_and_names_the_layer() {
    let root = tempfile::tempdir().unwrap();
    let missing = [("TOOLBOX_SANDBOX_FORCE_MISSING", "mounts,landlock")];
    let output = doctor(root.path(), &missing);
    assert_eq!(output.status.code(), Some(6));
    let report = report(&output);
    assert_eq!((&report["status"], &report["sandbox"]["level"]), (&json!("fail"), &json!("none")));
    let checks = report["checks"].as_array().unwrap();
    let sandbox = checks.iter().find(|check| check["name"] == "sandbox").unwrap();
    assert!(sandbox["value"].as_str().unwrap().contains("no write isolation"), "{sandbox}");
}

#[test]
fn a_root_that_is_the_home_directory_is_a_warning() {
    let root = tempfile::tempdir().unwrap();
    let real = root.path().canonicalize().unwrap();
    let report = report(&doctor(&real, &[("HOME", real.to_str().unwrap())]));
    assert_eq!(report["workspace"]["warnings"], json!(["the root is the home directory"]));
}
