//! A directory tree as a test writes it down, and the directory that it becomes.
//!
//! Trees are equal when they hold the same names, kinds, bytes and modes: a test reads a directory back and compares.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::canonical::hex;

/// The mode of files that say no other.
const FILE_MODE: u32 = 0o644;
/// The mode of directories that say no other.
const DIRECTORY_MODE: u32 = 0o755;
/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;
/// When everything in a tree but its links was modified, in seconds since 1970: 2026-01-01T00:00:00Z. It is the same in every
/// test; a link has the time at which it is made.
const MODIFIED: u64 = 1_767_225_600;
/// Bytes of a file that may be there although it takes no block.
const SMALL: u64 = 1 << 16;
/// Bytes of a text that a difference shows.
const SHOWN: usize = 200;

/// Makes a [`Tree`]: names with texts, bytes, [links](crate::test::link), [holes](crate::test::hole) or, in braces, what is in a
/// directory. A name may have several components; one that ends with `/` is a directory. Names are texts, or bytes.
///
/// ```
/// use tool_core::test::{TemporaryDirectory, Tree, file, hole, link};
/// use tool_core::tree;
///
/// let tree = tree! {
///     "a.txt": "hi",
///     "run.sh": file("#!/bin/sh\n").mode(0o755),
///     "d": { "b.bin": b"\x00\x01", "deep/er.txt": "x" },
///     "empty/": {},
///     "latest": link("a.txt"),
///     "large.img": hole(1 << 20),
///     b"caf\xe9": "a name that is not UTF-8",
/// };
/// let directory = TemporaryDirectory::with(&tree)?;
/// assert_eq!(std::fs::read_to_string(directory.path().join("latest"))?, "hi");
/// assert_eq!(Tree::read(directory.path())?, tree);
/// # Ok::<(), std::io::Error>(())
/// ```
#[macro_export]
macro_rules! tree {
    ($($entries:tt)*) => {{
        #[allow(unused_mut, reason = "an empty tree is not added to")]
        let mut tree = $crate::test::Tree::new();
        $crate::__tree_entries!(tree, $($entries)*);
        tree
    }};
}

/// The entries of [`tree!`], one after the other.
#[doc(hidden)]
#[macro_export]
macro_rules! __tree_entries {
    ($tree:ident $(,)?) => {};
    ($tree:ident, $name:literal : { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $tree.add($name, $crate::tree! { $($inner)* });
        $crate::__tree_entries!($tree, $($($rest)*)?);
    };
    ($tree:ident, $name:literal : $node:expr $(, $($rest:tt)*)?) => {
        $tree.add($name, $node);
        $crate::__tree_entries!($tree, $($($rest)*)?);
    };
}

/// A directory and what is in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Tree {
    mode: u32,
    entries: BTreeMap<OsString, Node>,
}

/// What a name in a tree means.
#[derive(Clone, PartialEq, Eq)]
pub struct Node(Kind);

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    File {
        bytes: Vec<u8>,
        mode: u32,
    },
    /// A file of zeros that takes no space, by its length.
    Hole {
        bytes: u64,
        mode: u32,
    },
    Link(PathBuf),
    /// Another name of a file, by its path from the top of the tree.
    Same(PathBuf),
    Directory(Tree),
}

/// A file with this content.
pub fn file(content: impl AsRef<[u8]>) -> Node {
    Node(Kind::File { bytes: content.as_ref().to_vec(), mode: FILE_MODE })
}

/// A symbolic link, as it is written: relative to its own directory, or absolute.
pub fn link(target: impl Into<PathBuf>) -> Node {
    Node(Kind::Link(target.into()))
}

/// Another name of the file at a path from the top of the tree, which must come before.
pub fn same_as(path: impl Into<PathBuf>) -> Node {
    Node(Kind::Same(path.into()))
}

/// A file of so many zeros that takes no space on the disk.
pub fn hole(bytes: u64) -> Node {
    Node(Kind::Hole { bytes, mode: FILE_MODE })
}

impl Node {
    /// With other permission bits; links have none of their own.
    #[must_use]
    pub fn mode(mut self, bits: u32) -> Node {
        match &mut self.0 {
            Kind::File { mode, .. } | Kind::Hole { mode, .. } => *mode = bits & PERMISSIONS,
            Kind::Directory(tree) => tree.mode = bits & PERMISSIONS,
            Kind::Link(_) | Kind::Same(_) => {}
        }
        self
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Node {
        file(text)
    }
}

impl From<String> for Node {
    fn from(text: String) -> Node {
        file(text)
    }
}

impl From<Vec<u8>> for Node {
    fn from(bytes: Vec<u8>) -> Node {
        file(bytes)
    }
}

impl<const N: usize> From<&[u8; N]> for Node {
    fn from(bytes: &[u8; N]) -> Node {
        file(bytes)
    }
}

impl From<Tree> for Node {
    fn from(tree: Tree) -> Node {
        Node(Kind::Directory(tree))
    }
}

/// A path in a tree: a text, or bytes that need not be UTF-8.
pub trait TreePath {
    /// The bytes of the path.
    fn bytes(&self) -> &[u8];
}

impl TreePath for &str {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<const N: usize> TreePath for &[u8; N] {
    fn bytes(&self) -> &[u8] {
        *self
    }
}

impl Default for Tree {
    fn default() -> Tree {
        Tree { mode: DIRECTORY_MODE, entries: BTreeMap::new() }
    }
}

impl Tree {
    /// An empty directory.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// With other permission bits.
    #[must_use]
    pub fn mode(mut self, bits: u32) -> Tree {
        self.mode = bits & PERMISSIONS;
        self
    }

