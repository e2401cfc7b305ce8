//! The standard tools, and the workspace and sandbox they run in.

pub mod file;
pub mod limits;
pub mod sandbox;
pub mod shell;
pub mod workspace;

pub use limits::Limits;
pub use sandbox::{Sandbox, SandboxPolicy};
pub use workspace::{Workspace, WorkspacePolicy};
