//! Names that are covered or frozen, and what a command makes of them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Command, End, Sandbox, SandboxPolicy};
use tool_std::{Workspace, WorkspacePolicy};

use crate::attack::without;
use crate::support::{Bench, HELPER, has_program};

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
async fn the_files_of_the_operator_in_the_workspace_are_not_the_commands() {
    let directory = Bench::directory();
    let root = directory.path().join("root");
    for (name, text) in [("settings.toml", "limits"), ("journal.db", "secret"), ("a", "a")] {
        fs::write(root.join(name), text).unwrap();
    }
    let rules = WorkspacePolicy {
        guarded_files: vec![root.join("settings.toml")],
        sealed_files: vec![root.join("journal.db"), root.join("journal.db-wal")],
        ..WorkspacePolicy::default()
    };
    let workspace = Workspace::open(&root, rules).unwrap();
    let policy = SandboxPolicy { helper: Some(HELPER.into()), ..SandboxPolicy::default() };
    let sandbox = Sandbox::open(policy, &workspace).unwrap();
    assert!(sandbox.report().layers().has(Layer::Mounts), "{}", sandbox.report().to_json());
    for (script, works) in [
        ("grep -q limits settings.toml", true),
        ("echo x >> settings.toml", false),
        ("mv settings.toml b", false),
        ("grep -q secret journal.db", false),
        ("echo x >> journal.db", false),
        ("rm journal.db", false),
        ("echo x >> a && mv a b", true),
    ] {
        let command = Command::new("sh", Duration::from_secs(20)).args(["-c", script]);
        let finished = sandbox.run(command).await.unwrap();
        assert_eq!(finished.end == End::Exit(0), works, "{script}: {finished:?}");
    }
    assert_eq!(fs::read_to_string(root.join("journal.db")).unwrap(), "secret");
}

/// A root with a policy and a journal below directories, and a sandbox that puts away what a command replaces.
fn operated(directory: &Path, policy: SandboxPolicy) -> Sandbox {
    let root = directory.join("root");
    fs::create_dir_all(root.join("conf/inner")).unwrap();
    fs::create_dir_all(root.join("state")).unwrap();
    fs::write(root.join("conf/inner/policy.toml"), "mine").unwrap();
    fs::write(root.join("state/journal.db"), "rows").unwrap();
    let rules = WorkspacePolicy {
        guarded_files: vec![root.join("conf/inner/policy.toml")],
        sealed_files: vec![root.join("state/journal.db")],
        ..WorkspacePolicy::default()
    };
    let workspace = Workspace::open(&root, rules).unwrap();
    let quarantine = Some(directory.join("away"));
    Sandbox::open(SandboxPolicy { helper: Some(HELPER.into()), quarantine, ..policy }, &workspace).unwrap()
}

fn sh(script: &str) -> Command {
    Command::new("sh", Duration::from_secs(20)).args(["-c", script])
}

