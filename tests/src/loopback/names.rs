//! The names of the tools of a request: each only once.

use std::collections::HashSet;

use super::asked::{Refusal, must};

/// The names so far.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Takes a name.
    pub(super) fn take(&mut self, name: &str) -> Result<(), Refusal> {
        must(self.0.insert(name.to_owned()), || {
            format!("tools: names must be unique; `{name}` is there twice")
        })
    }
}
