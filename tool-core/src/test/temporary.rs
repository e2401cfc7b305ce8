//! A directory of one test: gone when it passes, kept and named when it fails.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::fixture::Fixture;
use super::tree::Tree;

/// A directory that is removed when this is dropped; while the thread panics it is kept, and its path is printed.
///
/// ```
/// use tool_core::test::TemporaryDirectory;
///
/// let directory = TemporaryDirectory::new()?;
/// let path = directory.path().to_owned();
/// std::fs::write(path.join("a.txt"), "hi")?;
/// drop(directory);
/// assert!(!path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    /// An empty directory, without links on its path.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn new() -> io::Result<TemporaryDirectory> {
        let base = fs::canonicalize(std::env::temp_dir())?;
        let path = base.join(format!("tool-test-{}", uuid::Uuid::new_v4().simple()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(TemporaryDirectory(path))
    }

    /// A directory with this in it.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn with(tree: &Tree) -> io::Result<TemporaryDirectory> {
        let directory = TemporaryDirectory::new()?;
        tree.write(directory.path())?;
        Ok(directory)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What is in it.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn tree(&self) -> io::Result<Tree> {
        Tree::read(&self.0)
    }
}

impl Fixture for TemporaryDirectory {
    /// What is in it, but for times.
    fn picture(&self) -> Value {
        match self.tree() {
            Ok(tree) => tree.lines().into_iter().map(|(path, what)| (path, Value::from(what))).collect(),
            Err(error) => json!(error.to_string()),
        }
    }
}

impl Drop for TemporaryDirectory {
    #[expect(clippy::print_stderr, reason = "whoever looks at a failed test needs to know where it was")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("kept: {}", self.0.display());
        } else if fs::remove_dir_all(&self.0).is_err() {
            // A directory that may not be listed or changed.
            open(&self.0);
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Lets the owner of every directory in a tree do everything.
fn open(directory: &Path) {
    let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open(&entry.path());
        }
    }
}
