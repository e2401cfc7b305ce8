//! Completion in the shells themselves: they accept the scripts, and complete half-typed words with them.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test, and tell why they are skipped"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A half-typed line, and what its last word becomes.
const LINES: [(&str, &str); 11] = [
    ("demo sto", "store"),
    ("demo store sea", "search"),
    ("demo tools li", "list"),
    ("demo store search --li", "--limit"),
    ("demo store search lamp --level hi", "high"),
    ("demo -o yam", "yaml"),
    ("demo probe fail con", "conflict"),
    ("demo completions po", "powershell"),
    ("demo store search --dry", "--dry-run"),
    ("demo login --password-file no", "notes.txt"),
    // The plain option of a secret is refused, so it is not offered.
    ("demo login --pass", "--password-file"),
];

/// Words that no shell offers: hidden options and tools, deprecated ones, and what is no option at all.
const HIDDEN: [&str; 7] = [
    "demo deploy app --trace",
    "demo store loc",
    "demo read",
    "demo -o xm",
    "demo note ra",
    "demo note old",
    "demo deploy app --siz",
];

/// Whether a shell is there; without it a test says so and is over.
fn has(shell: &str) -> bool {
    let found = Command::new(shell).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        tool_trials::skip(&format!("no {shell}"));
    }
    found
}

/// A directory with the script under the name that its shell looks for, and a file to complete.
fn prepared(shell: &str, script: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let printed = Command::new(env!("CARGO_BIN_EXE_demo")).args(["completions", shell]).output().unwrap();
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let script = directory.path().join(script);
    std::fs::write(&script, printed.stdout).unwrap();
    std::fs::write(directory.path().join("notes.txt"), "").unwrap();
    (directory, script)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn run(directory: &Path, command: &mut Command) -> Output {
    command.current_dir(directory).env("HOME", directory).stdin(Stdio::null()).output().unwrap()
}

fn accepts(shell: &str, script: &Path) {
    let checked = Command::new(shell).arg("-n").arg(script).output().unwrap();
    assert!(checked.status.success() && checked.stderr.is_empty(), "{shell} -n: {}", text(&checked.stderr));
}

fn driver(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("shells").join(name)
}

#[test]
fn bash_completes_words_options_choices_and_paths() {
    if !has("bash") {
        return;
    }
    let (directory, script) = prepared("bash", "demo.bash");
    accepts("bash", &script);
    let complete = |line: &str| {
        let driver = driver("bash.bash");
        let done = run(directory.path(), Command::new("bash").arg(driver).arg(&script).arg(line));
        assert!(done.stderr.is_empty(), "{line}: {}", text(&done.stderr));
        text(&done.stdout)
    };
    for (line, word) in LINES {
        assert_eq!(complete(line), word, "{line}");
    }
    for line in HIDDEN {
        assert_eq!(complete(line), "", "{line}");
    }
}

#[test]
fn fish_completes_words_options_choices_and_paths() {
    if !has("fish") {
        return;
    }
    let (directory, script) = prepared("fish", "demo.fish");
    accepts("fish", &script);
    let complete = |line: &str| {
        let order = format!("source {}; complete -C '{line}'", script.display());
        let done = run(directory.path(), Command::new("fish").args(["--no-config", "-c", &order]));
        assert!(done.stderr.is_empty(), "{line}: {}", text(&done.stderr));
        let shown = text(&done.stdout);
        let words: Vec<&str> =
            shown.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
        words.join(" ")
    };
    for (line, word) in LINES {
        assert_eq!(complete(line), word, "{line}");
    }
    for line in HIDDEN {
        assert_eq!(complete(line), "", "{line}");
    }
}

#[test]
fn zsh_completes_words_options_choices_and_paths() {
    if !has("zsh") {
        return;
    }
    let (directory, script) = prepared("zsh", "_demo");
    accepts("zsh", &script);
    let complete = |line: &str| {
        let answer = tempfile::tempdir().unwrap();
        let file = answer.path().join("line");
        let mut zsh = Command::new("zsh");
        let done = run(
            directory.path(),
            zsh.arg("-f").arg(driver("zsh.zsh")).arg(directory.path()).arg(&file).arg(line),
        );
        text(&done.stdout)
    };
    for (line, word) in LINES {
        let head = line.rsplit_once(' ').unwrap().0;
        // zsh adds the `=` behind which a value may stand.
        assert_eq!(complete(line).trim_end_matches('='), format!("{head} {word}"), "{line}");
    }
    for line in HIDDEN {
        assert_eq!(complete(line), line, "{line}");
    }
}

#[test]
fn the_other_shells_have_a_script_with_every_group() {
    for (shell, mark) in [
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "set edit:completion"),
        ("nushell", "export extern"),
    ] {
        let printed = Command::new(env!("CARGO_BIN_EXE_demo")).args(["completions", shell]).output().unwrap();
        let script = text(&printed.stdout);
        assert!(script.contains(mark), "{shell}");
        for group in ["deploy", "draw", "file", "math", "note", "probe", "process", "store"] {
            assert!(script.contains(group), "{shell}: {group}");
        }
        assert!(!script.contains("trace-id") && !script.contains("cat_file"), "{shell}");
    }
}
