//! Repositories in repositories: git goes into each that the index of the one above names, so what a command leaves there is
//! as bad as what it leaves in the root. And what is more than can be looked at.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Command, Mode, Sandbox, SandboxPolicy};
use tool_std::{Workspace, WorkspacePolicy};

use crate::attack::{without, without_in};
use crate::left_behind::{Attack, EXISTING, bench, bench_with, found, host, run};
use crate::support::{Bench, HELPER, has_program};

/// A repository with a submodule that has no git directory yet.
const EMPTY: &str = "repository && mkdir sub \
    && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && commit";
/// One that commands keep out of the way of `git add`.
const ASIDE: &str =
    "mkdir other && (cd other && repository && evil .git/config) && echo other >> .git/info/exclude";

const ATTACKS: [Attack; 9] = [
    Attack {
        name: "a git directory of a submodule that has none",
        before: EMPTY,
        script: "(cd sub && repository) && evil sub/.git/config",
        cwd: ".",
        gone: &["sub/.git/config"],
    },
    Attack {
        name: "the same from another directory",
        before: "repository && mkdir -p sub work \
            && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && commit",
        script: "cd ../sub && repository && evil .git/config",
        cwd: "work",
        gone: &["sub/.git/config"],
    },
    Attack {
        name: "the configuration of a repository that is a submodule",
        before: "repository && mkdir sub && (cd sub && repository) && git add sub && commit",
        script: "evil sub/.git/config",
        cwd: ".",
        gone: &[],
    },
    Attack {
        name: "a submodule that the command adds",
        before: EXISTING,
        script: "mkdir sub && (cd sub && repository) && evil sub/.git/config \
            && git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub",
        cwd: ".",
        gone: &["sub/.git/config"],
    },
    Attack {
        name: "a submodule of a submodule",
        before: EMPTY,
        script: "cd sub && repository && mkdir deep && (cd deep && repository && evil .git/config) \
            && git update-index --add --cacheinfo 160000,$(git -C deep rev-parse HEAD),deep",
        cwd: ".",
        gone: &["sub/deep/.git/config"],
    },
    Attack {
        name: "a file that names the git directory of a submodule",
        before: EMPTY,
        script: "mkdir other && (cd other && repository && evil .git/config) \
            && echo other >> .git/info/exclude && echo 'gitdir: ../other/.git' > sub/.git",
        cwd: ".",
        gone: &["other/.git/config"],
    },
    Attack {
        name: "an index in another form",
        before: EMPTY,
        script: "git update-index --index-version 4 && (cd sub && repository) && evil sub/.git/config",
        cwd: ".",
        gone: &["sub/.git/config"],
    },
    Attack {
        name: "an index that was split before",
        before: "repository && mkdir sub && git update-index --split-index \
            && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && commit",
        script: "(cd sub && repository) && evil sub/.git/config",
        cwd: ".",
        gone: &["sub/.git/config"],
    },
    Attack {
        name: "an index that the command splits",
        before: EMPTY,
        script: "git update-index --split-index && (cd sub && repository) && evil sub/.git/config",
        cwd: ".",
        gone: &["sub/.git/config"],
    },
];

#[tokio::test]
async fn nothing_that_a_command_leaves_in_a_submodule_is_run_by_git_later() {
    if !has_program("git") {
        return;
    }
    for attack in &ATTACKS {
        attack.shows_itself_and_is_held().await;
    }
}

/// Git of this version does not go through links; another may.
#[tokio::test]
async fn a_link_instead_of_a_submodule_is_moved_away() {
    if !has_program("git") {
        return;
    }
    let (bench, _away) = bench();
    assert!(host(&bench.root(), ".", EMPTY).status.success());
    let error = run(&bench, ".", &format!("{ASIDE} && rmdir sub && ln -s other sub")).await.unwrap_err();
    assert_eq!(error.details()["quarantined"], json!(["sub"]), "{error:?}");
}

#[tokio::test]
async fn what_commands_usually_do_with_submodules_is_left_to_them() {
    if !has_program("git") {
        return;
    }
    for (before, script) in [
        (EMPTY, "cd sub && repository && git config user.name x && commit && cd .. && git add sub && commit"),
        (
            EMPTY,
            "git init -q --separate-git-dir=real sub && cd sub && commit && echo b > b && git add b && commit",
        ),
        (EXISTING, "mkdir sub && (cd sub && repository) && git add sub && commit && git status"),
        ("repository && mkdir sub && (cd sub && repository) && git add sub && commit", "cd sub && commit"),
        (
            "repository && git update-index --split-index",
            "mkdir sub && (cd sub && repository) && git add sub",
        ),
        (
            "mkdir up && (cd up && repository) && repository \
                && git -c protocol.file.allow=always submodule --quiet add ./up vendor/lib && commit \
                && rm -rf vendor/lib .git/modules/vendor",
            "git -c protocol.file.allow=always submodule --quiet update && git status",
        ),
    ] {
        let (bench, away) = bench();
        let prepared = host(&bench.root(), ".", before);
        assert!(prepared.status.success(), "{before}: {prepared:?}");
        let outcome = run(&bench, ".", script).await;
        let result = outcome.unwrap_or_else(|error| panic!("{script}: {error:?}")).data();
        assert_eq!(result["exit_code"], 0, "{script}: {result}");
        assert_eq!(away.path().read_dir().unwrap().count(), 0, "{script}");
    }
}

