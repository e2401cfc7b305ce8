//! Which agent may see what, as it is stored: `tools sync`, `tools enable`, `tools disable`, `skills on`, `skills off`.
//! (calls.md §3)

use serde_json::{Value, json};
use tool_cli::{Settings, Surroundings};
use tool_core::args::suggest;
use tool_core::catalogue::{StoredRow, SyncOptions, SyncReport, listed};
use tool_core::prelude::*;
use tool_core::{Registry, fingerprint};

fn row(row: &StoredRow) -> Value {
    let (agent, pattern, source) = row;
    json!({"agent": agent, "pattern": pattern, "source": source.to_string()})
}

/// The rows that are stored for an agent: what it may see, or not, besides what a policy file says.
pub(crate) fn rows(
    settings: &Settings,
    agent: &str,
) -> Result<Vec<(String, tool_core::RowSource)>, ToolError> {
    // Where nothing was ever stored there is nothing to look at, and nothing is made by looking.
    let Some(path) = settings.journal().path().filter(|path| path.exists()) else { return Ok(Vec::new()) };
    let catalogue = tool_store::sqlite::catalogue_at(path)?;
    let own = catalogue.rows.into_iter().filter(|row| row.0 == agent);
    Ok(own.map(|(_, pattern, source)| (pattern, source)).collect())
}

fn sync(around: &Surroundings, options: SyncOptions) -> Result<SyncReport, ToolError> {
    let tools = listed(&around.registry, fingerprint);
    if options.dry_run {
        // Who only looks makes nothing.
        let there = around.settings.journal().path().filter(|path| path.exists());
        let stored = there.map(tool_store::sqlite::catalogue_at).transpose()?;
        return stored.unwrap_or_default().sync(&tools, options);
    }
    around.journal()?.change_catalogue(|catalogue| catalogue.sync(&tools, options))
}

/// Brings the stored catalogue up to the tools of this program.
///
/// Tools that are gone are retired; their rows are kept until the tool is back. With `--dry-run` nothing is changed.
#[tool(group = "tools", register = false, side_effect, idempotent)]
pub(crate) fn tools_sync(
    /// Delete retired tools with their rows, and list those.
    prune: bool,
    /// Report the same and change nothing.
    dry_run: bool,
    /// Accept a program without tools.
    allow_empty: bool,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let report = sync(around, SyncOptions { prune, dry_run, allow_empty })?;
    Ok(ToolOutput::structured(report.to_json()))
}

/// Lets an agent see tools.
///
/// A pattern is a name with * and ?, group:NAME, tag:NAME or agent:SLUG; with ! in front it excludes, whatever else enables.
#[tool(group = "tools", register = false, side_effect, idempotent)]
pub(crate) fn tools_enable(
    /// Which tools.
    #[arg(positional)]
    pattern: &str,
    /// The agent.
    agent: &str,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    sync(around, SyncOptions::default())?;
    let new = around.journal()?.change_catalogue(|catalogue| catalogue.enable(agent, pattern))?;
    Ok(ToolOutput::structured(json!({"agent": agent, "pattern": pattern, "changed": new})))
}

/// Takes back what `tools enable` gave.
#[tool(group = "tools", register = false, side_effect, idempotent)]
pub(crate) fn tools_disable(
    /// Which tools, as they were enabled.
    #[arg(positional)]
    pattern: &str,
    /// The agent.
    agent: &str,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    sync(around, SyncOptions::default())?;
    let done = around.journal()?.change_catalogue(|catalogue| catalogue.disable(agent, pattern))?;
    let still: Vec<Value> = done.1.iter().map(row).collect();
    let value = json!({"agent": agent, "pattern": pattern, "changed": done.0, "still_enabled_by": still});
    Ok(ToolOutput::structured(value))
}

/// Lets an agent see the tools of a skill: those of a group, as `skill` writes them.
#[tool(group = "skills", register = false, side_effect, idempotent)]
pub(crate) fn skills_on(
    /// The skill.
    #[arg(positional)]
    name: &str,
    /// The agent.
    agent: &str,
    /// Keep rows for tools that are not there yet.
    allow_missing: bool,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    sync(around, SyncOptions::default())?;
    let tools = match tools_of(&around.registry, name) {
        // Whatever the group holds when it is there.
        Err(_) if allow_missing => vec![format!("group:{name}")],
        tools => tools?,
    };
    let rows = around
        .journal()?
        .change_catalogue(|catalogue| catalogue.skill_on(agent, name, &tools, allow_missing))?;
    Ok(ToolOutput::structured(
        json!({"agent": agent, "skill": name, "rows": rows.iter().map(row).collect::<Value>()}),
    ))
}

/// Takes the rows of a skill back.
#[tool(group = "skills", register = false, side_effect, idempotent)]
pub(crate) fn skills_off(
    /// The skill.
    #[arg(positional)]
    name: &str,
    /// The agent.
    agent: &str,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let gone = around.journal()?.change_catalogue(|catalogue| catalogue.skill_off(agent, name))?;
    Ok(ToolOutput::structured(
        json!({"agent": agent, "skill": name, "gone": gone.iter().map(row).collect::<Value>()}),
    ))
}

/// The tools of a group, without those that only a harness offers.
fn tools_of(registry: &Registry, group: &str) -> Result<Vec<String>, ToolError> {
    let own = registry.iter().filter(|tool| tool.def().group == Some(group));
    let names: Vec<String> = own.map(|tool| tool.name().to_owned()).collect();
    if !names.is_empty() {
        return Ok(names);
    }
    let groups = registry.iter().filter_map(|tool| tool.def().group).map(|group| (group, group));
    let error = ToolError::not_found(format!("There is no skill {group:.80}.")).code("unknown_skill");
    Err(match suggest(group, groups).as_slice() {
        [] => error,
        near => error.hint(format!("did you mean: {}?", near.join(", "))),
    })
}
