//! Names of tools, parameters and what refers to them.

use crate::errors::Sink;
use crate::ir::{ToolIr, unraw};

/// Reports names that cannot be, and references to nothing.
pub(crate) fn check(ir: &ToolIr, sink: &Sink) {
    let _ = (ir, sink);
}

/// The wire name of what is written as a parameter's identifier or wire name.
pub(crate) fn wire_name(ir: &ToolIr, written: &str) -> String {
    let found = ir.params().find(|param| param.name() == written || unraw(&param.ident) == written);
    found.map_or_else(|| written.to_owned(), crate::ir::ParamIr::name)
}
