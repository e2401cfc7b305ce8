//! A directory of one test: gone when it passes, kept and named when it fails.

use std::fmt;
use std::path::Path;

use tempfile::TempDir;

/// A directory that is removed when this is dropped; while the thread panics it is kept, and its path is printed.
pub struct Directory(Option<TempDir>);

/// An empty directory.
///
/// # Panics
/// Where none can be made.
pub fn directory() -> Directory {
    match tempfile::tempdir() {
        Ok(made) => made.into(),
        Err(error) => panic!("no directory for the test: {error}"),
    }
}

impl Directory {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), TempDir::path)
    }
}

/// One that is somewhere else than usual.
impl From<TempDir> for Directory {
    fn from(made: TempDir) -> Directory {
        Directory(Some(made))
    }
}

impl AsRef<Path> for Directory {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path().display())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let made = self.0.take().filter(|_| std::thread::panicking());
        if let Some(made) = made {
            println!("kept: {}", made.keep().display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::directory;

    #[test]
    fn a_directory_goes_with_a_test_that_passes_and_stays_where_one_fails() {
        let own = directory();
        let path = own.path().to_owned();
        drop(own);
        assert!(!path.exists());
        let failed = std::thread::spawn(|| {
            let own = directory();
            assert!(own.path().is_relative(), "{}", own.path().display());
        });
        let path = *failed.join().unwrap_err().downcast::<String>().unwrap();
        assert!(std::path::Path::new(&path).is_dir());
        std::fs::remove_dir(path).unwrap();
    }
}
