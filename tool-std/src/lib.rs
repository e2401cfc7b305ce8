//! The standard tools, and the workspace and sandbox they run in.

pub mod configuration;
pub mod edit;
pub mod file;
pub mod limits;
pub mod sandbox;
pub mod shell;
#[cfg(feature = "test")]
pub mod test;
pub mod workspace;

pub use limits::Limits;
pub use sandbox::{Sandbox, SandboxPolicy};
/// What tools are defined with: a crate that depends on this one alone can define its own.
pub use tool_core;
pub use workspace::{Workspace, WorkspacePolicy};
