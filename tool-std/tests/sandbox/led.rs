//! Protected names that are links, and names by which root, home and programs are found.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tool_std::sandbox::{Sandbox, SandboxPolicy};
use tool_std::{Workspace, WorkspacePolicy};

use crate::attack::without;
use crate::support::{Bench, HELPER};
use tool_std::sandbox::layers::Layer;

/// A root whose protected names are links into a directory of their own, one of them by way of another link.
fn dotted(root: &Path) {
    fs::create_dir_all(root.join("dotfiles/keys")).unwrap();
    fs::create_dir(root.join("src")).unwrap();
    for (file, text) in [
        ("dotfiles/netrc", "password"),
        ("dotfiles/keys/id_x", "key"),
        ("dotfiles/bashrc", "set"),
        ("dotfiles/other", "other"),
        ("src/bashrc", "source"),
    ] {
        fs::write(root.join(file), text).unwrap();
    }
    for (link, target) in
        [("d", "dotfiles"), (".netrc", "dotfiles/netrc"), (".ssh", "dotfiles/keys"), (".bashrc", "d/bashrc")]
    {
        symlink(target, root.join(link)).unwrap();
    }
}

#[tokio::test]
async fn what_protected_names_lead_to_is_covered_or_frozen() {
    let bench = Bench::new();
    dotted(&bench.root());
    for (script, works) in [
        ("grep -q password .netrc", false),
        ("grep -q password dotfiles/netrc", false),
        ("cat .ssh/id_x", false),
        ("grep -q set .bashrc", true),
        ("echo evil >> .bashrc", false),
        ("echo evil >> dotfiles/bashrc", false),
        ("rm dotfiles/bashrc", false),
        ("mv dotfiles d2", false),
        ("echo x >> dotfiles/other && mv dotfiles/other dotfiles/another", true),
    ] {
        let result = bench.sh(script).await;
        assert_eq!(result["exit_code"] == 0, works, "{script}: {result}");
        assert!(!result["stdout"].as_str().unwrap().contains("key"), "{result}");
    }
    assert_eq!(fs::read_to_string(bench.root().join(".bashrc")).unwrap(), "set");
}

#[tokio::test]
async fn a_link_on_the_way_that_is_replaced_is_moved_away_and_put_back_and_what_it_led_to_stays() {
    for (script, missing, gone) in [
        ("rm d && ln -s src d", vec![], vec!["d"]),
        ("rm .bashrc && ln -s src/bashrc .bashrc", vec![], vec![".bashrc"]),
        ("rm .bashrc && echo evil > .bashrc", vec![], vec![".bashrc"]),
        ("ln -s src .vscode", vec![], vec![".vscode"]),
        ("rm d && ln -s dotfiles d", vec![], vec![]),
        ("echo x > src/bashrc", vec![], vec![]),
        ("echo evil >> .bashrc", vec![Layer::Mounts], vec!["dotfiles/bashrc"]),
    ] {
        let away = tool_trials::directory();
        let bench =
            Bench::with(SandboxPolicy { quarantine: Some(away.path().to_path_buf()), ..without(&missing) });
        dotted(&bench.root());
        let outcome = bench.call("bash", json!({"cmd": "sh", "args": ["-c", script]})).await;
        match outcome {
            Err(error) => assert_eq!(error.details()["quarantined"], json!(gone), "{script}: {error:?}"),
            Ok(_) => assert!(gone.is_empty(), "{script}"),
        }
        assert_eq!(fs::read_to_string(bench.root().join(".bashrc")).unwrap(), "set", "{script}");
        assert!(bench.root().join("src/bashrc").exists(), "{script}");
        assert!(bench.root().join(".vscode").symlink_metadata().is_err(), "{script}");
    }
}

/// Runs one test of this program again with other variables; whether this is the second run.
fn again(test: &str, variables: &[(&str, &Path)]) -> bool {
    const SECOND: &str = "TOOL_STD_AGAIN";
    if std::env::var_os(SECOND).is_some() {
        return true;
    }
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args([test, "--exact", "--nocapture"]).env(SECOND, "1").envs(variables.iter().copied());
    let output = program.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    false
}

#[tokio::test]
async fn secrets_among_the_programs_of_a_home_are_covered() {
    let place = tempfile::tempdir_in("/var/tmp").unwrap();
    let home = place.path().join("home");
    for (file, text) in [
        ("go/.ssh/id_rsa", "key"),
        (".local/lib/.netrc", "key"),
        (".deno/.git-credentials", "key"),
        (".cargo/credentials.toml", "key"),
        (".cargo/registry/.npmrc", "plain"),
        ("go/src/tests/keys/id_rsa", "plain"),
    ] {
        fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
        fs::write(home.join(file), text).unwrap();
    }
    symlink(".git-credentials", home.join(".deno/_netrc")).unwrap();
    if !again("led::secrets_among_the_programs_of_a_home_are_covered", &[("HOME", &home)]) {
        return;
    }
    let home = std::env::var("HOME").unwrap();
    let bench = Bench::new();
    for (file, text) in [
        ("go/.ssh/id_rsa", ""),
        (".local/lib/.netrc", ""),
        (".deno/.git-credentials", ""),
        (".deno/_netrc", ""),
        (".cargo/credentials.toml", ""),
        (".cargo/registry/.npmrc", "plain"),
        ("go/src/tests/keys/id_rsa", "plain"),
    ] {
        let result = bench.sh(&format!("cat {home}/{file}")).await;
        assert_eq!(result["stdout"], text, "{file}: {result}");
    }
}

#[tokio::test]
async fn a_home_and_a_root_behind_links_are_found_by_both_names() {
    // No program is looked up among temporary files.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if target.starts_with("/tmp") || target.starts_with("/var/tmp") {
        return println!("skipped: what is built here lies among temporary files itself");
    }
    let Ok(place) = tempfile::tempdir_in(target) else {
        return println!("not for an unprivileged user, who has no other place");
    };
    let home = place.path().join("real/u");
    let program = home.join(".cargo/bin/here");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "#!/bin/sh\necho ran\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    symlink("real", place.path().join("home")).unwrap();
    let linked = place.path().join("home/u");
    let path = format!("{}/.cargo/bin:/usr/bin:/bin", linked.display());
    let variables = [("HOME", linked.as_path()), ("PATH", Path::new(&path))];
    if !again("led::a_home_and_a_root_behind_links_are_found_by_both_names", &variables) {
        return;
    }
    // The places of the first run.
    let linked = std::env::var("HOME").unwrap();
    let root = Path::new(&linked).join("p");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f.txt"), "text").unwrap();
    let workspace = Workspace::open(&root, WorkspacePolicy::default()).unwrap();
    let policy = SandboxPolicy { helper: Some(HELPER.into()), ..SandboxPolicy::default() };
    let sandbox = Sandbox::open(policy, &workspace).unwrap();
    let real = fs::canonicalize(&root).unwrap();
    for (script, expected) in [
        ("here".to_owned(), "ran\n"),
        (format!("cat {}/f.txt", root.display()), "text"),
        (format!("cat {}/f.txt", real.display()), "text"),
        ("pwd -P; cd \"$PWD\"".to_owned(), &*format!("{}\n", real.display())),
    ] {
        let command = tool_std::sandbox::Command::new("sh", std::time::Duration::from_secs(20));
        let finished = sandbox.run(command.args(["-c", &script])).await.unwrap();
        assert_eq!(finished.stdout.text, expected, "{script}: {finished:?}");
    }
    assert!(sandbox.report().level() != "none");
}
