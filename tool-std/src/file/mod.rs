//! The `file` group: tools that read, search and change files of one [`Workspace`](crate::Workspace).
//!
//! One file per tool; what they share is beside them, one concept per file: the pure parts do no I/O and are tested on
//! bytes. Paths, links, protected names and quotas are the workspace's.

// The parameters of a tool are the arguments of its function.
#![allow(clippy::too_many_arguments)]

mod content;
mod cursor;
mod encoding;
mod globs;
mod lines;
mod list_dir;
mod matches;
mod misfit;
mod modified;
mod pattern;
mod read_file;
mod report;
mod search;
mod search_files;
mod search_result;
mod types;
mod version;
mod write_file;

pub use lines::Eol;
pub use list_dir::{DirectoryList, EntryType, ListDirTool, ListSort, ListedEntry, list_dir};
pub use matches::{LineMatch, Submatch};
pub use read_file::{FileText, ReadFileTool, read_file};
pub use search_files::{SearchFilesTool, SearchOutput, SearchSort, search_files};
pub use search_result::{FileCount, SearchResult, SkippedFiles};
pub use write_file::{WriteFileTool, WriteMode, Written, write_file};

tool_core::tool_set! {
    /// The tools of the group.
    pub static FILE_TOOLS = [ReadFileTool, WriteFileTool, ListDirTool, SearchFilesTool];
}
