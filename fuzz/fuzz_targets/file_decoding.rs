//! Arbitrary bytes as a file that is read as text: nothing panics, what is read as UTF-8 is the file, and the pages joined are
//! the whole.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tool_std::file::read_file;
use tool_std::{Workspace, WorkspacePolicy};

static TREE: LazyLock<(tempfile::TempDir, Workspace)> = LazyLock::new(|| {
    let tree = tempfile::tempdir().expect("a directory for the file");
    let workspace = Workspace::open(tree.path(), WorkspacePolicy::default()).expect("a workspace");
    (tree, workspace)
});

const ENCODINGS: [&str; 10] = [
    "utf-8",
    "auto",
    "utf-16le",
    "utf-16be",
    "latin1",
    "shift_jis",
    "gb18030",
    "euc-kr",
    "iso-2022-jp",
    "big5",
];

fn read(offset: i64, limit: u32, encoding: &str) -> Option<Value> {
    let path = Path::new("f");
    let read = read_file(path, offset, limit, encoding, false, 0, 150_000, false, &TREE.1);
    read.ok().map(|output| output.data())
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let encoding = ENCODINGS[usize::from(*choice) % ENCODINGS.len()];
    std::fs::write(TREE.0.path().join("f"), bytes).expect("a file");
    let Some(whole) = read(1, 10_000, encoding) else { return };
    let content = whole["content"].as_str().expect("text");
    if encoding == "utf-8" && whole["truncated"] == false {
        assert_eq!(content.as_bytes(), bytes);
    }
    let (mut pages, mut offset) = (String::new(), 1);
    loop {
        let page = read(offset, 3, encoding).expect("a page of what was read");
        pages.push_str(page["content"].as_str().expect("text"));
        match page["next_offset"].as_i64() {
            Some(next) if whole["truncated"] == false => offset = next,
            _ => break,
        }
    }
    assert!(whole["truncated"] != false || pages == content);
});
