//! Paths as they are judged: resolved component by component, links followed, a missing tail kept.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// How many links a path may lead through.
const LINKS_MAX: usize = 40;

/// Where links lead.
pub trait FileSystem: Send + Sync {
    /// The target of a symbolic link; `None` for everything else.
    fn read_link(&self, path: &Path) -> Option<PathBuf>;
}

/// The file system of the machine.
struct Machine;

impl FileSystem for Machine {
    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        std::fs::read_link(path).ok()
    }
}

/// The workspace root, and the file system that paths are resolved in.
#[derive(Clone)]
pub struct Paths {
    root: PathBuf,
    files: Arc<dyn FileSystem>,
}

impl Paths {
    /// Paths of the machine, below an absolute root.
    pub fn new(root: impl Into<PathBuf>) -> Paths {
        Paths { root: root.into(), files: Arc::new(Machine) }
    }

    /// Paths of another file system.
    pub fn within(root: impl Into<PathBuf>, files: Arc<dyn FileSystem>) -> Paths {
        Paths { root: root.into(), files }
    }

    /// The absolute path that a path leads to; `None` where links lead in circles or it holds NUL.
    pub(crate) fn resolve(&self, path: &str) -> Option<PathBuf> {
        if path.contains('\0') {
            return None;
        }
        let mut left = components(&self.root.join(path));
        let mut done = PathBuf::from("/");
        let mut links = 0;
        while let Some(name) = left.pop_front() {
            if name == ".." {
                done.pop();
                continue;
            }
            let next = done.join(&name);
            let Some(target) = self.files.read_link(&next) else {
                done = next;
                continue;
            };
            links += 1;
            if links > LINKS_MAX {
                return None;
            }
            if target.is_absolute() {
                done = PathBuf::from("/");
            }
            components(&target).into_iter().rev().for_each(|name| left.push_front(name));
        }
        Some(done)
    }
}

/// The names of a path, with `..` and without what says nothing.
fn components(path: &Path) -> VecDeque<OsString> {
    let named = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    named.collect()
}

impl fmt::Debug for Paths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paths").field("root", &self.root).finish_non_exhaustive()
    }
}
