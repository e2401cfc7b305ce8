//! `skill`: files that teach an agent the commands of the program ([`crate::skill`]).

use serde_json::{Value, json};
use tool_core::args::{did_you_mean, shown_name, suggest};
use tool_core::prelude::*;

use super::Program;
use crate::tree::Tree;
use crate::{files, skill};

/// Writes SKILL.md files for agents, one for each group.
///
/// Prints them; with `--out DIR` writes each into a directory of its own below the given one.
#[tool(name = "skill", register = false)]
pub(crate) fn skill_files(
    /// Groups to write; all without any.
    #[arg(long = "group", value_name = "GROUP")]
    groups: Vec<String>,
    #[ctx] program: &Program,
) -> ToolResult {
    let tree = Tree::new(&program.registry);
    if let Some(unknown) = groups.iter().find(|group| !tree.listed_groups().any(|listed| listed == *group)) {
        return Err(no_group(unknown, &tree));
    }
    let files = skill::files(program, &groups);
    if let Some(directory) = &program.directory {
        return Ok(ToolOutput::structured(json!(files::write(directory, &files)?)));
    }
    let values: Vec<Value> = files.iter().map(|(path, text)| json!({"path": path, "text": text})).collect();
    let content = files.into_iter().map(|(_, text)| tool_core::Content::text(text)).collect();
    Ok(ToolOutput { content, ..ToolOutput::structured(values) })
}

fn no_group(group: &str, tree: &Tree<'_>) -> ToolError {
    let shown = shown_name(group);
    let error = ToolError::not_found(format!("There is no group `{shown}`.")).code("unknown_group");
    let near = suggest(group, tree.listed_groups().map(|group| (group.as_str(), group.as_str())));
    match did_you_mean(&near) {
        Some(hint) => error.hint(hint),
        None => {
            let groups: Vec<&str> = tree.listed_groups().map(String::as_str).collect();
            error.hint(format!("the groups are {}", groups.join(", ")))
        }
    }
}
