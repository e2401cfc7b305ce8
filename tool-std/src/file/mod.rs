//! The `file` group: tools that read, search and change files of one [`Workspace`](crate::Workspace).
//!
//! One file per tool; what they share is beside them, one concept per file: the pure parts do no I/O and are tested on
//! bytes. Paths, links, protected names and quotas are the workspace's.

// The parameters of a tool are the arguments of its function.
#![allow(clippy::too_many_arguments)]

mod content;
mod copy_file;
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
mod replace_text;
mod report;
mod search_files;
mod types;
mod version;
mod write_file;

pub use copy_file::{Copied, copy_file};
pub use delete_file::{Deleted, delete_file};
pub use edit_file::edit_file;
pub use edit_lines::edit_lines;
pub use edited_file::EditedFile;
pub use file_exists::{Existence, file_exists};
pub use file_info::{FileInfo, file_info};
pub use find_files::{FindType, FoundFile, FoundFiles, find_files};
pub use lines::Eol;
pub use list_dir::{DirectoryList, EntryType, ListSort, ListedEntry, list_dir};
pub use make_dir::{MadeDirectory, make_dir};
pub use matches::{LineMatch, Submatch};
pub use move_file::{Moved, move_file};
pub use read_file::{FileText, read_file};
pub use replace_text::{ReplacedText, replace_text};
pub use search_files::{FileCount, SearchOutput, SearchResult, SearchSort, SkippedFiles, search_files};
pub use write_file::{WriteMode, Written, write_file};
