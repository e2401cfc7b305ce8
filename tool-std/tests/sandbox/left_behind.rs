//! What a command leaves for the git of the person on the host: each attack is shown to work where nothing confines it, and
//! then not to work behind the sandbox.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tool_std::sandbox::{NetworkGuard, SandboxPolicy};

use crate::support::{Bench, has_program};

/// What scripts begin with: the payload, a configuration and a hook that run it, and a commit.
const PRELUDE: &str = r#"
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    payload="touch $PWD/PAYLOAD"
    evil() { printf '[core]\nrepositoryformatversion = 0\nfsmonitor = "%s; echo ]"\n%s\n' "$payload" "$2" > "$1"; }
    hook() { mkdir -p "$(dirname "$1")"; printf '#!/bin/sh\n%s\n' "$payload" > "$1"; chmod +x "$1"; }
    commit() { git commit -q --allow-empty -m x; }
    repository() { git init -q "$@" . && echo a > a && git add a && commit; }
"#;

/// An attack: what is there before it, what the command does and where, and what is moved away; nothing, if the command
/// cannot do it at all.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) before: &'static str,
    pub(crate) script: &'static str,
    pub(crate) cwd: &'static str,
    pub(crate) gone: &'static [&'static str],
}

const NEW: &str = "true";
pub(crate) const EXISTING: &str = "repository";
/// A repository with a nested submodule.
const SUBMODULE: &str = "mkdir up && (cd up && repository) && repository \
    && git -c protocol.file.allow=always submodule --quiet add ./up vendor/lib && commit";

const ATTACKS: [Attack; 21] = [
    Attack {
        name: "a link instead of a new git directory",
        before: NEW,
        script: "repository && mv .git evil && evil evil/config && ln -s evil .git",
        cwd: ".",
        gone: &[".git"],
    },
    Attack {
        name: "a link instead of an existing git directory",
        before: EXISTING,
        script: "mv .git g2 && cp -r g2 evil && evil evil/config && ln -s evil .git",
        cwd: ".",
        gone: &[".git"],
    },
    Attack {
        name: "a file that names another git directory",
        before: EXISTING,
        script: "mv .git evil && rm -f evil/config && evil evil/config; echo 'gitdir: evil' > .git",
        cwd: ".",
        gone: &[".git"],
    },
    Attack {
        name: "hooks that are a link in a new repository",
        before: NEW,
        script: "repository && mv .git/hooks h2 && hook h2/pre-commit && ln -s ../h2 .git/hooks",
        cwd: ".",
        gone: &[".git/hooks"],
    },
    Attack {
        name: "hooks that are a link where there were none",
        before: "repository --template=",
        script: "hook h2/pre-commit && ln -s ../h2 .git/hooks",
        cwd: ".",
        gone: &[".git/hooks"],
    },
    Attack {
        name: "a directory of hooks where there was none",
        before: "repository --template=",
        script: "hook .git/hooks/pre-commit",
        cwd: ".",
        gone: &[".git/hooks/pre-commit"],
    },
    Attack {
        name: "a hook in an existing repository",
        before: EXISTING,
        script: "hook .git/hooks/pre-commit",
        cwd: ".",
        gone: &[],
    },
    Attack {
        name: "a configuration behind a byte order mark",
        before: NEW,
        script: r#"repository && printf '\357\273\277[core]\nfsmonitor = "%s"\n' "$payload" > .git/config"#,
        cwd: ".",
        gone: &[".git/config"],
    },
    Attack {
        name: "a bracket in a value",
        before: NEW,
        script: r#"repository && printf '[core]fsmonitor="%s; echo ]"\n' "$payload" >> .git/config"#,
        cwd: ".",
        gone: &[".git/config"],
    },
    Attack {
        name: "a bracket in a comment",
        before: NEW,
        script: r#"repository && printf '[core] ; ]\nfsmonitor = "%s"\n' "$payload" >> .git/config"#,
        cwd: ".",
        gone: &[".git/config"],
    },
    Attack {
        name: "a configuration that is large",
        before: NEW,
        script: r#"repository && printf '[core]\nfsmonitor = "%s"\n' "$payload" >> .git/config \
            && head -c 2000000 /dev/zero | tr '\0' ';' >> .git/config"#,
        cwd: ".",
        gone: &[".git/config"],
    },
    Attack {
        name: "an included file",
        before: "repository && printf '[user]\nname = x\n' > shared && git config include.path ../shared",
        script: "evil shared",
        cwd: ".",
        gone: &[],
    },
    Attack {
        name: "the configuration of a nested submodule",
        before: SUBMODULE,
        script: "evil .git/modules/vendor/lib/config 'worktree = ../../../../vendor/lib'",
        cwd: ".",
        gone: &[],
    },
    Attack {
        name: "a hook of a nested submodule",
        before: SUBMODULE,
        script: "hook .git/modules/vendor/lib/hooks/pre-commit",
        cwd: ".",
        gone: &[],
    },
    Attack {
        name: "another directory of submodules",
        before: SUBMODULE,
        script: "mv .git/modules/vendor .git/modules/v && cp -r .git/modules/v .git/modules/vendor \
            && rm -f .git/modules/vendor/lib/config \
            && evil .git/modules/vendor/lib/config 'worktree = ../../../../vendor/lib'",
        cwd: ".",
        gone: &[".git/modules/vendor/lib/config"],
    },
    Attack {
        name: "another common directory of an existing repository",
        before: EXISTING,
        script: "cp -r .git evil && rm -f evil/config && evil evil/config && echo ../evil > .git/commondir",
        cwd: ".",
        gone: &[".git/commondir"],
    },
    Attack {
        name: "another common directory of a new repository",
        before: NEW,
        script: "repository && cp -r .git evil && evil evil/config && echo ../evil > .git/commondir",
        cwd: ".",
        gone: &[".git/commondir"],
    },
    Attack {
        name: "the configuration of a linked worktree",
        before: "repository && git config extensions.worktreeConfig true && git worktree add -q wt",
        script: "evil .git/worktrees/wt/config.worktree",
        cwd: ".",
        gone: &[".git/worktrees/wt/config.worktree"],
    },
    Attack {
        name: "a repository in the directory of the command",
        before: "mkdir -p deep/sub",
        script: "repository && hook .git/hooks/pre-commit",
        cwd: "deep/sub",
        gone: &["deep/sub/.git/hooks/pre-commit"],
    },
    Attack {
        name: "a repository above the directory of the command",
        before: "mkdir -p deep/sub",
        script: "cd .. && repository && hook .git/hooks/pre-commit",
        cwd: "deep/sub",
        gone: &["deep/.git/hooks/pre-commit"],
    },
    Attack {
        name: "a repository without a name",
        before: NEW,
        script: "git init -q --bare b && mv b/* . && rm -f config && evil config 'bare = false\nworktree = .'",
        cwd: ".",
        gone: &["config"],
    },
];

