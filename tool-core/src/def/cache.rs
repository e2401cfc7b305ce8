//! What is computed from a definition on first use, once, and shared by every registry that holds the tool.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::dialect::Compiled;
use crate::schema::{InputSchema, SchemaProblem};

/// The lazily computed values of one definition: nothing but an empty cell until the first is asked for.
#[derive(Debug, Default)]
pub struct Cache(OnceLock<Box<Computed>>);

/// Each value by itself, so that none waits for another.
#[derive(Debug, Default)]
pub(crate) struct Computed {
    pub(crate) description: OnceLock<Box<str>>,
    pub(crate) input: OnceLock<Result<Arc<InputSchema>, Arc<SchemaProblem>>>,
    pub(crate) checks: OnceLock<Result<crate::args::Checks, crate::args::Unusable>>,
    /// Whether a text may become arguments the short way.
    pub(crate) direct: OnceLock<bool>,
    pub(crate) output: OnceLock<Option<Arc<Value>>>,
    pub(crate) fingerprint: OnceLock<Box<str>>,
    /// Whether a warning about the tool was written.
    told: AtomicBool,
    /// The input schema in each wire form, in the order of `Wire::ALL`.
    pub(crate) wire: [OnceLock<Arc<Compiled>>; 5],
}

impl Cache {
    /// Nothing computed yet.
    pub const fn new() -> Cache {
        Cache(OnceLock::new())
    }

    /// Whether this is the first time: for what is said once per tool and process.
    pub(crate) fn tell_once(&self) -> bool {
        !self.computed().told.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn computed(&self) -> &Computed {
        self.0.get_or_init(Box::default)
    }
}
