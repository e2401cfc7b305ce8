//! A list of tools made by const evaluation: no linker, no code before `main`, every target.

use crate::def::ToolDef;

/// A named list of tools; `tool_set!` makes one.
#[derive(Clone, Copy, Debug)]
pub struct ToolSet {
    /// `crate::module::NAME`.
    pub name: &'static str,
    /// The definitions, in the order written.
    pub tools: &'static [&'static ToolDef<'static>],
}