pub(crate) fn host(root: &Path, cwd: &str, script: &str) -> Output {
    let mut sh = Command::new("sh");
    sh.current_dir(root.join(cwd)).env("HOME", root.parent().unwrap()).env("GIT_CONFIG_NOSYSTEM", "1");
    sh.args(["-c", &format!("{PRELUDE}{script}")]).output().unwrap()
}

/// What a person does later, wherever there is a repository; whether the payload ran.
fn is_caught_later(root: &Path, cwd: &str) -> bool {
    for place in [".", cwd, "deep", "vendor/lib", "wt"] {
        if root.join(place).exists() {
            host(root, place, "git status; git add -A; git commit -q --allow-empty -m y");
        }
    }
    found(root)
}

pub(crate) fn found(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut paths = entries.map(|entry| entry.path());
    paths.any(|path| {
        path.file_name().is_some_and(|name| name == "PAYLOAD")
            || (path.symlink_metadata().is_ok_and(|found| found.is_dir()) && found(&path))
    })
}

pub(crate) fn bench() -> (Bench, tool_trials::Directory) {
    bench_with(SandboxPolicy::default())
}

pub(crate) fn bench_with(policy: SandboxPolicy) -> (Bench, tool_trials::Directory) {
    let away = tool_trials::directory();
    let quarantine = Some(away.path().to_path_buf());
    (Bench::with(SandboxPolicy { quarantine, network_guard: Some(NetworkGuard::Off), ..policy }), away)
}

pub(crate) async fn run(bench: &Bench, cwd: &str, script: &str) -> tool_core::ToolResult {
    let script = format!("{PRELUDE}{script}");
    bench.call("bash", json!({"cmd": "sh", "args": ["-c", script], "cwd": cwd, "check": false})).await
}

#[tokio::test]
async fn nothing_that_a_command_leaves_is_run_by_git_later() {
    if !has_program("git") {
        return;
    }
    for attack in &ATTACKS {
        attack.shows_itself_and_is_held().await;
    }
}

impl Attack {
    pub(crate) async fn shows_itself_and_is_held(&self) {
        let (attack, name) = (self, self.name);
        let open = tool_trials::directory();
        let root = open.path().join("root");
        fs::create_dir(&root).unwrap();
        let prepared = host(&root, ".", attack.before);
        assert!(prepared.status.success(), "{name}: {prepared:?}");
        host(&root, attack.cwd, attack.script);
        assert!(is_caught_later(&root, attack.cwd), "{name}: the attack is none");

        let (bench, away) = bench();
        let prepared = host(&bench.root(), ".", attack.before);
        assert!(prepared.status.success(), "{name}: {prepared:?}");
        match run(&bench, attack.cwd, attack.script).await {
            Err(error) => {
                assert_eq!((error.kind().as_str(), error.code_str()), ("denied", "protected_path"), "{name}");
                assert_eq!(error.effect_value(), Some(tool_core::Effect::Done), "{name}");
                assert_eq!(error.details()["quarantined"], json!(attack.gone), "{name}: {error:?}");
                assert!(error.details()["exit_code"].is_number(), "{name}: {error:?}");
                assert!(away.path().read_dir().unwrap().count() > 0, "{name}");
            }
            Ok(output) => {
                let result = output.data();
                assert!(attack.gone.is_empty() && result["exit_code"] != 0, "{name}: {result}");
            }
        }
        assert!(!is_caught_later(&bench.root(), attack.cwd), "{name}");
    }
}

