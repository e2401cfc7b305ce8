//! The standard tools and the workspace they run in.

pub mod edit;
pub mod file;
pub mod limits;
pub mod workspace;

pub use limits::Limits;
pub use workspace::{Workspace, WorkspacePolicy};
