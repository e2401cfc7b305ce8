//! `file_info`: what is known of one file without its content (files.md §12).

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, OFlags, StatxFlags, readlinkat, statx};
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ToolError, tool};

use super::content::Content;
use super::list_dir::EntryType;
use super::modified::{modified, shown as shown_time};
use crate::workspace::{Handle, Use, Workspace, refusal, shown};

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileInfo {
    /// The file, relative to the workspace root.
    pub path: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: EntryType,
    /// Bytes of a file; null for anything else.
    pub size: Option<u64>,
    /// When it was modified last: RFC 3339, UTC.
    pub modified: String,
    /// When it was created, where the file system knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// Permission bits, in octal.
    pub mode: String,
    /// How many names it has.
    pub links: u64,
    /// Where a link leads, as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Version of a file; null for anything else, and for one that is too large to hash.
    pub version: Option<String>,
}

/// Tells type, size, times, permissions and version of a file or directory.
///
/// `version` can be given as `expected_version` to the tools that write.
#[tool(group = "file", aliases = ["stat"], tags = ["allow:name-verbless"])]
#[example("Is it a file, and how large?", { "path": "src/main.rs" } => { "path": "src/main.rs", "type": "file" })]
#[example("Where does a link lead?", { "path": "latest", "follow": false })]
pub fn file_info(
    /// The file or directory, relative to the workspace root.
    #[arg(positional, hint = "path")]
    path: &Path,
    /// Follow a link; otherwise it is told of the link itself.
    #[arg(default = true)]
    follow: bool,
    #[ctx] workspace: &Workspace,
) -> Result<FileInfo, ToolError> {
    let path = workspace.resolve(path)?;
    let file = match follow {
        true => workspace.existing(&path, Use::Read)?,
        false => workspace.unfollowed(&path, Use::Read)?,
    };
    let kind = FileType::from_raw_mode(file.stat.st_mode);
    if path.names_directory() && kind != FileType::Directory {
        return Err(refusal::not_a_directory(path.given()));
    }
    Ok(FileInfo {
        path: path.shown(),
        kind: kind.into(),
        size: (kind == FileType::RegularFile).then(|| file.stat.st_size.cast_unsigned()),
        modified: modified(&file.stat),
        created: created(&file),
        mode: format!("{:04o}", file.stat.st_mode & 0o7777),
        links: file.stat.st_nlink,
        target: if kind == FileType::Symlink { target(&file) } else { None },
        version: if kind == FileType::RegularFile { version(workspace, path.given(), &file)? } else { None },
    })
}

fn created(file: &Handle) -> Option<String> {
    let seen = statx(file.as_fd(), "", AtFlags::EMPTY_PATH, StatxFlags::BTIME).ok()?;
    let is_known = seen.stx_mask & StatxFlags::BTIME.bits() != 0;
    is_known.then(|| shown_time(seen.stx_btime.tv_sec, i64::from(seen.stx_btime.tv_nsec)))
}

fn target(link: &Handle) -> Option<String> {
    readlinkat(link.as_fd(), "", Vec::new()).ok().map(|target| shown(target.as_bytes()))
}

/// The version; none for a file that may be looked at and not read.
fn version(workspace: &Workspace, given: &str, file: &Handle) -> Result<Option<String>, ToolError> {
    let Ok(open) = file.reopen(OFlags::RDONLY) else { return Ok(None) };
    let size = file.stat.st_size.cast_unsigned();
    Content::new(workspace, given, open, size).version(workspace.limits().max_read_file_bytes)
}
