//! What generated code reaches. Not public API: names and shapes change with the macro of the same version.

mod arg;
mod bound;
mod default;
mod handled;
mod inject;
mod probe;
mod row;
mod store;
mod taken;

pub mod applies;

pub use std::borrow::Cow;
pub use std::default::Default;
pub use std::marker::Sized;
pub use std::option::Option::{self, None, Some};
pub use std::primitive::{bool, str, usize};
pub use std::result::Result::{self, Err, Ok};
pub use std::sync::Arc;
pub use std::time::Duration;

pub use schemars::{JsonSchema, Schema, SchemaGenerator};
pub use serde::{Deserialize, Deserializer};
pub use serde_json::value::Serializer as JsonSerializer;

pub use arg::ToolArg;
pub use bound::{Bound, integers};
pub use default::{TextDefault, array, json, written};
pub use handled::{Handle, Recorded, reconcile, revert};
pub use inject::{Capability, Inject, Shared};
pub use probe::{Answers, Probe, Shape, Simple};
pub use row::{after, example_omits, param, param_with};
pub use store::{Lend, Store};
pub use taken::{Taken, blocking, future};

#[cfg(not(feature = "inventory"))]
pub use crate::__submit as submit;
pub use crate::args::Args;
pub use crate::context::ToolContext;
pub use crate::convert::Of;
pub use crate::def::*;
pub use crate::error::ToolError;
pub use crate::output::ToolResult;
#[cfg(feature = "inventory")]
pub use crate::registry::Registration;
pub use crate::secret::Secret;
pub use crate::set::ToolSet;
pub use crate::tool::Tool;
pub use crate::{__answers as answers, __arg as arg, __origin as origin, __output as output};
#[cfg(feature = "inventory")]
pub use inventory::submit;

/// The ladders of `convert` and the fallbacks of [`Probe`], imported without names.
pub mod rungs {
    pub use super::default::{DefaultOfOption as _, DefaultOfType as _};
    pub use super::probe::Unknown as _;
    pub use crate::convert::{Failed as _, FailedRefused as _, Returned as _, ReturnedRefused as _};
}

/// The definition of a tool whose function has errors; no registry ever sees it.
pub static BROKEN: ToolDef<'static> = {
    static CACHE: Cache = Cache::new();
    fn enter(_: &mut Args<'_>) -> Result<Run, ToolError> {
        Err(ToolError::internal("The tool did not compile."))
    }
    ToolDef::new("broken", Doc::NONE, Handler::Sync(enter), Origin::DYNAMIC, &CACHE)
};

/// The definition of a tool as most are: its keys say nothing rare.
#[expect(
    clippy::too_many_arguments,
    reason = "written by the macro alone; one call costs the compiler least"
)]
pub const fn tool(
    name: &'static str,
    doc: Doc<'static>,
    group: Option<&'static str>,
    params: &'static [ParamDef<'static>],
    output: Option<OutputFn>,
    handler: Handler<'static>,
    origin: Origin<'static>,
    cache: &'static Cache,
) -> ToolDef<'static> {
    ToolDef { group, params, output, ..ToolDef::new(name, doc, handler, origin, cache) }
}

/// The result of a function that returns nothing.
pub fn empty((): ()) -> ToolResult {
    Ok(crate::ToolOutput::default())
}

/// The schema of the type that `output = T` names.
pub fn output_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Option<Schema> {
    Some(generator.subschema_for::<T>())
}

/// Without discovery there is nothing to leave.
#[cfg(not(feature = "inventory"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($($registration:tt)*) => {};
}
