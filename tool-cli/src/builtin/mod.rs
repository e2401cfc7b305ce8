//! The commands that every program has.
//!
//! They are tools in a registry of their own, so that their options, help, errors and formats are those of tools.

pub(crate) mod call;
#[cfg(feature = "completions")]
pub(crate) mod completions;
mod doctor;
pub(crate) mod help;
#[cfg(feature = "store")]
mod journal_look;
#[cfg(feature = "store")]
mod journal_mend;
#[cfg(feature = "man")]
mod man;
#[cfg(feature = "mcp")]
mod mcp_add;
#[cfg(feature = "mcp")]
mod mcp_serve;
mod program;
mod skill;
mod tools_check;
mod tools_list;
mod tools_lock;
mod tools_schema;
mod tools_show;
mod tools_why;

use std::sync::OnceLock;

use tool_core::{Registry, ToolDef, ToolError};

pub(crate) use program::Program;

use crate::fault::Fault;
use crate::globals::{AllGiven, Global};
use crate::refused;
use crate::tree::Tree;

/// The words of the root with their texts, in the order of help. Some are those of commands that programs add.
const WORDS: &[(&str, &str)] = &[
    ("tools", "List, explain, check and lock the tools"),
    ("call", "Call a tool by name, or many from JSON Lines"),
    ("mcp", "Serve the tools over MCP"),
    ("journal", "Look through recorded calls"),
    ("skill", "Write SKILL.md files for agents"),
    ("skills", "Turn the tools of skills on and off"),
    ("audit", "List the calls that were made"),
    ("policy", "Check and explain policy files"),
    ("approvals", "Answer and revoke approvals"),
    ("doctor", "Check settings, secrets and limits"),
    ("completions", "Print a shell completion script"),
    ("man", "Write manual pages"),
    ("help", "Print help for a command or a topic"),
];

/// The words that lists show of the commands of a program, with their texts.
pub(crate) fn words(own: &Tree<'_>) -> Vec<(&'static str, &'static str)> {
    WORDS.iter().copied().filter(|(word, _)| own.lists(word)).collect()
}

/// What a word of the root is for.
pub(crate) fn about(word: &str) -> Option<&'static str> {
    WORDS.iter().find(|row| row.0 == word).map(|row| row.1)
}

/// Commands that a program may be built without: word, feature, whether it is there.
const FEATURES: [(&str, &str, bool); 4] = [
    ("completions", "completions", cfg!(feature = "completions")),
    ("man", "man", cfg!(feature = "man")),
    ("mcp", "mcp", cfg!(feature = "mcp")),
    ("journal", "store", cfg!(feature = "store")),
];

/// The feature that a command needs and this program is built without.
pub(crate) fn missing_feature(word: &str) -> Option<&'static str> {
    FEATURES.iter().find(|row| row.0 == word && !row.2).map(|row| row.1)
}

/// Whether a command writes several files: its `--out` is a directory, and not for the rendered result.
pub(crate) fn writes_files(name: &str) -> bool {
    matches!(name, "man" | "skill")
}

/// Whether the result of a command is what `--schema` shows of a tool.
pub(crate) fn shows_schemas(name: &str) -> bool {
    name == "tools_schema"
}

/// Whether standard output belongs to what a command does, and to no result.
pub(crate) fn owns_output(name: &str) -> bool {
    name == "mcp_serve"
}

/// The faults of global options that make no sense for a command: that of a protocol, to which standard output belongs.
pub(crate) fn refused(name: &str, given: &AllGiven) -> Vec<Fault> {
    const SHAPES: [Global; 5] = [Global::Format, Global::Json, Global::Select, Global::Out, Global::Envelope];
    if !owns_output(name) {
        return Vec::new();
    }
    refused::refused(given, &SHAPES, "standard output has messages of the protocol alone")
}

/// The note of a result of these commands that decides the exit status of a run that gave its result all the same.
pub(crate) const EXIT: &str = "exit";

/// The note of a result of these commands that holds what a person should know of it.
pub(crate) const WARNINGS: &str = "warnings";

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

/// Commands whose result is a page or script: it has its form whatever variables and the settings file say of results, and has
/// nothing to do with settings.
const PAGES: [&str; 3] = ["completions", "man", "help"];

/// Whether the result of a command is a page or script, in a form of its own unless an option asks for another.
pub(crate) fn is_page(name: &str) -> bool {
    PAGES.contains(&name)
}

/// Whether a command answers although something is wrong with the settings: `doctor` tells of it.
pub(crate) fn needs_no_settings(name: &str) -> bool {
    name == "doctor" || is_page(name)
}

/// The registry of the commands, with those that a program adds.
pub(crate) fn registry_with(more: &[&'static ToolDef<'static>]) -> Result<Registry, ToolError> {
    let own = registry()?;
    if more.is_empty() {
        return Ok(own);
    }
    let built = more.iter().fold(own.to_builder(), |built, def| built.add_def(def));
    Ok(built.build()?)
}

/// The registry of the commands.
pub(crate) fn registry() -> Result<Registry, ToolError> {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    if let Some(registry) = REGISTRY.get() {
        return Ok(registry.clone());
    }
    let builder = Registry::builder()
        .add::<tools_list::ToolsListTool>()
        .add::<tools_show::ToolsShowTool>()
        .add::<tools_schema::ToolsSchemaTool>()
        .add::<tools_why::ToolsWhyTool>()
        .add::<tools_check::ToolsCheckTool>()
        .add::<tools_lock::ToolsLockTool>()
        .add::<call::CallTool>()
        .add::<skill::SkillFilesTool>()
        .add::<doctor::DoctorTool>()
        .add::<help::HelpTool>();
    #[cfg(feature = "completions")]
    let builder = builder.add::<completions::CompletionsTool>();
    #[cfg(feature = "man")]
    let builder = builder.add::<man::ManTool>();
    #[cfg(feature = "mcp")]
    let builder =
        builder.add::<mcp_serve::McpServeTool>().add::<mcp_add::McpAddTool>().add::<mcp_add::McpRemoveTool>();
    #[cfg(feature = "store")]
    let builder = builder
        .add::<journal_look::JournalListTool>()
        .add::<journal_look::JournalShowTool>()
        .add::<journal_look::JournalVerifyTool>()
        .add::<journal_look::JournalHeadTool>()
        .add::<journal_look::JournalExportTool>()
        .add::<journal_mend::JournalRecoverTool>()
        .add::<journal_mend::JournalResolveTool>()
        .add::<journal_mend::JournalRevertTool>()
        .add::<journal_mend::JournalPruneTool>()
        .add::<journal_mend::JournalSalvageTool>();
    let registry = builder.build()?;
    Ok(REGISTRY.get_or_init(|| registry).clone())
}
