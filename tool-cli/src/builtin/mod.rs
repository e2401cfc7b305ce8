//! The commands that every program has.
//!
//! They are tools in a registry of their own, so that their options, help, errors and formats are those of tools.

pub(crate) mod call;
pub(crate) mod help;
mod tools_list;
mod tools_schema;
mod tools_show;

use std::sync::OnceLock;

use tool_core::{Registry, ToolError};

/// The words of the root with their texts, in the order of help.
pub(crate) const WORDS: [(&str, &str); 3] = [
    ("tools", "List and explain the tools"),
    ("call", "Call a tool by name, or many from JSON Lines"),
    ("help", "Print help for a command or a topic"),
];

/// Words that no tool and no group may have, whether this program has the command or not.
pub const RESERVED: [&str; 17] = [
    "tools",
    "call",
    "check",
    "lock",
    "mcp",
    "journal",
    "skill",
    "skills",
    "audit",
    "policy",
    "approvals",
    "engine",
    "run",
    "doctor",
    "completions",
    "man",
    "help",
];

/// What the commands tell of: the program's own tools.
#[derive(Debug)]
pub(crate) struct Program {
    /// The tools.
    pub(crate) registry: Registry,
    /// Whether a table for people is wanted, for which no schema needs to be built.
    pub(crate) brief: bool,
}

/// Commands that answer although the settings file has mistakes: one tells of them, the others have nothing to do with settings.
const NEED_NO_SETTINGS: [&str; 4] = ["doctor", "completions", "man", "help"];

/// Whether a command answers although the settings file has mistakes.
pub(crate) fn needs_no_settings(name: &str) -> bool {
    NEED_NO_SETTINGS.contains(&name)
}

/// The registry of the commands.
pub(crate) fn registry() -> Result<Registry, ToolError> {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    if let Some(registry) = REGISTRY.get() {
        return Ok(registry.clone());
    }
    let registry = Registry::builder()
        .add::<tools_list::ToolsListTool>()
        .add::<tools_show::ToolsShowTool>()
        .add::<tools_schema::ToolsSchemaTool>()
        .add::<call::CallTool>()
        .add::<help::HelpTool>()
        .build()?;
    Ok(REGISTRY.get_or_init(|| registry).clone())
}
