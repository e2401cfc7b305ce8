//! Rules over the IR: what the keys, names and bounds of one tool mean together. Each file is one family of rules.

pub(crate) mod effects;
pub(crate) mod names;

use crate::errors::Sink;
use crate::ir::ToolIr;

/// Reports everything that is wrong with a tool.
pub(crate) fn tool(ir: &ToolIr, sink: &Sink) {
    effects::check(ir, sink);
    names::check(ir, sink);
}
