use tool_core::prelude::*;

use std::sync::Arc;

/// Does it.
#[tool]
fn changed(cx: &mut ToolContext) { let _ = cx; }

/// Does it.
#[tool]
fn optional(cx: Option<&ToolContext>) { let _ = cx; }

/// Does it.
#[tool]
fn shared(cx: Arc<ToolContext>) { let _ = cx; }

fn main() {}
