//! What a person changes on the host while a command runs: nothing of it is lost.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use tool_std::sandbox::SandboxPolicy;

use crate::support::{Bench, has_program};

/// Waits for the person between two lines, through pipes that the root holds.
const WAITING: &str = "echo > ready && read line < go";

fn pipes(root: &Path) {
    for name in ["ready", "go"] {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, root.join(name), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }
}

/// Runs a command, and what a person does while it waits.
async fn meanwhile(
    bench: &Arc<Bench>,
    person: impl FnOnce(&Path) + Send + 'static,
    then: &str,
) -> tool_core::ToolResult {
    pipes(&bench.root());
    let root = bench.root();
    let host = std::thread::spawn(move || {
        fs::read(root.join("ready")).unwrap();
        person(&root);
        File::options().write(true).open(root.join("go")).unwrap().write_all(b"\n").unwrap();
    });
    let script = format!("{WAITING}; {then}");
    let outcome = bench.call("bash", json!({"cmd": "sh", "args": ["-c", script], "check": false})).await;
    host.join().unwrap();
    outcome
}

fn bench(away: &Path) -> Arc<Bench> {
    let quarantine = Some(away.to_path_buf());
    Arc::new(Bench::with(SandboxPolicy { quarantine, ..SandboxPolicy::default() }))
}

fn git(root: &Path, args: &[&str]) {
    let home = root.parent().unwrap();
    let done = Command::new("git").current_dir(root).env("HOME", home).args(args).status().unwrap();
    assert!(done.success(), "{args:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_the_person_changes_meanwhile_stays() {
    if !has_program("git") {
        return;
    }
    let away = tool_trials::directory();
    let bench = bench(away.path());
    git(&bench.root(), &["init", "-q", "."]);
    git(&bench.root(), &["config", "alias.x", "!y"]);
    let outcome = meanwhile(&bench, |root| git(root, &["config", "user.name", "H"]), "true").await;
    assert!(outcome.is_ok(), "{outcome:?}");
    let config = fs::read_to_string(bench.root().join(".git/config")).unwrap();
    assert!(config.contains("name = H") && config.contains("x = !y"), "{config}");
    assert_eq!(away.path().read_dir().unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_the_person_adds_meanwhile_stays_and_one_in_another_directory_does_not() {
    if !has_program("git") {
        return;
    }
    for (template, gone) in [(&[][..], false), (&["--template="][..], true)] {
        let away = tool_trials::directory();
        let bench = bench(away.path());
        git(&bench.root(), &[&["init", "-q", "."], template].concat());
        let person = |root: &Path| {
            fs::create_dir_all(root.join(".git/hooks")).unwrap();
            fs::write(root.join(".git/hooks/pre-commit"), "mine").unwrap();
        };
        let outcome = meanwhile(&bench, person, "true").await;
        assert_eq!(outcome.is_err(), gone, "{outcome:?}");
        assert_eq!(bench.root().join(".git/hooks/pre-commit").exists(), !gone);
        assert_eq!(away.path().read_dir().unwrap().count(), usize::from(gone));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_the_command_then_writes_programs_into_is_put_back() {
    if !has_program("git") {
        return;
    }
    let away = tool_trials::directory();
    let bench = bench(away.path());
    git(&bench.root(), &["init", "-q", "."]);
    git(&bench.root(), &["config", "alias.x", "!y"]);
    let before = fs::read_to_string(bench.root().join(".git/config")).unwrap();
    let person = |root: &Path| git(root, &["config", "user.name", "H"]);
    // The rename on the host has dropped the mount.
    let error =
        meanwhile(&bench, person, "printf '[core]\\nfsmonitor = z\\n' >> .git/config").await.unwrap_err();
    assert_eq!(error.code_str(), "protected_path");
    assert_eq!(error.details()["restored"], json!([".git/config"]), "{error:?}");
    assert_eq!(fs::read_to_string(bench.root().join(".git/config")).unwrap(), before);
    let moved = away.path().read_dir().unwrap().next().unwrap().unwrap().path().join(".git/config");
    let moved = fs::read_to_string(moved).unwrap();
    assert!(moved.contains("name = H") && moved.contains("fsmonitor"), "{moved}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_the_person_replaces_meanwhile_is_in_the_quarantine_and_the_former_one_in_its_place() {
    for (new, is_told) in [("theirs", true), ("mine", false)] {
        let away = tool_trials::directory();
        let bench = bench(away.path());
        fs::write(bench.root().join(".envrc"), "mine").unwrap();
        let person = move |root: &Path| {
            fs::write(root.join("draft"), new).unwrap();
            fs::rename(root.join("draft"), root.join(".envrc")).unwrap();
        };
        let outcome = meanwhile(&bench, person, "true").await;
        assert_eq!(fs::read_to_string(bench.root().join(".envrc")).unwrap(), "mine");
        let moved = away.path().read_dir().unwrap().next().map(|call| call.unwrap().path().join(".envrc"));
        match outcome {
            Ok(_) => assert!(!is_told && moved.is_none()),
            Err(error) => {
                let expected = ".envrc is a protected path: it was replaced while the command ran.";
                assert!(is_told && error.message() == expected, "{error:?}");
                assert_eq!(error.details()["restored"], json!([".envrc"]));
                assert_eq!(fs::read_to_string(moved.unwrap()).unwrap(), "theirs");
            }
        }
    }
}
