//! Finding tools when there are too many to list: four tools that stand for all others. (mcp.md §8)
//!
//! They see what their caller sees, and call through the executor: what is called is journalled under its own name, and gates,
//! approval and limits are those of the tool that is called. A host that offers them adds them with [`with_search`].

// What the macro makes for parameters is not all used by these.
#![allow(dead_code, reason = "made by the macro")]

mod rank;

use serde_json::{Map, Value, json};

use crate::args::suggest;
use crate::context::ToolContext;
use crate::def::ToolDef;
use crate::dialect::SEARCH_TOOLS;
use crate::dialect::mcp::portable;
use crate::error::ToolError;
use crate::output::{Content, ToolOutput, ToolResult};
use crate::registry::{Registry, RegistryError, ToolEntry};
use crate::{Tool as _, tool};

/// The registry with the four tools.
///
/// # Errors
/// Those of a registry: one of the names is taken.
pub fn with_search(registry: &Registry) -> Result<Registry, RegistryError> {
    let builder = registry.to_builder().add::<SearchToolsTool>().add::<DescribeToolsTool>();
    builder.add::<CallReadToolTool>().add::<CallWriteToolTool>().build()
}

/// Whether a tool does nothing but call another one: what that one needs is asked about that call.
pub fn makes_calls(def: &ToolDef<'_>) -> bool {
    [CallReadToolTool::DEF, CallWriteToolTool::DEF].into_iter().any(|own| std::ptr::eq(own.cache, def.cache))
}

/// Finds tools by what they do.
///
/// Answers with names and summaries, best first. Read a tool's parameters with `describe_tools` before calling it.
#[tool(group = "tools", register = false)]
pub fn search_tools(
    /// What the tool should do, in a few words, or its name.
    #[arg(len = 1..=400)]
    query: &str,
    /// Search this group only.
    group: Option<&str>,
    /// The most tools to answer with.
    #[arg(range = 1..=25, default = 8)]
    limit: u32,
    ctx: &ToolContext,
) -> ToolResult {
    let all = visible(ctx)?;
    let of_group = |tool: &&ToolEntry| group.is_none_or(|group| tool.def().group == Some(group));
    let tools: Vec<&ToolEntry> = all.iter().copied().filter(of_group).collect();
    let found = rank::ranked(query, &tools);
    let found: Vec<Value> =
        found.into_iter().take(limit as usize).map(|(tool, score)| told(tool, score)).collect();
    let output = ToolOutput::structured(found.clone());
    Ok(match found.is_empty() {
        true => output.with_content(Content::text(no_match(&all))),
        false => output,
    })
}

fn told(tool: &ToolEntry, score: f64) -> Value {
    let def = tool.def();
    let mut row = Map::new();
    row.insert("name".to_owned(), tool.name().into());
    row.extend(def.title.map(|title| ("title".to_owned(), title.into())));
    row.insert("summary".to_owned(), def.summary().into());
    row.extend(def.group.map(|group| ("group".to_owned(), group.into())));
    row.insert("read_only".to_owned(), (!def.behavior.side_effect).into());
    row.insert("destructive".to_owned(), def.behavior.destructive.into());
    row.insert("score".to_owned(), ((score * 1_000.0).round() / 1_000.0).into());
    Value::Object(row)
}

fn no_match(all: &[&ToolEntry]) -> String {
    let mut groups: Vec<&str> = all.iter().filter_map(|tool| tool.def().group).collect();
    groups.sort_unstable();
    groups.dedup();
    match groups.is_empty() {
        true => "No tool matches. Use other words.".to_owned(),
        false => format!("No tool matches. Use other words; the groups are: {}.", groups.join(", ")),
    }
}

/// Tells what tools do and which parameters they take.
#[tool(group = "tools", register = false)]
pub fn describe_tools(
    /// Their names.
    #[arg(len = 1..=10)]
    names: Vec<String>,
    ctx: &ToolContext,
) -> Result<Value, ToolError> {
    let all = visible(ctx)?;
    let known = |name: &String| all.iter().find(|tool| tool.names().any(|known| known == name));
    Ok(names
        .iter()
        .map(|name| known(name).map_or_else(|| unknown(name, &all), |tool| described(tool)))
        .collect())
}

fn described(tool: &ToolEntry) -> Value {
    let (def, behavior) = (tool.def(), tool.def().behavior);
    let input =
        def.input_schema().map_or_else(|_| json!({"type": "object"}), |input| portable(input.schema()));
    let mut row = json!({"name": tool.name(), "description": def.description(), "input_schema": input});
    if let (Some(row), Some(output)) = (row.as_object_mut(), def.output_schema()) {
        row.insert("output_schema".to_owned(), portable(output));
    }
    if let Some(row) = row.as_object_mut() {
        let annotations = json!({"read_only": !behavior.side_effect, "destructive": behavior.destructive,
            "idempotent": behavior.idempotent, "open_world": behavior.open_world});
        row.insert("annotations".to_owned(), annotations);
    }
    row
}

fn unknown(name: &str, all: &[&ToolEntry]) -> Value {
    let shown: String = name.chars().take(80).collect();
    let names = all.iter().flat_map(|tool| tool.spellings());
    json!({"name": shown, "error": "There is no such tool.", "nearest": suggest(name, names)})
}

/// Calls a tool that only reads.
///
/// Its parameters are told by `describe_tools`; one that changes something is called with `call_write_tool`.
#[tool(group = "tools", register = false)]
pub async fn call_read_tool(
    /// The name of the tool.
    name: &str,
    /// Its arguments.
    arguments: Map<String, Value>,
    ctx: &ToolContext,
) -> ToolResult {
    if visible(ctx)?.iter().any(|tool| is_named(tool, name) && tool.def().behavior.side_effect) {
        let error = ToolError::denied(format!("{name} changes something.")).code("not_a_read_tool");
        return Err(error.hint("Use call_write_tool."));
    }
    call(name, arguments, ctx).await
}

/// Calls any tool, also one that changes something.
///
/// Its parameters are told by `describe_tools`. Where the tool needs approval, its call is asked about.
#[tool(group = "tools", register = false, destructive, idempotent = false, open_world, timeout = "1h")]
pub async fn call_write_tool(
    /// The name of the tool.
    name: &str,
    /// Its arguments.
    arguments: Map<String, Value>,
    ctx: &ToolContext,
) -> ToolResult {
    call(name, arguments, ctx).await
}

async fn call(name: &str, arguments: Map<String, Value>, ctx: &ToolContext) -> ToolResult {
    if SEARCH_TOOLS.contains(&name) {
        let error = ToolError::invalid_args(format!("{name} is called by itself.")).code("not_a_tool");
        return Err(error);
    }
    ctx.call(name, Value::Object(arguments)).await.map_err(|error| error.below("/arguments"))
}

fn is_named(tool: &ToolEntry, name: &str) -> bool {
    tool.names().any(|known| known == name)
}

/// The tools that the caller sees, without those that are left out of lists, and these four.
fn visible(ctx: &ToolContext) -> Result<Vec<&ToolEntry>, ToolError> {
    let call = ctx.running().ok_or_else(|| ToolError::internal("Only a running call can search."))?;
    let listed = |tool: &&ToolEntry| !tool.def().hidden && !SEARCH_TOOLS.contains(&tool.name());
    Ok(call.sees(ctx.snapshot()).into_iter().filter(listed).collect())
}
