//! Arbitrary bytes as the globs of a search: nothing panics, and what is found is in the tree.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tool_std::file::{FindType, find_files};
use tool_std::{Workspace, WorkspacePolicy};

static TREE: LazyLock<(tempfile::TempDir, Workspace)> = LazyLock::new(|| {
    let tree = tempfile::tempdir().expect("a directory for the tree");
    for file in ["a.rs", "src/b.rs", "src/deep/c.txt", "x y/[d].rs", "\u{e9}/{e}"] {
        let path = tree.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, "x").expect("a file");
    }
    let workspace = Workspace::open(tree.path(), WorkspacePolicy::default()).expect("a workspace");
    (tree, workspace)
});

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut globs = text.split('\0').map(str::to_owned);
    let (Some(pattern), exclude) = (globs.next(), globs.collect::<Vec<_>>()) else { return };
    let here = Path::new(".");
    let (tree, workspace) = &*TREE;
    let found = find_files(&pattern, here, FindType::Any, &exclude, false, true, false, 100, None, workspace);
    for file in found.map(|found| found.files).unwrap_or_default() {
        assert!(tree.path().join(&file.path).exists(), "{}", file.path);
    }
});
