//! Places that a walk could not read: counted, and the first of them named (files.md §10).

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::ToolError;

use super::path::Relative;

/// Unreadable places that are named.
const NAMED_MAX: usize = 10;

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreadablePlace {
    /// Its path.
    pub path: String,
    /// Why, as an error code.
    pub code: String,
}

/// The places that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreadable {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Vec<UnreadablePlace>,
}

impl Unreadable {
    /// Leaves the first places that were counted: a walk may have gone on beyond what was wanted of it.
    pub(crate) fn cut(&mut self, count: u64) {
        self.count = self.count.min(count);
        self.first.truncate(usize::try_from(self.count).unwrap_or(usize::MAX));
    }

    /// Counts a place.
    pub(crate) fn note(&mut self, path: &Relative, error: &ToolError) {
        self.count += 1;
        if self.first.len() < NAMED_MAX {
            self.first.push(UnreadablePlace { path: path.shown(), code: error.code_str().to_owned() });
        }
    }
}
