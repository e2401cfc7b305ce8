//! One canonical JSON Schema 2020-12 per tool.

pub mod form;

/// The input schema of a tool and what the decoder reads from it.
#[derive(Debug)]
pub struct InputSchema {}
