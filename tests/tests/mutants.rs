//! `mutants.md` holds together: what it lists is still there, its counts add up, and enough of what was tried is noticed.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::fs;
use std::path::{Path, PathBuf};

/// The parts of which every file has a row, but for those in which nothing can be changed. (testing.md §6)
const WHOLE: [&str; 7] = [
    "tool-core/src/args",
    "tool-core/src/call",
    "tool-core/src/contract",
    "tool-core/src/dialect",
    "tool-core/src/registry",
    "tool-core/src/schema",
    "tool-policy/src",
];

/// Parts of those that must be noticed by themselves, too: what refuses, and what hides.
const STRICT: [&str; 2] = ["tool-core/src/call/gate", "tool-core/src/call/redact"];

/// Modules, tests and tables.
const UNCHANGED: [&str; 8] = [
    "tool-core/src/args/mod.rs",
    "tool-core/src/args/direct/tests.rs",
    "tool-core/src/call/audit/query.rs",
    "tool-core/src/call/mod.rs",
    "tool-core/src/contract/mod.rs",
    "tool-core/src/contract/check/lints.rs",
    "tool-core/src/registry/link.rs",
    "tool-policy/src/lib.rs",
];

/// What a row of counts says of a file.
struct Counted {
    file: String,
    changes: usize,
    noticed: usize,
    timeout: usize,
    untried: usize,
    unnoticed: usize,
}

/// A row of what is not noticed: the file, the function, and how many changes of it.
struct Listed {
    file: String,
    function: String,
    changes: usize,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The rows of both tables.
fn tables() -> (Vec<Counted>, Vec<Listed>) {
    let text = fs::read_to_string(root().join("tests/mutants.md")).unwrap();
    let (mut counted, mut listed) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let cells: Vec<&str> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
        let [file, second, third, ..] = cells[..] else { continue };
        let file = file.to_owned();
        let numbers: Result<Vec<usize>, _> = cells.iter().skip(1).map(|cell| cell.parse()).collect();
        if let Ok(numbers) = numbers {
            let [changes, noticed, timeout, unviable, not_run, unnoticed] = numbers.try_into().unwrap();
            counted.push(Counted { file, changes, noticed, timeout, untried: unviable + not_run, unnoticed });
        } else if file.ends_with(".rs") {
            let changes = if third.ends_with("(2 of them)") { 2 } else { 1 };
            listed.push(Listed { file, function: second.trim_matches('`').to_owned(), changes });
        }
    }
    (counted, listed)
}

#[test]
fn every_unnoticed_change_names_a_file_and_a_function_that_exist() {
    let (counted, listed) = tables();
    let files = counted.iter().filter(|row| row.file != "all").map(|row| (&row.file, None));
    let functions = listed.iter().map(|row| (&row.file, row.function.rsplit("::").next()));
    let mut gone = Vec::new();
    for (file, function) in files.chain(functions) {
        let source = fs::read_to_string(root().join(file)).unwrap_or_default();
        let declares =
            |name: &str| ["(", "<"].iter().any(|next| source.contains(&format!("fn {name}{next}")));
        if source.is_empty() || !function.is_none_or(declares) {
            gone.push(format!("{file} {}", function.unwrap_or_default()));
        }
    }
    assert!(!listed.is_empty() && gone.is_empty(), "gone:\n{}", gone.join("\n"));
}

/// The files below a directory, by their place in the project.
fn files(directory: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(directory)).unwrap().map(|entry| entry.unwrap());
    let below = |entry: fs::DirEntry| {
        let place = format!("{directory}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() { files(&place) } else { vec![place] }
    };
    entries.flat_map(below).collect()
}

#[test]
fn every_file_of_the_parts_that_were_tried_whole_has_a_row() {
    let (counted, _) = tables();
    let is_tried =
        |file: &String| counted.iter().any(|row| row.file == *file) || UNCHANGED.contains(&file.as_str());
    let missing: Vec<String> = WHOLE.into_iter().flat_map(files).filter(|file| !is_tried(file)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn as_many_changes_are_told_as_are_counted() {
    let text = fs::read_to_string(root().join("tests/mutants.md")).unwrap();
    let all = tables().0.iter().rfind(|row| row.file == "all").unwrap().changes;
    assert!(text.contains(&format!(": {all} changes.\n")), "{all}");
}

#[test]
fn every_count_adds_up_and_every_change_that_nobody_notices_is_listed() {
    let (counted, listed) = tables();
    for row in &counted {
        let all = row.noticed + row.timeout + row.untried + row.unnoticed;
        assert_eq!(row.changes, all, "{}", row.file);
        let is_of = |other: &&Listed| row.file == "all" || other.file == row.file;
        assert_eq!(
            row.unnoticed,
            listed.iter().filter(is_of).map(|row| row.changes).sum::<usize>(),
            "{}",
            row.file
        );
    }
    let all = counted.iter().rfind(|row| row.file == "all").unwrap();
    assert_eq!(
        all.changes,
        counted.iter().filter(|row| row.file != "all").map(|row| row.changes).sum::<usize>()
    );
}

#[test]
fn enough_of_what_was_tried_is_noticed_in_every_part() {
    let (counted, _) = tables();
    let percent = tool_trials::NOTICED;
    for directory in WHOLE.into_iter().chain(STRICT) {
        let rows = || counted.iter().filter(|row| Path::new(&row.file).starts_with(directory));
        let noticed: usize = rows().map(|row| row.noticed + row.timeout).sum();
        let tried = noticed + rows().map(|row| row.unnoticed).sum::<usize>();
        assert!(
            tried > 0 && noticed * 100 >= tried * percent,
            "{directory}: {noticed} of {tried}, wanted {percent} %"
        );
    }
}
