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

#[test]
fn every_tool_has_its_file_and_every_item() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools");
    let own = include_str!("main.rs");
    let mut wrong = Vec::new();
    for entry in registry().iter().filter(|entry| entry.def().origin.source.krate == "tool-std") {
        let name = entry.name();
        if NOT_YET.contains(&name) {
            continue;
        }
        if !own.contains(&format!("\nmod {name};\n")) {
            wrong.push(format!("{name}: its file is not a module"));
        }
        let Ok(text) = fs::read_to_string(folder.join(format!("{name}.rs"))) else {
            wrong.push(format!("{name}: there is no tests/tools/{name}.rs"));
            continue;
        };
        let found = covered(&text);
        for item in ITEMS {
            let except = EXCEPT.iter().find(|row| (row.0, row.1) == (name, item));
            let applies = except.is_none() && (item != RECOVERY || entry.def().behavior.side_effect);
            match (applies, found.contains(&item)) {
                (true, false) => wrong.push(format!("{name}: no test covers item {item}")),
                (false, true) => wrong.push(format!("{name}: item {item} does not apply, and is covered")),
                _ => {}
            }
        }
        wrong.extend(
            found.iter().filter(|item| !ITEMS.contains(item)).map(|item| format!("{name}: no item {item}")),
        );
    }
    let known = |name: &&&str| registry().get(name).is_some();
    assert!(EXCEPT.iter().map(|row| &row.0).chain(NOT_YET).all(|name| known(&name)), "a tool that is gone");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_a_mark_directly_above_a_test_counts() {
    let text =
        "// covers: 1\n#[test]\nfn a() {}\n// covers: 2\nfn b() {}\n// covers: 3, 4\n#[test]\nfn c() {}\n";
    assert_eq!(covered(text), BTreeSet::from([1, 3, 4]));
}
