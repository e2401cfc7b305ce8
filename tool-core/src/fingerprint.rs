//! The fingerprint of a definition: what a model and an approver see of a tool, as one digest. (registry.md §10)

use serde_json::{Value, json};

use crate::canonical;
use crate::def::{Constraint, ToolDef};
use crate::registry::ToolEntry;

/// `sha256:` and the digest of the canonical definition, under the effective name.
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
    let input = def.input_schema().map_or(Value::Null, |input| input.schema().clone());
    let order: Vec<&str> = def.params.iter().map(|param| param.name).collect();
    let mut secrets: Vec<(&str, bool)> =
        def.secrets.iter().map(|secret| (secret.key, secret.optional)).collect();
    secrets.sort_unstable();
    let secrets: Vec<Value> =
        secrets.into_iter().map(|(key, optional)| json!({"key": key, "optional": optional})).collect();
    let constraints: Vec<Value> = def
        .constraints
        .iter()
        .map(|constraint| match constraint {
            Constraint::ExactlyOne(names) => json!({"exactly_one": names}),
            Constraint::AtLeastOne(names) => json!({"at_least_one": names}),
        })
        .collect();
    let examples: Vec<Value> = def
        .examples
        .iter()
        .map(|example| json!({"label": example.label, "input": serde_json::from_str::<Value>(example.args).unwrap_or_default()}))
        .collect();
    let form = json!({
        "format": 1,
        "name": name,
        "title": def.title,
        "description": def.description(),
        "behavior": def.behavior,
        "terminal": def.terminal,
        "deprecated": def.deprecated,
        "input": input,
        "order": order,
        "output": def.output_schema().map(|schema| (**schema).clone()),
        "secrets": secrets,
        "constraints": constraints,
        "examples": examples,
    });
    format!("sha256:{}", canonical::sha256(&form))
}