    /// Adds something under a path; directories on the way come to be.
    ///
    /// # Panics
    /// For a path that is absolute, leads upwards or through a file.
    #[expect(clippy::panic, reason = "a tree that cannot be is a mistake of its test")]
    pub fn add(&mut self, path: impl TreePath, node: impl Into<Node>) {
        let shown = String::from_utf8_lossy(path.bytes()).into_owned();
        let path = path.bytes();
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let mut names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let is_plain = names.iter().all(|name| !matches!(*name, b"" | b"." | b".."));
        assert!(is_plain, "{shown:?} is no path in a tree");
        let last = names.pop().unwrap_or_default();
        let mut directory = self;
        for name in names {
            let name = OsString::from_vec(name.to_vec());
            let below = directory.entries.entry(name).or_insert_with(|| Tree::new().into());
            directory = match &mut below.0 {
                Kind::Directory(tree) => tree,
                _ => panic!("{shown:?} leads through a file"),
            };
        }
        directory.entries.insert(OsString::from_vec(last.to_vec()), node.into());
    }

    /// Writes the tree into a directory that is there.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        self.write_below(directory, directory)
    }

    fn write_below(&self, top: &Path, directory: &Path) -> io::Result<()> {
        for (name, node) in &self.entries {
            node.write(top, &directory.join(name))?;
        }
        modified(&File::open(directory)?)?;
        fs::set_permissions(directory, Permissions::from_mode(self.mode))
    }

    /// Reads a directory. A file of nothing but zeros is a hole; a file with several names is read once per name.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn read(directory: &Path) -> io::Result<Tree> {
        let mut tree = Tree::new().mode(fs::metadata(directory)?.mode());
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            tree.entries.insert(entry.file_name(), Node::read(&entry.path())?);
        }
        Ok(tree)
    }

    /// The content of a file, by its path from the top.
    pub fn file(&self, path: impl AsRef<Path>) -> Option<&[u8]> {
        let mut parts = path.as_ref().iter();
        let last = parts.next_back()?;
        let directory =
            parts.try_fold(self, |tree, name| match tree.entries.get(name).map(|node| &node.0) {
                Some(Kind::Directory(tree)) => Some(tree),
                _ => None,
            })?;
        match &directory.entries.get(last)?.0 {
            Kind::File { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    /// The paths of everything in it, in order.
    pub fn paths(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        self.collect(Path::new(""), &mut found);
        found
    }

    fn collect(&self, base: &Path, found: &mut Vec<PathBuf>) {
        for (name, node) in &self.entries {
            let path = base.join(name);
            found.push(path.clone());
            if let Kind::Directory(tree) = &node.0 {
                tree.collect(&path, found);
            }
        }
    }

    /// Each path with what is there, in order.
    pub(super) fn lines(&self) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        self.collect_lines(Path::new(""), &mut lines);
        lines
    }

    fn collect_lines(&self, base: &Path, lines: &mut Vec<(String, String)>) {
        for (name, node) in &self.entries {
            let path = base.join(name);
            lines.push((path.display().to_string(), node.line()));
            if let Kind::Directory(tree) = &node.0 {
                tree.collect_lines(&path, lines);
            }
        }
    }
}

impl Node {
    fn write(&self, top: &Path, path: &Path) -> io::Result<()> {
        match &self.0 {
            Kind::File { bytes, mode } => {
                let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
                file.write_all(bytes)?;
                modified(&file)?;
                fs::set_permissions(path, Permissions::from_mode(*mode))
            }
            Kind::Hole { bytes, mode } => {
                let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
                file.set_len(*bytes)?;
                modified(&file)?;
                fs::set_permissions(path, Permissions::from_mode(*mode))
            }
            Kind::Link(target) => symlink(target, path),
            Kind::Same(other) => fs::hard_link(top.join(other), path),
            Kind::Directory(tree) => {
                DirBuilder::new().mode(0o700).create(path)?;
                tree.write_below(top, path)
            }
        }
    }

    /// What it is, in one line.
    fn line(&self) -> String {
        match &self.0 {
            Kind::File { bytes, mode } => {
                let text = String::from_utf8_lossy(bytes.get(..SHOWN).unwrap_or(bytes));
                let digest = hex(&Sha256::digest(bytes));
                let digest = digest.get(..16).unwrap_or_default();
                format!("{mode:o} {} bytes {digest} {text:?}", bytes.len())
            }
            Kind::Hole { bytes, mode } => format!("{mode:o} {bytes} bytes of nothing"),
            Kind::Link(target) => format!("-> {}", target.display()),
            Kind::Same(path) => format!("= {}", path.display()),
            Kind::Directory(tree) => format!("{:o} directory", tree.mode),
        }
    }

    fn read(path: &Path) -> io::Result<Node> {
        let found = fs::symlink_metadata(path)?;
        if found.is_symlink() {
            return Ok(link(fs::read_link(path)?));
        }
        if found.is_dir() {
            return Ok(Tree::read(path)?.into());
        }
        let length = found.len();
        if length > SMALL && found.blocks() == 0 {
            return Ok(hole(length).mode(found.mode()));
        }
        let bytes = fs::read(path)?;
        let is_hole = length > 0 && bytes.iter().all(|byte| *byte == 0);
        Ok(if is_hole { hole(length) } else { file(bytes) }.mode(found.mode()))
    }
}

fn modified(file: &File) -> io::Result<()> {
    file.set_modified(UNIX_EPOCH + Duration::from_secs(MODIFIED))
}

impl fmt::Debug for Tree {
    /// One line per entry.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.lines()).finish()
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())?;
        match &self.0 {
            Kind::Directory(tree) => fmt::Debug::fmt(tree, f),
            _ => Ok(()),
        }
    }
}
