//! What a policy file is read as, and every mistake in one, with its place and what would be right. (calls.md §4)

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at what it cannot build"
)]

mod agents;
mod file;
mod tools;
mod yaml;

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, Behavior, DynTool, ErrorKind, Limits, Policy as _, PolicyRequest, Rate, Registry,
    ToolApproval,
};
use tool_policy::{Paths, Policy, Syntax};

/// Reads.
#[tool(group = "file", aliases = ["cat"], register = false)]
fn read_file(
    /// What.
    #[arg(hint = "file")]
    path: &str,
    /// From where.
    offset: Option<i64>,
    /// How much of it.
    share: Option<f64>,
    /// As what.
    form: Option<Form>,
    /// With what.
    flags: Option<Vec<String>>,
    /// Calmly.
    calm: bool,
) -> String {
    format!("{path} {offset:?} {share:?} {} {flags:?} {calm}", form.is_some())
}

/// How a file is read.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// Text.
    Text,
    /// Bytes.
    Bytes,
}

/// Fetches.
#[tool(group = "web", register = false)]
fn fetch(
    /// From where.
    #[arg(hint = "url")]
    url: &str,
) -> String {
    url.to_owned()
}

/// Sends.
#[tool(group = "mail", side_effect, idempotent = false, register = false)]
fn send(
    /// To whom.
    #[arg(hint = "email")]
    to: &str,
) -> String {
    to.to_owned()
}

/// Runs a command.
#[tool(group = "shell", side_effect, idempotent = false, register = false)]
fn run(
    /// Which.
    #[arg(hint = "command")]
    command: Vec<String>,
) -> String {
    command.join(" ")
}

/// Runs a line.
#[tool(group = "shell", side_effect, idempotent = false, register = false)]
fn line(
    /// Which.
    #[arg(hint = "shell")]
    line: &str,
) -> String {
    line.to_owned()
}

/// A tool with a schema that no type has.
fn odd() -> DynTool {
    let schema = json!({"type": "object", "properties": {
        "either": {"type": ["integer", "string"]},
        "fixed": {"const": "x"},
        "mixed": {"anyOf": [{"type": "string"}, {"enum": [1, true]}]},
        "words": {"anyOf": [{"type": "string"}, {"enum": ["a"]}]},
        "listed": {"enum": ["a", true]},
        "table": {"type": "object"},
        "free": {},
    }});
    let tool = DynTool::builder("odd").description("Is odd.").behavior(Behavior::READ).input_schema(schema);
    tool.handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap()
}

pub(crate) fn registry() -> Registry {
    let tools = Registry::builder().add::<ReadFileTool>().add::<FetchTool>().add::<SendTool>();
    tools.add::<RunTool>().add::<LineTool>().add_dyn(odd()).build().unwrap()
}

pub(crate) fn load(text: &str, syntax: Syntax) -> Result<Policy, Vec<String>> {
    let loaded = Policy::load("p", text, syntax, &registry(), Paths::new("/work"));
    loaded.map_err(|error| {
        let told = |mistake: &tool_policy::Mistake| {
            format!("{} {mistake}", &mistake.code.as_str()["policy_".len()..])
        };
        error.mistakes.iter().map(told).collect()
    })
}

pub(crate) fn toml(text: &str) -> Result<Policy, Vec<String>> {
    load(text, Syntax::Toml)
}

pub(crate) fn yaml(text: &str) -> Result<Policy, Vec<String>> {
    load(text, Syntax::Yaml)
}

/// The mistakes of keys of the agent `bot`, which stand from line 3 on.
pub(crate) fn of_agent(keys: &str) -> Vec<String> {
    toml(&format!("version = 1\n[agents.bot]\n{keys}\n")).err().unwrap_or_default()
}

/// The mistakes of keys of a tool of the agent `bot`, which stand from line 5 on.
pub(crate) fn of_tool(tool: &str, keys: &str) -> Vec<String> {
    of_agent(&format!("tools = [\"*\"]\n[agents.bot.tool_config.{tool}]\n{keys}"))
}

/// Compares each text's mistakes with what is expected.
pub(crate) fn each(rows: &[(&str, &[&str])], mistakes: impl Fn(&str) -> Vec<String>) {
    for (text, expected) in rows {
        assert_eq!(mistakes(text), *expected, "{text}");
    }
}

pub(crate) fn loaded(keys: &str) -> Policy {
    toml(&format!("version = 1\n{keys}\n")).unwrap()
}

pub(crate) fn allows(policy: &Policy, tool: &str, args: serde_json::Value) -> bool {
    let registry = registry();
    let tool = registry.get(tool).unwrap();
    policy.judge(&PolicyRequest { agent: "bot", tool, args: &args, given: &[] }).is_ok()
}
