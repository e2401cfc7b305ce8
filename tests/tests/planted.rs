//! The faults that `planted.sh` plants: each still fits the code, so that the script can be run at any time.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_planted_fault_applies_and_names_the_test_that_must_notice_it() {
    if !tool_trials::has_program("patch") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut patches: Vec<_> =
        fs::read_dir(root.join("tests/planted")).unwrap().map(|entry| entry.unwrap().path()).collect();
    patches.sort();
    assert!(patches.len() >= tool_trials::FAULTS, "{patches:?}");
    let fails = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        let (options, tests) =
            text.lines().next().and_then(|line| line.split_once(" -- ")).unwrap_or_default();
        let named = options.starts_with("test: -p ") && !tests.trim().is_empty();
        let tried = Command::new("patch")
            .args(["--dry-run", "--quiet", "--strip=1", "--input"])
            .arg(path)
            .current_dir(&root)
            .output()
            .unwrap();
        (!named || !tried.status.success())
            .then(|| format!("{}: {}", path.display(), String::from_utf8_lossy(&tried.stdout)))
    };
    let wrong: Vec<String> = patches.iter().filter_map(|path| fails(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
