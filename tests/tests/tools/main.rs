//! One file for each standard tool, with everything that is proved of it. (testing.md §5)
//!
//! `// covers: N` above a test says which item it keeps. What every tool must have is read from the registry: a file or an item
//! that is missing fails with the tool's name.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at what it cannot do, and says what it skips"
)]

mod commands;
mod common;
mod effects;
mod process_names;
mod proofs;
mod refusals;
mod two_names;

mod bash;
mod copy_file;
mod delete_file;
mod edit_file;
mod edit_lines;
mod file_exists;
mod file_info;
mod find_files;
mod list_dir;
mod make_dir;
mod move_file;
mod process_list;
mod process_output;
mod process_stop;
mod read_file;
mod replace_text;
mod run_command;
mod search_files;
mod write_file;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::registry;

/// Items of the list.
const ITEMS: std::ops::RangeInclusive<u32> = 1..=14;

/// The item that only tools with a side effect have.
const RECOVERY: u32 = 14;

/// Tools, an item that does not apply to them, and why.
const EXCEPT: &[(&str, u32, &str)] = &[
    ("delete_file", 11, "nothing gives back what it deletes"),
    ("file_exists", 11, "one word about one name composes with nothing"),
    ("process_list", 11, "a list without parameters has no parts to put together"),
    ("process_stop", 11, "what has ended does not begin again"),
];

/// How many tools there are at least: where the registry lost some, what is missing of them would not be told.
const TOOLS: usize = 19;

/// Tools whose files are still to be written.
const NOT_YET: &[&str] = &[];

/// The items that the tests of a file say they cover; only a mark directly above a test counts.
fn covered(text: &str) -> BTreeSet<u32> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_test = |line: &&&str| line.starts_with("#[test]") || line.starts_with("#[tokio::test");
    let marks = lines.iter().zip(lines.iter().skip(1)).filter(|(_, next)| is_test(next));
    let numbers = marks.filter_map(|(mark, _)| mark.strip_prefix("// covers: "));
    numbers.flat_map(|numbers| numbers.split(", ").map(|number| number.parse().unwrap())).collect()
}

/// The names of the standard tools that have a file.
fn tools() -> Vec<&'static str> {
    let standard = registry().iter().filter(|entry| entry.def().origin.source.krate == "tool-std");
    standard.map(|entry| entry.name()).filter(|name| !NOT_YET.contains(name)).collect()
}

/// What stands in the file of a tool.
fn file_of(name: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools");
    fs::read_to_string(folder.join(format!("{name}.rs"))).ok()
}

/// What is missing of a tool when its file is this, each with the tool's name.
fn missing(name: &str, file: Option<&str>) -> Vec<String> {
    let mut wrong = Vec::new();
    if !include_str!("main.rs").contains(&format!("\nmod {name};\n")) {
        wrong.push(format!("{name}: its file is not a module"));
    }
    let Some(text) = file else {
        wrong.push(format!("{name}: there is no tests/tools/{name}.rs"));
        return wrong;
    };
    let found = covered(text);
    let side_effect = registry().get(name).unwrap().def().behavior.side_effect;
    for item in ITEMS {
        let except = EXCEPT.iter().find(|row| (row.0, row.1) == (name, item));
        let applies = except.is_none() && (item != RECOVERY || side_effect);
        match (applies, found.contains(&item)) {
            (true, false) => wrong.push(format!("{name}: no test covers item {item}")),
            (false, true) => wrong.push(format!("{name}: item {item} does not apply, and is covered")),
            _ => {}
        }
    }
    let unknown = found.iter().filter(|item| !ITEMS.contains(item));
    wrong.extend(unknown.map(|item| format!("{name}: no item {item}")));
    wrong
}

#[test]
fn every_tool_has_its_file_and_every_item() {
    let known = |name: &&&str| registry().get(name).is_some();
    assert!(EXCEPT.iter().map(|row| &row.0).chain(NOT_YET).all(|name| known(&name)), "a tool that is gone");
    assert!(tools().len() >= TOOLS, "{:?}", tools());
    let wrong: Vec<String> =
        tools().into_iter().flat_map(|name| missing(name, file_of(name).as_deref())).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_file_that_is_deleted_and_an_item_that_is_removed_are_told_with_the_tools_name() {
    let mut removed = 0;
    for name in tools() {
        assert_eq!(missing(name, None), [format!("{name}: there is no tests/tools/{name}.rs")]);
        let text = file_of(name).unwrap();
        for item in covered(&text) {
            let without: Vec<String> = text.lines().map(|line| without_item(line, item)).collect();
            let told = missing(name, Some(&without.join("\n")));
            assert_eq!(told, [format!("{name}: no test covers item {item}")]);
            removed += 1;
        }
    }
    // All but the exceptions, and the last one of those that change nothing.
    assert!(removed > tools().len() * (RECOVERY as usize - 1) - EXCEPT.len() - 1, "{removed} items");
}

/// A line, without an item if it is a mark.
fn without_item(line: &str, item: u32) -> String {
    let Some(numbers) = line.trim().strip_prefix("// covers: ") else { return line.to_owned() };
    let others = numbers.split(", ").filter(|number| *number != item.to_string());
    let others: Vec<&str> = others.collect();
    if others.is_empty() { String::new() } else { format!("// covers: {}", others.join(", ")) }
}

#[test]
fn only_a_mark_directly_above_a_test_counts() {
    let text =
        "// covers: 1\n#[test]\nfn a() {}\n// covers: 2\nfn b() {}\n// covers: 3, 4\n#[test]\nfn c() {}\n";
    assert_eq!(covered(text), BTreeSet::from([1, 3, 4]));
}
