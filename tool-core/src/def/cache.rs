//! What is computed from a definition on first use, once, and shared by every registry that holds the tool.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::schema::{InputSchema, SchemaProblem};

/// The lazily computed values of one definition.
#[derive(Debug, Default)]
pub struct Cache {
    description: OnceLock<Box<str>>,
    pub(crate) input: OnceLock<Result<Arc<InputSchema>, Arc<SchemaProblem>>>,
    pub(crate) checks: OnceLock<Result<crate::args::Checks, crate::args::Unusable>>,
    pub(crate) output: OnceLock<Option<Arc<Value>>>,
}

impl Cache {
    /// Nothing computed yet.
    pub const fn new() -> Cache {
        Cache {
            description: OnceLock::new(),
            input: OnceLock::new(),
            checks: OnceLock::new(),
            output: OnceLock::new(),
        }
    }

    pub(crate) fn description(&self, make: impl FnOnce() -> String) -> &str {
        self.description.get_or_init(|| make().into_boxed_str())
    }
}
