//! Files: positionals of every kind, flags and their negations.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tool_core::prelude::*;

use super::echo::{echo, of, opt};

/// Reads a text file.
#[tool(group = "file", aliases = ["read", "cat_file"], register = false)]
pub(super) fn read_file(
    /// File to read, relative to the root.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// Maximum number of lines.
    #[arg(short = 'n', range = 1..=10000, default = 2000)]
    limit: u32,
    /// First line, counted from 1.
    #[arg(range = 1.., default = 1)]
    offset: u64,
    /// Revision to read; the newest when absent.
    revision: Option<&str>,
) -> Value {
    echo([("path", of(path)), ("limit", of(&limit)), ("offset", of(&offset)), ("revision", opt(&revision))])
}

/// Copies a file.
#[tool(side_effect, idempotent, group = "file", register = false)]
pub(super) fn copy_file(
    /// File to copy.
    #[arg(positional, hint = "file")]
    src: &Path,
    /// Where to put the copy.
    #[arg(positional, hint = "path")]
    dst: &Path,
    /// Replace an existing file.
    #[arg(short = 'f')]
    force: bool,
) -> Value {
    echo([("src", of(src)), ("dst", of(dst)), ("force", of(&force))])
}

/// Joins files.
#[tool(group = "file", register = false)]
pub(super) fn concat_files(
    /// Files to join, in order.
    #[arg(positional, hint = "file", len = 1..)]
    paths: Vec<PathBuf>,
    /// Text between two files.
    #[arg(default = "\n".to_owned())]
    separator: String,
) -> Value {
    echo([("paths", of(&paths)), ("separator", of(&separator))])
}

/// Lists files.
#[tool(group = "file", register = false)]
pub(super) fn list_files(
    /// Directory to list.
    #[arg(positional, hint = "dir", default = PathBuf::from("."))]
    path: PathBuf,
    /// Include names that begin with a dot.
    #[arg(short = 'a')]
    hidden: bool,
    /// Sort by name.
    #[arg(default = true)]
    sorted: bool,
    /// Follow symbolic links; the workspace's rule when absent.
    follow: Option<bool>,
    /// Do not respect ignore files.
    no_ignore: bool,
    /// Levels to go down.
    #[arg(short = 'd')]
    depth: Option<u8>,
) -> Value {
    echo([
        ("path", of(&path)),
        ("hidden", of(&hidden)),
        ("sorted", of(&sorted)),
        ("follow", opt(&follow)),
        ("no_ignore", of(&no_ignore)),
        ("depth", opt(&depth)),
    ])
}
