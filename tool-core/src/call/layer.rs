//! The seam between steps of a call.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::Caller;
use super::facts::Facts;
use super::run::Start;
use crate::context::ToolContext;
use crate::def::{BoxFuture, ToolDef};
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// One step of a call. It calls `next` once, or refuses.
///
/// ```
/// use tool_core::{BoxFuture, Invocation, Layer, Next, ToolError, ToolResult};
///
/// /// Refuses every tool that changes something.
/// struct ReadOnly;
///
/// impl Layer for ReadOnly {
///     fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
///         Box::pin(async move {
///             if inv.tool.def().behavior.side_effect {
///                 return Err(ToolError::denied("This program only reads.").code("read_only"));
///             }
///             next.run(inv).await
///         })
///     }
/// }
/// ```
pub trait Layer: Send + Sync {
    /// Whether it has anything to do for a tool; where it has not, the call is as if it were not there.
    fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        let _ = tool;
        true
    }

    /// Passes the call on, or ends it.
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult>;
}

/// A decoded call on its way to the tool.
#[derive(Debug)]
pub struct Invocation<'a> {
    /// The tool, under its effective name.
    pub tool: &'a ToolEntry,
    /// The normal form of the arguments: what is hashed, shown, limited, recorded and run is this one value.
    pub args: Arc<Value>,
    /// The context of the call.
    pub ctx: &'a ToolContext,
    /// Who called.
    pub caller: Caller,
    /// What layers tell each other.
    pub ext: Ext,
}

/// The parameters that the caller gave.
pub(super) struct Given(pub(super) Vec<String>);

impl Invocation<'_> {
    /// The parameters that the caller gave, where a policy looks at that.
    pub(super) fn given(&self) -> &[String] {
        self.ext.get::<Given>().map_or(&[], |given| &given.0)
    }
}

/// The steps that are left.
pub struct Next<'a> {
    pub(super) layers: &'a [Box<dyn Layer>],
    pub(super) start: Start,
}

impl<'a> Next<'a> {
    /// Runs the rest of the call.
    pub fn run(self, inv: Invocation<'a>) -> BoxFuture<'a, ToolResult> {
        match self.layers.split_first() {
            Some((layer, layers)) if !layer.concerns(inv.tool.def()) => {
                Next { layers, start: self.start }.run(inv)
            }
            Some((layer, layers)) => layer.call(inv, Next { layers, start: self.start }),
            None => Box::pin(async move {
                if let Some(facts) = inv.ext.get::<Arc<Facts>>() {
                    facts.begun();
                }
                self.start.run(inv.tool, &inv.args, inv.ctx.clone()).await
            }),
        }
    }
}

impl<'a> Next<'a> {
    /// The same rest once more, decoding the arguments again: for a layer that repeats a call.
    pub fn again(&self) -> Next<'a> {
        Next { layers: self.layers, start: self.start.again() }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("layers", &self.layers.len()).finish_non_exhaustive()
    }
}

/// A map from types to values, through which layers talk. A clone shares the values.
#[derive(Clone, Default)]
pub struct Ext(Vec<(TypeId, Arc<dyn Any + Send + Sync>)>);

impl Ext {
    /// Keeps a value; the former one of its type is returned.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) -> Option<Arc<T>> {
        let (id, value) = (TypeId::of::<T>(), Arc::new(value));
        match self.0.iter_mut().find(|kept| kept.0 == id) {
            Some(kept) => std::mem::replace(&mut kept.1, value).downcast::<T>().ok(),
            None => {
                self.0.push((id, value));
                None
            }
        }
    }

    /// The value of a type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.iter().find(|kept| kept.0 == TypeId::of::<T>())?.1.downcast_ref()
    }
}

impl fmt::Debug for Ext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ext({} values)", self.0.len())
    }
}
