//! Calls and their results: every API wants exactly one result for each call, directly after it.

use std::collections::HashSet;

use super::asked::{Refusal, must};

/// The calls of a history that wait for their result.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    waiting: Vec<String>,
    seen: HashSet<String>,
}

impl Pairs {
    /// A call.
    pub(super) fn call(&mut self, id: &str) -> Result<(), Refusal> {
        must(self.seen.insert(id.to_owned()), || format!("call ids must be unique; `{id}` is there twice"))?;
        self.waiting.push(id.to_owned());
        Ok(())
    }

    /// A result.
    pub(super) fn result(&mut self, id: &str) -> Result<(), Refusal> {
        let at = self.waiting.iter().position(|waiting| waiting == id);
        must(at.is_some(), || format!("a result without its call: `{id}`"))?;
        self.waiting.retain(|waiting| waiting != id);
        Ok(())
    }

    /// Something that must not come between a call and its result, or the end.
    pub(super) fn settled(&self, at: &str) -> Result<(), Refusal> {
        must(self.waiting.is_empty(), || {
            format!("{at}: calls without their results: {}", self.waiting.join(", "))
        })
    }
}
