//! One canonical JSON Schema 2020-12 per tool.

pub mod form;

/// The input schema of a tool and what the decoder reads from it.
#[derive(Debug)]
pub struct InputSchema {}

impl crate::ToolDef<'_> {
    /// Input schema.
    pub fn input_schema(&self) -> Result<std::sync::Arc<InputSchema>, crate::ToolError> {
        Ok(std::sync::Arc::new(InputSchema {}))
    }
}