#[tokio::test]
async fn a_directory_above_a_file_of_the_operator_keeps_its_name_and_stays_writable() {
    let directory = Bench::directory();
    let root = directory.path().join("root");
    let sandbox = operated(directory.path(), SandboxPolicy::default());
    for (script, works) in [
        ("mv conf c2 && mkdir -p conf/inner && echo theirs > conf/inner/policy.toml", false),
        ("mv conf/inner conf/c2 && mkdir conf/inner && echo theirs > conf/inner/policy.toml", false),
        ("mv state s2 && mkdir state && echo theirs > state/journal.db", false),
        ("rm -r conf state", false),
        ("grep -q mine conf/inner/policy.toml", true),
        ("echo x > conf/a && mv conf/a conf/b && mkdir conf/d && mv conf/d conf/inner/d", true),
        ("echo x > state/a && rm state/a && mkdir other && mv other c2", true),
    ] {
        let finished = sandbox.run(sh(script)).await.unwrap();
        assert_eq!(finished.end == End::Exit(0), works, "{script}: {finished:?}");
        assert_eq!(finished.quarantined, [""; 0], "{script}");
    }
    assert_eq!(fs::read_to_string(root.join("conf/inner/policy.toml")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(root.join("state/journal.db")).unwrap(), "rows");
    assert!(root.join("conf/inner/d").is_dir());
}

#[tokio::test]
async fn without_mounts_a_file_of_the_operator_that_is_replaced_is_moved_away_and_put_back() {
    for (script, gone, now) in [
        (
            "mv conf c2 && mkdir -p conf/inner && echo theirs > conf/inner/policy.toml",
            "conf/inner/policy.toml",
            // Its directory is another one, and it is in the one that was moved.
            None,
        ),
        // The number of the file that is gone may be given to the new one.
        (
            "cd conf/inner && rm policy.toml && echo theirs > policy.toml",
            "conf/inner/policy.toml",
            Some("mine"),
        ),
        (
            "mkdir t && echo theirs > t/policy.toml && mv conf/inner i && ln -s ../t conf/inner",
            "conf/inner",
            None,
        ),
        ("mkdir -p t/inner && echo theirs > t/inner/policy.toml && mv conf c2 && ln -s t conf", "conf", None),
        ("echo theirs > conf/inner/policy.toml", "conf/inner/policy.toml", Some("mine")),
        (
            "echo > conf/inner/policy.toml && touch -r conf conf/inner/policy.toml",
            "conf/inner/policy.toml",
            Some("mine"),
        ),
        ("cat conf/inner/policy.toml", "", Some("mine")),
        ("echo x > conf/inner/a && mv conf/inner/a conf/b && mkdir other && mv other o2", "", Some("mine")),
    ] {
        let directory = Bench::directory();
        let root = directory.path().join("root");
        let sandbox = operated(directory.path(), without(&[Layer::Mounts]));
        assert!(!sandbox.report().layers().has(Layer::Mounts));
        let finished = sandbox.run(sh(script)).await.unwrap();
        assert_eq!(finished.end, End::Exit(0), "{script}: {finished:?}");
        let expected: &[&str] = if gone.is_empty() { &[] } else { &[gone] };
        assert_eq!(finished.quarantined, expected, "{script}");
        let found = fs::read_to_string(root.join("conf/inner/policy.toml")).ok();
        assert_eq!(found.as_deref(), now, "{script}");
    }
}

#[tokio::test]
async fn without_mounts_what_is_written_into_protected_names_is_moved_away_and_put_back() {
    let bench = |missing: &[Layer], away: &Path| {
        let quarantine = Some(away.to_path_buf());
        let bench = Bench::with(SandboxPolicy { quarantine, ..without(missing) });
        fs::create_dir_all(bench.root().join(".vscode/deep")).unwrap();
        fs::create_dir_all(bench.root().join(".git/hooks")).unwrap();
        for (name, text) in [
            (".bashrc", "mine"),
            (".netrc", "mine"),
            (".vscode/deep/tasks.json", "mine"),
            (".git/config", "[core]\n"),
            (".git/hooks/pre-commit", "mine"),
            ("a", "mine"),
        ] {
            fs::write(bench.root().join(name), text).unwrap();
        }
        bench
    };
    for (script, gone) in [
        ("echo theirs >> .bashrc", vec![".bashrc"]),
        ("echo theirs > .netrc", vec![".netrc"]),
        ("echo theirs > .vscode/deep/tasks.json", vec![".vscode/deep/tasks.json"]),
        ("echo theirs > .vscode/deep/other.json", vec![".vscode/deep/other.json"]),
        ("printf '[alias]\\nx = !y\\n' >> .git/config", vec![".git/config"]),
        ("echo theirs > .git/hooks/pre-commit", vec![".git/hooks/pre-commit"]),
        (
            "echo theirs > .bashrc; echo theirs > .git/hooks/pre-commit",
            vec![".bashrc", ".git/hooks/pre-commit"],
        ),
        ("cat .bashrc .vscode/deep/tasks.json .git/config && echo theirs >> a", vec![]),
        ("printf '[user]\\nname = me\\n' >> .git/config", vec![]),
    ] {
        let away = tool_trials::directory();
        let open = bench(&[Layer::Mounts], away.path());
        let outcome = open.call("bash", json!({"cmd": "sh", "args": ["-c", script]})).await;
        match outcome {
            Err(error) => {
                assert_eq!(error.code_str(), "protected_path", "{script}: {error:?}");
                assert_eq!(error.details()["quarantined"], json!(gone), "{script}");
            }
            Ok(_) => assert!(gone.is_empty(), "{script}"),
        }
        for name in &gone {
            let now = fs::read_to_string(open.root().join(name)).ok();
            let before = (*name != ".vscode/deep/other.json").then_some(match *name {
                ".git/config" => "[core]\n",
                _ => "mine",
            });
            assert_eq!(now.as_deref(), before, "{script}: {name}");
            let call = away.path().read_dir().unwrap().next().unwrap().unwrap().path();
            assert!(call.join(name).exists(), "{script}: {name}");
        }
        // With mounts nothing of it can be written in the first place.
        let closed = bench(&[], away.path());
        closed.call("bash", json!({"cmd": "sh", "args": ["-c", script], "check": false})).await.unwrap();
        for name in &gone {
            let now = fs::read_to_string(closed.root().join(name)).ok();
            assert!(!now.is_some_and(|now| now.contains("theirs")), "{script}: {name}");
        }
    }
    let away = tool_trials::directory();
    let gaps = |missing: &[Layer]| bench(missing, away.path()).sandbox.report().gaps().join("; ");
    assert!(gaps(&[Layer::Mounts]).contains("protected names in the workspace are in reach"));
    assert!(!gaps(&[]).contains("protected names"));
}

#[tokio::test]
async fn a_link_that_leads_to_a_file_of_the_operator_is_moved_away_when_a_command_replaces_it() {
    for (script, gone) in [
        ("rm conf/link.toml && echo theirs > conf/link.toml", "conf/link.toml"),
        ("echo theirs > b && ln -sf ../b conf/link.toml", "conf/link.toml"),
        ("cat conf/link.toml && ln -s link.toml conf/other.toml", ""),
    ] {
        let directory = Bench::directory();
        let root = directory.path().join("root");
        fs::create_dir(root.join("conf")).unwrap();
        fs::write(root.join("policy.toml"), "mine").unwrap();
        symlink("../policy.toml", root.join("conf/link.toml")).unwrap();
        let rules = WorkspacePolicy {
            guarded_files: vec![root.join("conf/link.toml")],
            ..WorkspacePolicy::default()
        };
        let workspace = Workspace::open(&root, rules).unwrap();
        let away = Some(directory.path().join("away"));
        let policy =
            SandboxPolicy { helper: Some(HELPER.into()), quarantine: away, ..SandboxPolicy::default() };
        let finished = Sandbox::open(policy, &workspace).unwrap().run(sh(script)).await.unwrap();
        assert_eq!(finished.end, End::Exit(0), "{script}: {finished:?}");
        let expected: &[&str] = if gone.is_empty() { &[] } else { &[gone] };
        assert_eq!(finished.quarantined, expected, "{script}");
    }
}

#[tokio::test]
async fn a_protected_name_that_a_command_makes_is_moved_away_and_what_is_harmless_stays() {
    let away = tool_trials::directory();
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
        let away = tool_trials::directory();
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
