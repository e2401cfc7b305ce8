//! The sources of this workspace, for tests that look at what stands in them.

#![allow(clippy::unwrap_used, reason = "it speaks for tests")]

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file but what was built: its path from the top of the workspace, and its text.
///
/// # Panics
/// Where one cannot be read.
pub fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        (name, fs::read_to_string(&path).unwrap())
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}
