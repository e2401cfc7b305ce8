//! What a layer says when it ends a call.

use crate::error::ToolError;

/// A refusal with the name of the layer that made it.
pub(super) fn refuse(layer: &str, error: ToolError) -> ToolError {
    if error.details().contains_key("layer") { error } else { error.detail("layer", layer) }
}
