//! Arbitrary bytes as the ignore files of a tree: nothing panics, and rules leave out, but never add.

#![no_main]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tool_std::file::{FindType, find_files};
use tool_std::{Workspace, WorkspacePolicy};

static TREE: LazyLock<(tempfile::TempDir, Workspace)> = LazyLock::new(|| {
    let tree = tempfile::tempdir().expect("a directory for the tree");
    for file in ["a.rs", "src/b.rs", "src/deep/c.txt", "x y/[d].rs", "\u{e9}/{e}", ".git/info/x"] {
        let path = tree.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, "x").expect("a file");
    }
    let workspace = Workspace::open(tree.path(), WorkspacePolicy::default()).expect("a workspace");
    (tree, workspace)
});

/// Where rules are read, in the order of the parts of the input.
const PLACES: [&str; 4] = [".gitignore", "src/.ignore", "src/.gitignore", ".git/info/exclude"];

fn found(gitignore: bool) -> BTreeSet<String> {
    let here = Path::new(".");
    let all = find_files("*", here, FindType::Any, &[], false, true, gitignore, 100, None, &TREE.1);
    all.expect("a tree that can be read").files.into_iter().map(|file| file.path).collect()
}

fuzz_target!(|data: &[u8]| {
    let mut parts = data.split(|byte| *byte == 0);
    for place in PLACES {
        std::fs::write(TREE.0.path().join(place), parts.next().unwrap_or_default()).expect("an ignore file");
    }
    assert!(found(true).is_subset(&found(false)));
});
