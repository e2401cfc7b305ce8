//! Which file it is, whatever it is called: device and inode, and where a path of the operator lies in the tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use super::path::Relative;

/// Whether a file is one of those that have these names now.
pub(crate) fn is_one_of(file: &Stat, names: &[PathBuf]) -> bool {
    names
        .iter()
        .filter_map(|name| rustix::fs::stat(name).ok())
        .any(|named| (named.st_dev, named.st_ino) == (file.st_dev, file.st_ino))
}

/// Where a path of the operator lies below the real root, if it does; it need not exist.
pub(crate) fn below(real_root: &Path, path: &Path) -> Option<Relative> {
    let mut missing: Vec<&OsStr> = Vec::new();
    let mut existing = path;
    let real = loop {
        match std::fs::canonicalize(existing) {
            Ok(real) => break real,
            Err(_) => {
                missing.push(existing.file_name()?);
                existing = existing.parent()?;
            }
        }
    };
    let full = missing.iter().rev().fold(real, |path, name| path.join(name));
    let inside = full.strip_prefix(real_root).ok()?;
    let relative = Relative::from_components(
        inside.as_os_str().as_bytes().split(|byte| *byte == b'/').filter(|name| !name.is_empty()),
    );
    (!relative.is_root()).then_some(relative)
}
