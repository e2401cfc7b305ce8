//! The handle of a tool: a unit struct that `#[tool]` makes beside the function, for typed use.

use crate::def::ToolDef;

/// A tool that is known at compile time.
///
/// `#[tool] fn read_file(…)` makes `ReadFileTool`, which implements it.
pub trait Tool {
    /// The definition.
    const DEF: &'static ToolDef<'static>;
}
