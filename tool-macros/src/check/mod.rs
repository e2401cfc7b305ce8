//! Rules over the IR: what the keys, names and bounds of one tool mean together. Each file is one family of rules.

mod bounds;
pub(crate) mod effects;
mod examples;
mod flags;
mod keys;
pub(crate) mod names;
mod reserved;
mod spelling;

use crate::errors::{self, Sink};
use crate::ir::ToolIr;

/// Reports everything that is wrong with a tool.
pub(crate) fn tool(ir: &ToolIr, sink: &Sink) {
    effects::check(ir, sink);
    names::check(ir, sink);
    descriptions(ir, sink);
    for param in ir.params() {
        keys::check(param, sink);
        bounds::check(param, sink);
    }
    flags::check(ir, sink);
    examples::check(ir, sink);
}

/// A tool and each of its parameters say what they are for.
fn descriptions(ir: &ToolIr, sink: &Sink) {
    if ir.docs.is_none() {
        sink.at(&ir.ident, errors::no_description(&ir.name()));
    }
    for param in ir.params().filter(|param| param.docs.is_none()) {
        if !param.attr.said.has("flatten") && !param.attr.said.has("description") {
            sink.at(&param.ident, errors::no_param_description(&param.name()));
        }
    }
}
