//! `fingerprint`: what a tool says of itself is the same each time, whatever tools stand around it and in whatever order they came.

use super::{Checks, Problem};
use crate::contract::Entry;
use crate::def::{Cache, ToolDef};
use crate::registry::ToolEntry;

pub(super) const ID: &str = "fingerprint";

pub(super) fn look(checks: &Checks) -> Vec<Problem> {
    let tools: Vec<&ToolEntry> = checks.registry.iter().collect();
    let (first, second) = (of(tools.iter()), of(tools.iter().rev()));
    let differs = first.into_iter().filter(|row| !second.contains(row));
    let problem = |(tool, _): (String, String)| {
        Problem {
        check: ID.to_owned(),
        tool,
        path: String::new(),
        text: "built again, in another order, its definition has another fingerprint: a schema, a default or a text \
               of it changes from one time to the next"
            .to_owned(),
        args: None,
    }
    };
    differs.map(problem).collect()
}

/// Name and fingerprint of every tool, computed anew in an order.
fn of<'r>(tools: impl Iterator<Item = &'r &'r ToolEntry>) -> Vec<(String, String)> {
    let digest = |tool: &&ToolEntry| {
        let cache = Cache::new();
        let fresh = ToolDef { cache: &cache, ..*tool.def() };
        let digest = Entry::named(tool.name(), &fresh).map(|entry| entry.digest()).unwrap_or_default();
        (tool.name().to_owned(), digest)
    };
    tools.map(digest).collect()
}
