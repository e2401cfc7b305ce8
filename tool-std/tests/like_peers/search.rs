//! `search_files` against `rg`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_std::{Workspace, WorkspacePolicy};

use crate::trees::{self, Random, tree};

const PATTERNS: [&str; 8] =
    ["foo", "(?i)FOO", "^foo", "o$", "\\bbar\\b", "é|日", "[a-z]+ [a-z]+", "foo\\.bar"];

/// `path:line:text`, one per match.
fn ours(root: &Path, pattern: &str, hidden: bool) -> String {
    let workspace = Workspace::open(root, WorkspacePolicy::default()).unwrap();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    let executor = Executor::standard(Registry::builder().discover().build().unwrap()).build().unwrap();
    let args = json!({"pattern": pattern, "hidden": hidden, "max_results": 10_000});
    let data = executor.call_blocking(Call::new("search_files", args), &ctx, Caller::Test).unwrap().data();
    let matches = data["matches"].as_array().unwrap();
    matches.iter().fold(String::new(), |mut report, one| {
        let field = |name: &str| one[name].as_str().unwrap().to_owned();
        let line = one["line"].as_u64().unwrap();
        let column = one["column"].as_u64().unwrap();
        writeln!(report, "{}:{line}:{column}:{}", field("path"), field("text")).unwrap();
        report
    })
}

fn theirs(root: &Path, pattern: &str, hidden: bool) -> String {
    let mut rg = Command::new("rg");
    rg.current_dir(root).args([
        "--no-config",
        "--no-require-git",
        "--no-ignore-parent",
        "--no-ignore-global",
        "--crlf",
        "--sort",
        "path",
        "-n",
        "--column",
        "--no-heading",
        "--color",
        "never",
    ]);
    if hidden {
        rg.args(["--hidden", "--glob", "!.git/"]);
    }
    let output = rg.arg("-e").arg(pattern).arg("./").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n");
    text.lines().fold(String::new(), |mut report, line| {
        writeln!(report, "{}", line.strip_prefix("./").unwrap_or(line)).unwrap();
        report
    })
}

/// Entries of the tree, for the message.
pub(crate) fn listing(root: &Path) -> String {
    let output = Command::new("find").current_dir(root).args([".", "-type", "f"]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_search_finds_what_ripgrep_finds() {
    trees::on_every("rg", |seed, random, root| {
        let mut matches = 0;
        let pattern = random.pick(&PATTERNS);
        for hidden in [false, true] {
            let (ours, theirs) = (ours(root, pattern, hidden), theirs(root, pattern, hidden));
            matches += ours.lines().count();
            // `--sort path` of older versions compares whole paths, not components.
            let sorted = |report: &str| {
                let mut lines: Vec<String> = report.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(
                sorted(&ours),
                sorted(&theirs),
                "seed {seed}, pattern {pattern}, hidden {hidden}, files:\n{}",
                listing(root)
            );
        }
        matches
    });
}

#[test]
fn files_and_counts_agree_with_the_matches() {
    let mut random = Random::of(77);
    let dir = tool_trials::directory();
    tree(&mut random, dir.path(), 3);
    let workspace = Workspace::open(dir.path(), WorkspacePolicy::default()).unwrap();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    let executor = Executor::standard(Registry::builder().discover().build().unwrap()).build().unwrap();
    let search = |output: &str, sort: &str| -> Value {
        let args = json!({"pattern": "o", "output": output, "sort": sort});
        executor.call_blocking(Call::new("grep", args), &ctx, Caller::Test).unwrap().data()
    };
    let matches = search("matches", "path");
    for sort in ["path", "modified", "none"] {
        let counts = search("counts", sort);
        assert_eq!(counts["matched_lines"], matches["matched_lines"]);
        let count = counts["counts"].as_array().unwrap().len();
        assert_eq!(search("files", sort)["files"].as_array().unwrap().len(), count);
        assert!(count > 0);
    }
}
