//! The `file` group: tools that read, search and change files of one [`Workspace`](crate::Workspace).
//!
//! One file per tool; what they share is beside them, one concept per file: the pure parts do no I/O and are tested on
//! bytes. Paths, links, protected names and quotas are the workspace's.

// The parameters of a tool are the arguments of its function.
#![allow(clippy::too_many_arguments)]

mod content;
mod encoding;
mod globs;
mod lines;
mod matches;
mod misfit;
mod pattern;
mod read_file;
mod report;
mod search_files;
mod types;
mod version;

pub use lines::Eol;
pub use matches::{LineMatch, Submatch};
pub use read_file::{FileText, read_file};
pub use search_files::{FileCount, SearchOutput, SearchResult, SearchSort, SkippedFiles, search_files};
