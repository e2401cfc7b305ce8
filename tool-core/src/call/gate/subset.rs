//! The tools that a spawned agent gets: no more than its parent has.

use std::collections::BTreeSet;

use super::{Gate, Snapshot, gate};
use crate::error::ToolError;
use crate::registry::Registry;

/// The snapshot of an agent that `spawn` starts with these tools.
///
/// Names and aliases are accepted. The sub-agent keeps its parent's rows, and sees of them what it was given: never harness
/// tools, agent tools or `spawn`.
///
/// # Errors
/// `denied`, code `subset_exceeds_parent`, naming every tool that the parent does not see.
pub fn spawn_subset(parent: &Snapshot, tools: &[String], registry: &Registry) -> Result<Snapshot, ToolError> {
    let mut subset = BTreeSet::new();
    let mut beyond = Vec::new();
    for name in tools {
        let entry = registry.get(name).or_else(|| parent.agent_tools().get(name));
        match entry.filter(|entry| gate(entry, parent) == Gate::Visible) {
            Some(entry) => {
                subset.insert(entry.name().to_owned());
            }
            None => beyond.push(name.as_str()),
        }
    }
    if !beyond.is_empty() {
        let text = format!("A sub-agent cannot get what its parent does not have: {}.", beyond.join(", "));
        return Err(ToolError::denied(text).code("subset_exceeds_parent").detail("tools", beyond));
    }
    parent.to_builder().subset(Some(subset)).build(registry)
}
