//! Ordinals: which of several equal calls a call is. (journal.md §3)

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// What makes calls equal, besides their arguments: attempt, parent key, tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Equal {
    /// The attempt.
    pub attempt: u32,
    /// The key of the call that makes them.
    pub parent_key: Option<String>,
    /// The effective name of the tool.
    pub tool: String,
    /// The digest of the canonical arguments.
    pub args_sha256: String,
}

/// The numbers that calls of one run, node and iteration have taken.
#[derive(Debug, Default)]
pub struct Ordinals(Mutex<HashMap<Equal, BTreeSet<u32>>>);

impl Ordinals {
    /// Takes the lowest free number; `recorded` are taken already.
    pub fn reserve(&self, call: &Equal, recorded: impl IntoIterator<Item = u32>) -> u32 {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = taken.entry(call.clone()).or_default();
        taken.extend(recorded);
        let free = (0..).find(|number| !taken.contains(number)).unwrap_or(u32::MAX);
        taken.insert(free);
        free
    }

    /// Gives a number back: its call was refused before its intent.
    pub fn give_back(&self, call: &Equal, ordinal: u32) {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = taken.get_mut(call) {
            taken.remove(&ordinal);
        }
    }
}