#[tokio::test]
async fn submodules_of_a_repository_around_the_workspace_are_guarded_too() {
    if !has_program("git") {
        return;
    }
    let directory = Bench::directory();
    let (root, away) = (directory.path().join("root"), directory.path().join("away"));
    // The repository is the directory that the workspace lies in.
    let before = "repository && commit=$(git rev-parse HEAD) && mkdir root/own root/sub \
        && git update-index --add --cacheinfo 160000,$commit,root/own --cacheinfo 160000,$commit,root/sub && commit";
    let prepared = host(&root, "..", before);
    assert!(prepared.status.success(), "{prepared:?}");
    let workspace = Workspace::open(&root, WorkspacePolicy::default()).unwrap();
    let policy =
        SandboxPolicy { helper: Some(HELPER.into()), quarantine: Some(away), ..SandboxPolicy::default() };
    let sandbox = Sandbox::open(policy, &workspace).unwrap();
    let evil = "git init -q sub && git -C sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && \
                printf '[core]\nrepositoryformatversion = 0\nfsmonitor = \"touch PAYLOAD\"\n' > sub/.git/config";
    for (script, gone) in [("git init -q own", &[][..]), (evil, &["sub/.git/config"])] {
        let command = Command::new("sh", Duration::from_secs(20)).args(["-c", script]);
        let finished = sandbox.run(command).await.unwrap();
        assert_eq!(finished.quarantined, gone, "{script}: {finished:?}");
    }
    host(&root, "..", "git status");
    assert!(!found(directory.path()));
    // What was kept from it is an attack.
    assert!(host(&root, ".", evil).status.success());
    host(&root, "..", "git status");
    assert!(found(directory.path()));
}

#[tokio::test]
async fn configurations_and_git_files_that_lead_on_without_end_are_followed_to_the_bound() {
    if !has_program("git") {
        return;
    }
    for (script, gone) in [
        (
            "repository && printf '[include]\npath = ../f0\n' >> .git/config && awk 'BEGIN { for (i = 0; i < 12000; i++) \
             { f = \"f\" i; printf \"[include]\\npath = f%d\\n\", i + 1 > f; close(f) } }'",
            ".git/config",
        ),
        (
            "awk 'BEGIN { for (i = 0; i < 12000; i++) { f = \"f\" i; printf \"gitdir: f%d\\n\", i + 1 > f; close(f) } }' \
             && echo 'gitdir: f0' > .git",
            ".git",
        ),
    ] {
        let (bench, _away) = bench();
        let error = run(&bench, ".", script).await.unwrap_err();
        assert_eq!(error.code_str(), "protected_path", "{error:?}");
        let quarantined = error.details()["quarantined"].as_array().unwrap().clone();
        assert!(quarantined.contains(&json!(gone)), "{quarantined:?}");
    }
}

/// Submodules below `.git/modules` with more entries than are looked at.
fn many_modules(root: &Path, modules: usize) {
    for number in 0..modules {
        let module = root.join(format!(".git/modules/{number}"));
        fs::create_dir_all(&module).unwrap();
        for file in 0..100 {
            fs::write(module.join(format!("file{file}")), "").unwrap();
        }
    }
}

#[tokio::test]
async fn what_is_more_than_is_looked_at_is_frozen_refused_or_told_and_never_trusted() {
    const MANY: usize = 101;
    let script = "echo x > .git/modules/0/config; echo x > .git/modules/100/config; echo x > a";
    // Nothing in it can be changed.
    let (mut bench, _away) = bench();
    many_modules(&bench.root(), MANY);
    run(&bench, ".", script).await.unwrap();
    assert!(!bench.root().join(".git/modules/0/config").exists() && bench.root().join("a").exists());
    fs::remove_file(bench.root().join("a")).unwrap();
    // Where nothing keeps commands from it, none runs.
    bench.sandbox = again(&bench.root(), without(&[Layer::Mounts]));
    let error = run(&bench, ".", script).await.unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("denied", "sandbox_unavailable"));
    assert!(error.message().contains(".git/modules leads to more than can be guarded"), "{error}");
    assert!(!bench.root().join("a").exists());
    // Or it is told.
    bench.sandbox = again(&bench.root(), without_in(Mode::BestEffort, &[Layer::Mounts]));
    let result = run(&bench, ".", "echo x > a").await.unwrap().data();
    let gaps = result["sandbox"]["gaps"].to_string();
    assert!(gaps.contains(".git/modules leads to more than is looked at after commands"), "{gaps}");
    // A command that makes it so large has it taken away.
    for policy in [SandboxPolicy::default(), without(&[Layer::Mounts])] {
        let (bench, _away) = bench_with(policy);
        many_modules(&bench.root(), 1);
        let more = "mkdir .git/modules/m && cd .git/modules/m && seq 10000 | xargs touch";
        let error = run(&bench, ".", more).await.unwrap_err();
        assert_eq!(error.details()["quarantined"], json!([".git/modules"]), "{error:?}");
        assert!(!bench.root().join(".git/modules").exists());
    }
}

/// Another sandbox around a workspace.
fn again(root: &Path, policy: SandboxPolicy) -> Sandbox {
    let workspace = Workspace::open(root, WorkspacePolicy::default()).unwrap();
    Sandbox::open(SandboxPolicy { helper: Some(HELPER.into()), ..policy }, &workspace).unwrap()
}
