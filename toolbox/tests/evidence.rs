//! What is kept of a recorded change lives as long as its row in the journal. (files.md §13)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::process::{Command, Output};

/// Runs with a state directory of its own.
fn toolbox(base: &Path, words: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_toolbox"));
    program.args(["--yes", "--root"]).arg(base.join("root")).args(words).env_clear();
    let output = program.env("XDG_STATE_HOME", base).env("TOOLBOX_RUN", "first").output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    output
}

/// The same with a journal in a place of its own.
fn with_journal(base: &Path, journal: &str, words: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_toolbox"));
    program.args(["--yes", "--root"]).arg(base.join("root")).args(words).env_clear();
    program.env("XDG_STATE_HOME", base.join("state")).env("TOOLBOX_RUN", "first");
    program.env("TOOLBOX_JOURNAL", base.join(journal)).output().unwrap()
}

fn kept(base: &Path) -> usize {
    std::fs::read_dir(base.join("toolbox/effects")).unwrap().count()
}

#[test]
fn evidence_goes_with_the_row_of_its_call_and_not_before() {
    let base = tool_trials::directory();
    std::fs::create_dir(base.path().join("root")).unwrap();
    for content in ["one", "two"] {
        toolbox(base.path(), &["file", "write", "a.txt", content]);
    }
    assert_eq!(kept(base.path()), 2);
    toolbox(base.path(), &["journal", "prune", "--older", "1d"]);
    assert_eq!(kept(base.path()), 2, "the rows are kept");
    toolbox(base.path(), &["journal", "revert", "--run", "first", "--after", "1.1"]);
    assert_eq!(std::fs::read_to_string(base.path().join("root/a.txt")).unwrap(), "one");
    toolbox(base.path(), &["journal", "prune", "--older", "0d"]);
    assert_eq!(kept(base.path()), 0);
}

#[test]
fn evidence_lies_beside_the_journal_that_knows_its_calls() {
    let base = tool_trials::directory();
    std::fs::create_dir(base.path().join("root")).unwrap();
    std::fs::create_dir(base.path().join("data")).unwrap();
    let count = |place: &str| std::fs::read_dir(base.path().join(place)).map(Iterator::count).ok();
    let text = || std::fs::read_to_string(base.path().join("root/a.txt")).unwrap();
    let run = |journal: &str, words: &[&str]| {
        let output = with_journal(base.path(), journal, words);
        assert!(output.status.success(), "{words:?}: {output:?}");
    };
    // Both journals know the call by this key.
    let write = |journal: &str, content: &str| {
        run(journal, &["file", "write", "a.txt", content, "--idempotency-key", "one"]);
    };
    write("data/one.db", "first");
    write("data/two.db", "second");
    assert_eq!((count("data/one.db-effects"), count("data/two.db-effects")), (Some(1), Some(1)));
    assert_eq!(count("state/toolbox/effects"), None);
    run("data/two.db", &["journal", "revert", "--run", "first"]);
    assert_eq!(text(), "first");
    run("data/two.db", &["journal", "prune", "--older", "0d"]);
    assert_eq!((count("data/one.db-effects"), count("data/two.db-effects")), (Some(1), Some(0)));
    // It goes where the journal goes.
    for name in ["one.db", "one.db-effects", "one.db-effects.total", "one.seal"] {
        let _ = std::fs::rename(base.path().join("data").join(name), base.path().join(name));
    }
    run("one.db", &["journal", "revert", "--run", "first"]);
    assert!(!base.path().join("root/a.txt").exists());
}

#[test]
fn no_command_reads_evidence_even_where_it_may_read_beside_the_journal() {
    let base = tool_trials::directory();
    let data = base.path().join("data");
    std::fs::create_dir(base.path().join("root")).unwrap();
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("other"), "read").unwrap();
    let settings = base.path().join("settings.toml");
    std::fs::write(&settings, format!("[sandbox]\nread = [{:?}]\n", data)).unwrap();
    let run = |words: &[&str]| {
        let words = [&["--config", settings.to_str().unwrap()], words].concat();
        let output = with_journal(base.path(), "data/j.db", &words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["file", "write", "a.txt", "canary"]);
    run(&["file", "write", "a.txt", "new"]);
    let found = std::fs::read_dir(data.join("j.db-effects")).unwrap();
    let mut kept = found.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    assert!(kept.any(|text| text.ends_with("canary")));
    let script = format!(
        "cat {0}/other; cat {0}/j.db-effects/* {0}/j.db-effects.total 2>/dev/null; true",
        data.display()
    );
    let output = run(&["--format", "json", "shell", "bash", "sh", "--", "-c", &script]);
    let output: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert_eq!(output["stdout"], "read", "{output}");
}
