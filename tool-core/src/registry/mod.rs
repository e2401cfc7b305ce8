//! Collecting definitions into one immutable registry.

use crate::def::ToolDef;

/// What `#[tool]` leaves for discovery: one pointer.
pub struct Registration(pub &'static ToolDef<'static>);

#[cfg(feature = "inventory")]
inventory::collect!(Registration);
