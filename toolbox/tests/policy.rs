//! Policy files through the real program: checked, explained, and held to. (calls.md §4)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::process::{Command, Output};

fn toolbox(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolbox"))
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .unwrap()
}

fn told(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

fn folder(policy: &str) -> tool_trials::Directory {
    let folder = tool_trials::directory();
    std::fs::write(folder.path().join("p.toml"), policy).unwrap();
    folder
}

const BAD: &str = "\
version = 1
[agents.bot]
tool = [\"*\"]
tools = [\"read_file\", \"write_fil\", \"read_file\"]
approve = \"sometimes\"
[agents.bot.tool_config.read_file]
allowed_paths = [\"../x\"]
";

#[test]
fn five_mistakes_are_five_lines_in_order_and_exit_6() {
    let bad = folder(BAD);
    let (status, text) = told(&toolbox(bad.path(), &["policy", "check", "p.toml"]));
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("p.toml:")).collect();
    assert_eq!((status, lines.len()), (Some(6), 5), "{text}");
    for (line, wanted) in
        lines.iter().zip(["p.toml:3:1:", "p.toml:4:23:", "p.toml:4:36:", "p.toml:5:11:", "p.toml:7:18:"])
    {
        assert!(line.contains(wanted), "{line} lacks {wanted}");
    }
    assert!(
        text.contains("did you mean \"tools\"?") && text.contains("did you mean \"write_file\"?"),
        "{text}"
    );
    let (status, text) = told(&toolbox(bad.path(), &["--policy", "p.toml", "tools", "why", "read_file"]));
    assert_eq!(status, Some(6), "nothing is allowed by a file with a mistake: {text}");

    let good = folder("version = 1\n[agents.operator]\ntools = [\"group:file\"]\n");
    let (status, text) = told(&toolbox(good.path(), &["policy", "check", "p.toml"]));
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn why_tells_reasons_and_its_exit_code_says_which_kind() {
    let file = folder("version = 1\n[agents.writer]\ntools = [\"write_file\"]\n");
    let why = |args: &[&str]| told(&toolbox(file.path(), &[&["tools", "why"], args].concat()));
    assert_eq!(why(&["read_file", "-o", "text"]), (Some(0), "visible\n".to_owned()));
    let (status, text) = why(&["read_file", "--agent", "writer", "-o", "text"]);
    assert_eq!(status, Some(5), "{text}");
    assert!(text.starts_with("not_enabled: "), "{text}");
    let (status, text) = why(&["write_file", "--agent", "writer", "--policy", "p.toml", "--json"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("\"surface\": \"llm\"") || text.contains("\"surface\":\"llm\""), "{text}");
    assert_eq!(why(&["no_such_tool"]).0, Some(3));
}

#[test]
fn a_policy_holds_the_person_to_what_it_says_of_the_operator() {
    let rules = "version = 1\n[agents.operator]\ntools = [\"read_file\", \"write_file\"]\n\
                 [agents.operator.tool_config.read_file]\nallowed_paths = [\"docs/**\"]\n";
    let file = folder(rules);
    std::fs::create_dir(file.path().join("docs")).unwrap();
    std::fs::write(file.path().join("docs/a.txt"), "inside\n").unwrap();
    std::fs::write(file.path().join("b.txt"), "outside\n").unwrap();
    let call = |tool: &str, path: &str| {
        told(&toolbox(file.path(), &["--policy", "p.toml", "call", tool, "--path", path]))
    };
    let (status, text) = call("read_file", "docs/a.txt");
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("inside"), "{text}");
    let (status, text) = call("read_file", "b.txt");
    assert_eq!(status, Some(5), "{text}");
    assert!(text.contains("path_not_allowed") || text.contains("is not in allowed_paths"), "{text}");
    let (status, text) = call("list_dir", "docs");
    assert_eq!(status, Some(5), "{text}");

    let explain = |path: &str| {
        let args = format!("{{\"path\":\"{path}\"}}");
        let line = ["--policy", "p.toml", "policy", "explain", "read_file", &args, "-o", "text"];
        told(&toolbox(file.path(), &line))
    };
    assert_eq!(explain("docs/a.txt").1, "tools: enabled\nallowed_paths /path: holds\napproval: not needed\n");
    assert!(
        explain("b.txt")
            .1
            .contains("allowed_paths /path: path_not_allowed: path \"b.txt\" is not in allowed_paths")
    );
    let unknown = told(&toolbox(file.path(), &["--policy", "p.toml", "policy", "explain", "read_fil"]));
    assert!(unknown.0 == Some(3) && unknown.1.contains("did you mean: read_file?"), "{unknown:?}");
}

#[test]
fn a_policy_that_never_asks_before_what_destroys_is_a_finding() {
    let check = |approve: &str, tools: &str| {
        let text =
            format!("version = 1\n[agents.operator]\ntools = [\"{tools}\"]\napprove = \"{approve}\"\n");
        let folder = folder(&text);
        let (_, told) = told(&toolbox(folder.path(), &["--policy", "p.toml", "check"]));
        told.lines()
            .filter(|line| line.starts_with("warning destructive-unconfirmed "))
            .map(str::to_owned)
            .collect()
    };
    let found: Vec<String> = check("never", "delete_file");
    let wanted = "warning destructive-unconfirmed delete_file: it is destructive, and the policy lets the agent \
                  `operator` call it without asking";
    assert_eq!(found, [wanted]);
    assert!(check("destructive", "delete_file").is_empty());
    assert!(check("never", "read_file").is_empty());
}

#[test]
fn a_policy_that_never_ends_is_refused_at_once() {
    let folder = folder("version = 1\n[agents.operator]\ntools = [\"*\"]\n");
    let at = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe.toml")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", at("zero.toml")).unwrap();
    std::fs::File::create(at("sparse.toml")).unwrap().set_len(1 << 40).unwrap();
    std::fs::write(at("latin.toml"), b"version = 1 # \xe9").unwrap();
    for (name, wanted) in [
        ("pipe.toml", "not a regular file"),
        ("zero.toml", "not a regular file"),
        ("sparse.toml", "more than 1048576 bytes"),
        ("latin.toml", "not UTF-8"),
    ] {
        for words in [&["policy", "check", name][..], &["--policy", name, "file", "read", "p.toml"]] {
            let (status, text) = told(&toolbox(folder.path(), words));
            assert_eq!((status, text.contains(wanted)), (Some(6), true), "{words:?}: {text}");
        }
    }
    assert_eq!(told(&toolbox(folder.path(), &["policy", "check", "p.toml"])).0, Some(0));
}

#[test]
fn nobody_changes_the_files_that_they_are_held_to() {
    let file = folder("version = 1\n[agents.operator]\ntools = [\"*\"]\napprove = \"never\"\n");
    std::fs::write(file.path().join("s.toml"), "color = \"never\"\n").unwrap();
    let write = |path: &str| {
        let words = ["--policy", "p.toml", "--config", "s.toml", "file", "write", path, "x"];
        told(&toolbox(file.path(), &words))
    };
    for path in ["p.toml", "s.toml"] {
        let (status, text) = write(path);
        assert_eq!((status, text.contains("protected_path")), (Some(5), true), "{path}: {text}");
    }
    assert_eq!(write("other.toml").0, Some(0));
}

#[test]
fn what_the_defaults_have_wrong_is_told_once_however_many_agents_take_it() {
    let text = "version = 1\n[defaults]\nburst = 3\ntools = [\"read_file\"]\n[defaults.tool_config.write_file]\napprove = \"never\"\n\
                [agents.a]\n[agents.b]\n[agents.c]\n";
    let folder = folder(text);
    let (status, told) = told(&toolbox(folder.path(), &["policy", "check", "p.toml"]));
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("p.toml:")).collect();
    assert_eq!(status, Some(6), "{told}");
    assert!(lines.len() == 2 && lines[0].contains(":3:") && lines[1].contains(":5:"), "{told}");
}
