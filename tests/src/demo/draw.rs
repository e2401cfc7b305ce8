//! Shapes: values that a command line can only take as JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::prelude::*;

use super::echo::{echo, of, opt};

/// Edit.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Edit {
    /// Line number.
    line: u32,
    /// New text.
    text: String,
}

/// Shape.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Shape {
    /// Circle.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// Rect.
    Rect {
        /// Width.
        w: f64,
        /// Height.
        h: f64,
    },
}

/// Draws one shape.
#[tool(group = "draw", register = false)]
pub(super) fn draw_shapes(
    /// What to draw.
    shape: Shape,
    /// Any JSON value.
    #[arg(any)]
    filter: Option<Value>,
    /// Two numbers, x and y.
    origin: Option<(i64, i64)>,
    /// Changes to apply.
    edits: Vec<Edit>,
    /// Rows of numbers.
    matrix: Vec<Vec<i64>>,
) -> Value {
    echo([
        ("shape", of(&shape)),
        ("filter", opt(&filter)),
        ("origin", opt(&origin)),
        ("edits", of(&edits)),
        ("matrix", of(&matrix)),
    ])
}
