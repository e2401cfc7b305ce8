//! The standard tools as one program.

/// What tools are defined with: a crate that depends on this one alone can define its own.
pub use tool_core;
