//! For those who test tools that take a [`Workspace`](crate::Workspace): a directory for a kit, and a file system that fails.
//! (feature `test`)

mod fault_fs;
mod files;

pub use fault_fs::FaultFs;
pub use files::{FilesExt, WorkspaceExt};
