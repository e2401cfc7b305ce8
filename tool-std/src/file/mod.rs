//! The `file` group: tools that read, search and change files of one [`Workspace`](crate::Workspace).
//!
//! One file per tool; what they share is beside them, one concept per file: the pure parts do no I/O and are tested on
//! bytes. Paths, links, protected names and quotas are the workspace's.

// The parameters of a tool are the arguments of its function.
#![allow(clippy::too_many_arguments)]

mod content;
mod copy_file;
mod crew;
mod cursor;
mod delete_file;
mod edit_file;
mod edit_lines;
mod edited_file;
mod encoding;
mod file_exists;
mod file_info;
mod find_files;
mod globs;
mod lines;
mod list_dir;
mod make_dir;
mod matches;
mod misfit;
mod modified;
mod move_file;
mod pattern;
mod placing;
mod read_file;
mod reconcile;
mod replace_text;
mod report;
mod revert;
mod search;
mod search_files;
mod search_result;
mod types;
mod version;
mod write_file;

pub use copy_file::{Copied, CopyFileTool, copy_file};
pub use delete_file::{DeleteFileTool, Deleted, delete_file};
pub use edit_file::{EditFileTool, edit_file};
pub use edit_lines::{EditLinesTool, edit_lines};
pub use edited_file::EditedFile;
pub use file_exists::{Existence, FileExistsTool, file_exists};
pub use file_info::{FileInfo, FileInfoTool, file_info};
pub use find_files::{FindFilesTool, FindType, FoundFile, FoundFiles, find_files};
pub use lines::Eol;
pub use list_dir::{DirectoryList, EntryType, ListDirTool, ListSort, ListedEntry, list_dir};
pub use make_dir::{MadeDirectory, MakeDirTool, make_dir};
pub use matches::{LineMatch, Submatch};
pub use move_file::{MoveFileTool, Moved, move_file};
pub use read_file::{FileText, ReadFileTool, read_file};
pub use replace_text::{ReplaceTextTool, ReplacedText, replace_text};
pub use search_files::{SearchFilesTool, SearchOutput, SearchSort, search_files};
pub use search_result::{FileCount, SearchResult, SkippedFiles};
pub use write_file::{WriteFileTool, WriteMode, Written, write_file};

tool_core::tool_set! {
    /// The tools of the group.
    pub static FILE_TOOLS = [
        ReadFileTool,
        WriteFileTool,
        EditFileTool,
        ReplaceTextTool,
        EditLinesTool,
        ListDirTool,
        FindFilesTool,
        SearchFilesTool,
        FileInfoTool,
        FileExistsTool,
        MakeDirTool,
        MoveFileTool,
        CopyFileTool,
        DeleteFileTool,
    ];
}
