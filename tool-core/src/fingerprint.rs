//! The fingerprint of a definition: what a model and an approver see of a tool, as one digest. (registry.md §10)

use crate::contract::Entry;
use crate::def::ToolDef;
use crate::registry::ToolEntry;

/// `sha256:` and the digest of the canonical definition, under the effective name; empty where a schema cannot be made.
///
/// Aliases, group, tags, surfaces, capabilities, timeout and options are not in it.
pub fn fingerprint(tool: &ToolEntry) -> String {
    let def = tool.def();
    if tool.name() != def.name {
        return of(tool.name(), def);
    }
    def.cache.computed().fingerprint.get_or_init(|| of(def.name, def).into()).to_string()
}

fn of(name: &str, def: &ToolDef<'_>) -> String {
    Entry::named(name, def).map(|entry| entry.digest()).unwrap_or_default()
}
