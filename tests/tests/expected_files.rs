//! Files with what is expected are written in one way: nothing reads `UPDATE` by itself, which would write them in CI, too.
//! (testing.md, acceptance 8)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::fs;
use std::path::{Path, PathBuf};

/// Where variables that write are read: for the macros of the kit, and for everything else.
const READERS: [&str; 2] = ["tool-core/src/test/update.rs", "tests/trials/src/lib.rs"];

/// What would read one, or hand it to a library that does.
const READING: [&str; 4] = ["(\"UPDATE\")", "(\"SNAPSHOTS\")", "TestCases::new()", "action_env("];

/// What stands in a file that leaves the decision to the one place.
const ASKING: [&str; 4] = [
    "tool_trials::updates()",
    "tool_trials::overwrites(",
    "tool_trials::keep_from_overwriting(",
    "env_remove(",
];

#[test]
fn nothing_writes_expected_files_without_a_look_at_ci() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    for folder in fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if folder.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&folder, &mut sources);
        }
    }
    let mut readers = 0;
    let mut wrong = Vec::new();
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let is_own = READERS.contains(&name.as_str()) || name.ends_with("expected_files.rs");
        if is_own || !READING.iter().any(|words| text.contains(words)) {
            continue;
        }
        readers += 1;
        if !ASKING.iter().any(|words| text.contains(words)) {
            wrong.push(name);
        }
    }
    assert!(readers >= 4 && wrong.is_empty(), "{readers} files; without a look at CI: {wrong:?}");
}

/// The sources below a folder.
fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(path);
        }
    }
}
