//! `tools list`: the tools as a table for people, or with everything programs need.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tool_core::args::shown_name;
use tool_core::prelude::*;
use tool_core::{Registry, Select, ToolEntry};

use super::{Program, tools_why};
use crate::flags::{Param, Table};
use crate::help::needs;
use crate::kind::Kind;
use crate::schema;
use crate::sight::OPERATOR;
use crate::tree::Tree;
use crate::words::kebab;

/// Lists the tools.
#[tool(group = "tools", register = false)]
pub(crate) fn tools_list(
    /// Names, `group:GLOB`, `tag:GLOB` or `effect:WORD`; `!` in front leaves out.
    #[arg(positional, value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Tell of each tool whether the person sees it, and why not.
    why: bool,
    #[ctx] program: &Program,
) -> Result<Value, ToolError> {
    let registry = selected(&program.registry, &patterns)?;
    if why {
        let snapshot = tools_why::snapshot(program, OPERATOR, None)?;
        let row = |tool: &ToolEntry| json!({"tool": tool.name(), "why": tools_why::brief(tool, &snapshot)});
        return Ok(registry.iter().map(row).collect());
    }
    let tree = Tree::new(&registry);
    if !program.brief {
        return Ok(registry.iter().map(|entry| full(entry, &tree)).collect());
    }
    // As pages list them, and behind them what the command line does not have.
    let elsewhere = registry.iter().filter(|entry| tree.of(entry).is_none());
    let all = tree.all().map(|command| command.entry).chain(elsewhere);
    Ok(all.filter(|entry| !entry.def().hidden).map(|entry| brief(entry, &tree, &program.missing)).collect())
}

/// The tools that the patterns keep.
pub(super) fn selected(registry: &Registry, patterns: &[String]) -> Result<Registry, ToolError> {
    if patterns.is_empty() {
        return Ok(registry.clone());
    }
    let selected = registry.to_builder().only(Select::parse(&patterns.join(","))?).build();
    selected.map_err(|error| meant(ToolError::from(error), registry, patterns))
}

/// The error of patterns that keep nothing, with what may have been meant by the first of them that is nothing.
fn meant(error: ToolError, registry: &Registry, patterns: &[String]) -> ToolError {
    if error.code_str() != "selection_empty" || error.message().contains("did you mean") {
        return error;
    }
    let is_name = |pattern: &&String| registry.get(pattern).is_some();
    let Some(pattern) = patterns.iter().find(|pattern| !is_name(pattern)) else { return error };
    if registry.iter().any(|entry| entry.def().group.is_some_and(|group| kebab(group) == kebab(pattern))) {
        return error.hint(format!("'group:{}' keeps the tools of a group", shown_name(pattern)));
    }
    let inside = registry.iter().map(ToolEntry::name).filter(|name| name.contains(pattern.as_str()));
    let near: Vec<String> = inside.take(NEAR_SHOWN).map(|name| format!("'{name}'")).collect();
    match near.is_empty() {
        true => error.hint("without a pattern all tools are listed; '*' stands for any letters in a name"),
        false => error.hint(format!("names that contain it: {}", near.join(", "))),
    }
}

/// How many names a hint lists.
const NEAR_SHOWN: usize = 5;

/// A row for people; what is no command here goes by its name, and says where it is one.
fn brief(entry: &ToolEntry, tree: &Tree<'_>, missing: &BTreeSet<String>) -> Value {
    let def = entry.def();
    let (command, elsewhere) = match command(entry, tree) {
        Some(command) => (command, String::new()),
        None => {
            let surfaces: Vec<&str> = def.surfaces.words().collect();
            (entry.name().to_owned(), format!(" [no command; for {}]", surfaces.join(", ")))
        }
    };
    let summary = format!("{}{elsewhere}{}", def.summary(), needs(def, missing));
    json!({"command": command, "effects": def.behavior.words(), "summary": summary})
}

/// The words of a tool, null where the command line does not have it.
fn command(entry: &ToolEntry, tree: &Tree<'_>) -> Option<String> {
    tree.of(entry).map(|command| command.words().join(" "))
}

/// Everything that is known of a tool, under names that stay.
pub(super) fn full(entry: &ToolEntry, tree: &Tree<'_>) -> Value {
    let def = entry.def();
    let table = Table::new(def, &schema::told(def));
    let timeout = def.timeout.map(|limit| limit.as_millis());
    let secrets: Vec<Value> =
        def.secrets.iter().map(|secret| json!({"key": secret.key, "optional": secret.optional})).collect();
    json!({
        "name": entry.name(),
        "title": def.title,
        "group": def.group,
        "aliases": entry.aliases().collect::<Vec<_>>(),
        "command": command(entry, tree),
        "summary": def.summary(),
        "behavior": def.behavior,
        "params": table.params.iter().map(param).collect::<Vec<_>>(),
        "tags": def.tags,
        "surfaces": def.surfaces.words().collect::<Vec<_>>(),
        "timeout_ms": timeout.and_then(|ms| u64::try_from(ms).ok()),
        "secrets": secrets,
        "deprecated": def.deprecated,
        "hidden": def.hidden,
        "terminal": def.terminal,
        "origin": def.origin.to_string(),
        "fingerprint": Some(tool_core::fingerprint(entry)).filter(|digest| !digest.is_empty()),
    })
}

fn param(param: &Param) -> Value {
    json!({
        "name": param.name,
        "flag": param.long.as_ref().map(|_| if param.secret { format!("{}-file", param.option()) } else { param.option() }),
        "short": param.short,
        "positional": param.positional,
        "kind": kind(param.kind),
        "required": param.required,
        "default": param.schema.get("default"),
        "env": param.env,
        "secret": param.secret,
    })
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Switch => "switch",
        Kind::Text => "text",
        Kind::Bytes => "bytes",
        Kind::List(_) => "list",
        Kind::Map(_) => "map",
        Kind::Object => "object",
        Kind::Json => "json",
    }
}
