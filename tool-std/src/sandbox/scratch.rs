//! Directories of the sandbox's own outside the workspace, with names that nobody else has; removed when dropped.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::rand::{GetRandomFlags, getrandom};

/// A new directory among the temporary files.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one that only this user reaches.
    pub(super) fn make(what: &str) -> io::Result<Self> {
        let path = fs::canonicalize(std::env::temp_dir())?.join(unique(what)?);
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A name that has not been used before.
pub(super) fn unique(what: &str) -> io::Result<String> {
    let mut random = [0; 8];
    getrandom(&mut random, GetRandomFlags::empty())?;
    Ok(format!("toolbox-{what}-{:016x}", u64::from_ne_bytes(random)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_directories_of_one_program_are_two_and_both_are_removed() {
        let (one, other) = (Scratch::make("test").unwrap(), Scratch::make("test").unwrap());
        let paths = [one.path().to_owned(), other.path().to_owned()];
        assert_ne!(paths[0], paths[1]);
        fs::write(paths[0].join("file"), "").unwrap();
        drop((one, other));
        assert!(paths.iter().all(|path| !path.exists()));
    }
}
