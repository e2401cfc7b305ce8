//! `search_files` against the real `rg` on random trees with ignore files, hidden files and Unicode.

#![cfg(test)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_std::{Workspace, WorkspacePolicy};

/// Trees that are compared; `TOOL_TREES` asks for another number.
const TREES: u64 = 60;

/// A small generator (xorshift*), so that a seed names a tree.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const NAMES: [&str; 14] = [
    "a.txt", "b.log", "c.rs", "keep.log", "x y", "é.txt", ".hidden", ".cfg", "日本", "Z", "-n", "a[1].txt",
    "build", "t~",
];
const RULES: [&str; 20] = [
    "*.log",
    "!keep.log",
    "build/",
    "/a.txt",
    "d0/*.rs",
    "**/c.rs",
    "d1/**",
    "# comment",
    "",
    "\\!x",
    "!.hidden",
    ".cfg",
    "*.t?t",
    "[a-c].*",
    "é*",
    "d0",
    "!d0/",
    "*/b.log",
    "a\\[1\\].txt",
    "Z ",
];
const WORDS: [&str; 10] = ["foo", "bar", "Foo", "baz qux", "é", "日本語", "foo.bar", "", "  foo", "x=1"];
const PATTERNS: [&str; 8] =
    ["foo", "(?i)FOO", "^foo", "o$", "\\bbar\\b", "é|日", "[a-z]+ [a-z]+", "foo\\.bar"];

fn tree(random: &mut Random, at: &Path, depth: u64) {
    for name in [".gitignore", ".ignore"] {
        if random.below(4) == 0 {
            let rules: Vec<&str> = (0..=random.below(4)).map(|_| random.pick(&RULES)).collect();
            fs::write(at.join(name), rules.join("\n")).unwrap();
        }
    }
    if random.below(6) == 0 {
        fs::create_dir_all(at.join(".git/info")).unwrap();
        fs::write(at.join(".git/info/exclude"), random.pick(&RULES)).unwrap();
        fs::write(at.join(".git/HEAD"), "foo\n").unwrap();
    }
    for _ in 0..random.below(6) {
        let path = at.join(random.pick(&NAMES));
        if !path.exists() {
            fs::write(path, text(random)).unwrap();
        }
    }
    if depth > 0 {
        for name in ["d0", "d1", ".d2", "build", "é"] {
            let path = at.join(name);
            if random.below(3) == 0 && !path.exists() {
                fs::create_dir(&path).unwrap();
                tree(random, &path, depth - 1);
            }
        }
    }
}

fn text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(8) {
        let end = random.pick(&["\n", "\n", "\n", "\r\n"]);
        write!(text, "{}{}{end}", random.pick(&WORDS), random.pick(&WORDS)).unwrap();
    }
    if random.below(3) == 0 {
        text.push_str(random.pick(&WORDS));
    }
    text
}

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
fn listing(root: &Path) -> String {
    let output = Command::new("find").current_dir(root).args([".", "-type", "f"]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_search_finds_what_ripgrep_finds() {
    if Command::new("rg").arg("--version").output().is_err() {
        assert_ne!(std::env::var("TOOL_REQUIRE_PEERS").as_deref(), Ok("1"), "rg is not installed");
        println!("skipped: rg not installed");
        return;
    }
    let trees = std::env::var("TOOL_TREES").ok().and_then(|trees| trees.parse().ok()).unwrap_or(TREES);
    let mut matches = 0;
    for seed in 1..=trees {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let dir = tempfile::tempdir().unwrap();
        tree(&mut random, dir.path(), 3);
        let pattern = random.pick(&PATTERNS);
        for hidden in [false, true] {
            let (ours, theirs) = (ours(dir.path(), pattern, hidden), theirs(dir.path(), pattern, hidden));
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
                listing(dir.path())
            );
        }
    }
    println!("{trees} trees, {matches} matches as rg finds them");
    assert!(matches > 100, "the trees hold too little");
}

#[test]
fn files_and_counts_agree_with_the_matches() {
    let mut random = Random(77);
    let dir = tempfile::tempdir().unwrap();
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
