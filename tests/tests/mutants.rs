//! What `mutants.md` lists is still there: an entry of a function or file that is gone says nothing any more.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::fs;
use std::path::Path;

#[test]
fn every_unnoticed_change_names_a_file_and_a_function_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("tests/mutants.md")).unwrap();
    let mut entries = 0;
    let mut gone = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`'])).collect();
        let [file, function, ..] = cells[..] else { continue };
        if !file.ends_with(".rs") || !file.contains('/') {
            continue;
        }
        let source = fs::read_to_string(root.join(file)).unwrap_or_default();
        // The rows of the counts have a number in the place of a function.
        let name = function.rsplit("::").next().unwrap_or_default();
        let is_count = function.parse::<u32>().is_ok();
        entries += usize::from(!is_count);
        let declared = |before: char| source.contains(&format!("fn {name}{before}"));
        if source.is_empty() || !(is_count || declared('(') || declared('<')) {
            gone.push(format!("{file} {function}"));
        }
    }
    assert!(entries > 0 && gone.is_empty(), "{entries} entries; gone:\n{}", gone.join("\n"));
}
