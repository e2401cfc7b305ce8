//! For those who test tools that take a [`Workspace`](crate::Workspace) or a [`Sandbox`](crate::Sandbox): a directory for a kit, a
//! file system that fails, and commands that go as written down. (feature `test`)

mod fake_run;
mod fault_fs;
mod files;

pub use fake_run::FakeRun;
pub use fault_fs::FaultFs;
pub use files::{FilesExt, WorkspaceExt};
