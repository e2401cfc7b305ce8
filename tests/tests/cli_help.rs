//! Help of every command at 80 columns, as files in `golden/help`: `SNAPSHOTS=overwrite` writes them again.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use snapbox::assert::Action;
use snapbox::data::DataFormat;
use snapbox::{Assert, Data};
use tests::built::program;

/// Standard output of a run that says nothing else.
fn printed(program: &Path, words: &[&str]) -> String {
    let run = Command::new(program).args(words).env_clear().output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success() && said.is_empty(), "{words:?}: {said}");
    String::from_utf8(run.stdout).unwrap()
}

/// The commands of a program's own tools, groups first.
fn commands(program: &Path) -> Vec<String> {
    let listed: Vec<Value> = serde_json::from_str(&printed(program, &["tools", "list", "--json"])).unwrap();
    let words: Vec<String> =
        listed.iter().filter_map(|tool| Some(tool["command"].as_str()?.to_owned())).collect();
    let groups: BTreeSet<String> =
        words.iter().filter_map(|words| Some(words.split_once(' ')?.0.to_owned())).collect();
    groups.into_iter().chain(words).collect()
}

/// Both pages of a command, as a transcript.
fn pages(program: &Path, name: &str, words: &str) -> String {
    ["-h", "--help"]
        .map(|option| {
            let argv: Vec<&str> = words.split_whitespace().chain([option]).collect();
            let line = [vec![name], argv.clone()].concat().join(" ");
            format!("$ {line}\n{}", printed(program, &argv))
        })
        .join("\n")
}

/// Whether a line is an example, which is never broken.
fn is_one_piece(line: &str, name: &str) -> bool {
    line.trim_start().starts_with(&format!("{name} "))
}

fn golden(program: &Path, name: &str, commands: impl IntoIterator<Item = String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/help").join(name);
    let action = if tool_trials::overwrites("SNAPSHOTS") { Action::Overwrite } else { Action::Verify };
    let assert = Assert::new().action_env("SNAPSHOTS").action(action).normalize_paths(false);
    let mut files = BTreeSet::new();
    for words in commands {
        let file = if words.is_empty() { name.to_owned() } else { words.replace(' ', "-") } + ".txt";
        let text = pages(program, name, &words);
        let fits = |line: &&str| line.chars().count() <= 80 || is_one_piece(line, name);
        assert_eq!(text.lines().find(|line| !fits(line)), None, "{words}");
        assert.eq(text, Data::read_from(&folder.join(&file), Some(DataFormat::Text)));
        files.insert(file);
    }
    let kept: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(kept, files, "a file for each command and no other");
}

/// The words of a section of a page.
fn section(page: &str, title: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != format!("{title}:")).skip(1);
    // What is indented further goes on with the text of the word above.
    let words = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    words.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// The commands that a program has beside its tools, as its pages list them: groups first.
fn built_in(program: &Path) -> Vec<String> {
    let words = section(&printed(program, &["-h"]), "Built-in");
    let below = |word: &String| -> Vec<String> {
        let page = printed(program, &[word, "-h"]);
        section(&page, "Commands").iter().map(|below| format!("{word} {below}")).collect()
    };
    words.iter().flat_map(|word| [vec![word.clone()], below(word)].concat()).collect()
}

fn all(program: &Path) -> Vec<String> {
    [vec![String::new()], commands(program), built_in(program)].concat()
}

#[test]
fn help_of_every_command_of_the_demo() {
    let demo = Path::new(env!("CARGO_BIN_EXE_demo"));
    let all = all(demo);
    for known in ["tools check", "tools lock", "doctor", "help", "store search"] {
        assert!(all.iter().any(|words| words == known), "{known} in {all:?}");
    }
    golden(demo, "demo", all);
}

#[test]
fn help_of_every_command_of_the_toolbox() {
    let toolbox = program("toolbox");
    let all = all(&toolbox);
    for known in ["journal show", "mcp serve", "policy check", "file read"] {
        assert!(all.iter().any(|words| words == known), "{known} in {all:?}");
    }
    golden(&toolbox, "toolbox", all);
}
