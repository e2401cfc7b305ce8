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

fn kept(base: &Path) -> usize {
    std::fs::read_dir(base.join("toolbox/effects")).unwrap().count()
}

#[test]
fn evidence_goes_with_the_row_of_its_call_and_not_before() {
    let base = tempfile::tempdir().unwrap();
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