#[tokio::test]
async fn what_commands_usually_do_with_git_is_left_to_them() {
    if !has_program("git") {
        return;
    }
    for (before, script, cwd) in [
        (NEW, "repository && git config user.name x && git branch b && git checkout -q b && commit", "."),
        (NEW, "repository && git worktree add -q wt && cd wt && commit", "."),
        (
            NEW,
            "mkdir up && (cd up && repository) && git clone -q up c && cd c && git fetch -q && commit",
            ".",
        ),
        (EXISTING, "echo b > b && git add b && commit && git stash list && git gc -q && git tag t", "."),
        (EXISTING, "git worktree add -q wt && cd wt && commit", "."),
        (EXISTING, "git checkout -q -b b && commit && GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~1", "."),
        ("git config --global alias.x y; repository && git config alias.x status", "git x -s && commit", "."),
        ("mkdir -p deep/sub", "repository && commit", "deep/sub"),
        (
            SUBMODULE,
            "cd vendor/lib && echo b > b && git add b && commit && cd ../.. && git add -A && commit",
            ".",
        ),
        (SUBMODULE, "commit", "vendor/lib"),
        ("repository --separate-git-dir=real", "commit && echo b > b && git add b && commit", "."),
        ("repository && mv .git real && ln -s real .git", "commit && echo b > b && git add b && commit", "."),
    ] {
        let (bench, away) = bench();
        let prepared = host(&bench.root(), ".", before);
        assert!(prepared.status.success(), "{before}: {prepared:?}");
        let result: Value =
            run(&bench, cwd, script).await.unwrap_or_else(|error| panic!("{script}: {error:?}")).data();
        assert_eq!(result["exit_code"], 0, "{script}: {result}");
        assert_eq!(away.path().read_dir().unwrap().count(), 0, "{script}");
    }
}

#[tokio::test]
async fn a_rebase_that_would_run_commands_is_moved_away_and_any_other_is_not() {
    for (todo, gone) in [("pick 1 a\nexec touch x\n", true), ("pick 1 a\nfixup 2 b\n", false)] {
        let (bench, _away) = bench();
        let root = bench.root();
        fs::create_dir_all(root.join(".git/rebase-merge")).unwrap();
        let file = root.join(".git/rebase-merge/git-rebase-todo");
        fs::write(&file, "pick 1 a\n").unwrap();
        let script = format!("printf '{}' > .git/rebase-merge/git-rebase-todo", todo.replace('\n', "\\n"));
        assert_eq!(run(&bench, ".", &script).await.is_err(), gone, "{todo}");
        assert_eq!(fs::read_to_string(&file).unwrap(), if gone { "pick 1 a\n" } else { todo });
    }
}

#[tokio::test]
async fn more_submodules_than_can_be_frozen_one_by_one_are_frozen_together() {
    let (bench, _away) = bench();
    let modules = bench.root().join(".git/modules");
    for number in 0..400 {
        let module: PathBuf = modules.join(format!("a-rather-long-name-of-a-submodule/number-{number}"));
        fs::create_dir_all(module.join("hooks")).unwrap();
        fs::write(module.join("config"), "[core]\n").unwrap();
    }
    for (script, works) in [
        ("echo x >> .git/modules/a-rather-long-name-of-a-submodule/number-399/config", false),
        ("echo x >> .git/modules/a-rather-long-name-of-a-submodule/number-7/HEAD", false),
        ("echo x >> .git/description && echo x > a", true),
    ] {
        let result = run(&bench, ".", script).await.unwrap().data();
        assert_eq!(result["exit_code"] == 0, works, "{script}: {result}");
    }
}

#[tokio::test]
async fn what_cannot_be_looked_into_or_moved_out_of_goes_as_a_whole() {
    if rustix::process::geteuid().is_root() {
        // Root reads everything.
        return;
    }
    for (script, gone) in [
        ("mkdir -p .git/hooks && echo x > .git/hooks/pre-commit && chmod 333 .git/hooks", ".git/hooks"),
        (
            "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit && chmod 555 .git/hooks",
            ".git/hooks/pre-commit",
        ),
        ("mkdir .vscode && echo x > .vscode/tasks.json && chmod 555 .vscode", ".vscode"),
        ("mkdir .vscode && echo x > .vscode/tasks.json && chmod 0 .vscode", ".vscode"),
    ] {
        let (bench, _away) = bench();
        let error = run(&bench, ".", script).await.unwrap_err();
        assert_eq!(error.details()["quarantined"], json!([gone]), "{script}: {error:?}");
        assert!(bench.root().join(gone).symlink_metadata().is_err(), "{script}");
    }
    let (bench, _away) = bench();
    let error = run(&bench, ".", "echo x > .envrc && chmod 333 .").await.unwrap_err();
    assert_eq!(error.code_str(), "protected_path");
    assert_eq!(error.details()["left"], json!(["."]), "{error:?}");
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(bench.root(), fs::Permissions::from_mode(0o755)).unwrap();
}
