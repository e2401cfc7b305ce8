//! What calls do through their capabilities, told to whoever watches, such as a test. Nothing is put into words where nobody does.

use std::fmt;

use crate::context::ToolContext;

/// One use of a capability.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The capability, such as `clock` or `http`.
    pub capability: &'static str,
    /// What was done with it, such as `GET https://example.org/`. Never the value of a secret.
    pub what: fmt::Arguments<'a>,
}

/// Hears of every use of a capability. It must not block.
pub trait AccessSink: Send + Sync {
    /// Takes one use by a call, before it happens.
    fn accessed(&self, ctx: &ToolContext, access: Access<'_>);
}
