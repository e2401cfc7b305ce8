//! Agents as tools: a row `agent:SLUG` offers `ask_SLUG`, which hands a prompt to another agent.
//!
//! Who runs the other agent is the host's business: it provides [`AskAgent`] in the context.

use std::time::Duration;

use serde_json::{Value, json};

use super::reason::{Hidden, Reason};
use super::snapshot::Snapshot;
use crate::context::ToolContext;
use crate::def::{Behavior, BoxFuture};
use crate::error::ToolError;
use crate::output::ToolResult;
use crate::registry::DynTool;

/// How long an agent may take to answer another one.
pub const AGENT_TIMEOUT: Duration = Duration::from_secs(60);

/// How deep agents may ask agents, where a host does not say otherwise.
pub const MAX_AGENT_DEPTH: u32 = 1;

/// Characters of a prompt for another agent.
const PROMPT_MAX: usize = 8_000;

/// Characters of a slug.
const SLUG_MAX: usize = 60;

/// An agent that others may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its slug, `^[a-z0-9][a-z0-9_-]{0,59}$`.
    pub slug: String,
    /// Whether it is there to answer.
    pub online: bool,
}

/// Runs another agent: what `ask_SLUG` needs from its host.
pub trait AskAgent: Send + Sync {
    /// Hands a prompt to an agent and waits for its answer.
    fn ask<'a>(&'a self, slug: &'a str, prompt: &'a str, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult>;
}

/// The name of the tool that asks an agent.
pub fn agent_tool_name(slug: &str) -> String {
    format!("ask_{}", slug.replace('-', "_"))
}

/// The tool that asks an agent.
pub(super) fn agent_tool(slug: &str) -> Result<DynTool, ToolError> {
    let target = slug.to_owned();
    let schema = json!({
        "type": "object",
        "properties": {"prompt": {
            "type": "string", "minLength": 1, "maxLength": PROMPT_MAX,
            "description": "What the agent is to do; it knows nothing else of this conversation.",
        }},
        "required": ["prompt"],
    });
    let built = DynTool::builder(agent_tool_name(slug))
        .description(format!("Asks the agent {slug} and returns its answer."))
        .tag("agent")
        .behavior(Behavior { side_effect: true, idempotent: false, destructive: false, open_world: true })
        .timeout(AGENT_TIMEOUT)
        .input_schema(schema)
        .handler(move |args: Value, ctx: ToolContext| {
            let target = target.clone();
            async move {
                let asker = ctx.require::<dyn AskAgent>()?;
                let prompt = args.get("prompt").and_then(Value::as_str).unwrap_or_default();
                asker.ask(&target, prompt, &ctx).await
            }
        })
        .build();
    built.map_err(|error| ToolError::internal("An agent cannot be offered as a tool.").source(error))
}

/// The error for a slug that no agent can have.
pub(super) fn bad_slug(slug: &str) -> ToolError {
    let shown: String = slug.chars().take(80).collect();
    ToolError::invalid_args(format!("`{shown}` is no slug of an agent."))
        .code("bad_agent_slug")
        .hint("1 to 60 characters a-z, 0-9, _ and -, the first a letter or digit")
        .detail("slug", shown)
}

pub(super) fn is_slug(text: &str) -> bool {
    is_slug_glob(text) && !text.contains(['*', '?'])
}

pub(super) fn is_slug_glob(text: &str) -> bool {
    let fits = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-' | '*' | '?');
    !text.is_empty() && text.len() <= SLUG_MAX && !text.starts_with(['_', '-']) && text.chars().all(fits)
}

/// The agent that a tool asks.
pub(super) struct Target<'a> {
    pub(super) slug: &'a str,
    /// `None` when there is no such agent.
    pub(super) online: Option<bool>,
}

impl<'a> Target<'a> {
    pub(super) fn slug(&self) -> &'a str {
        self.slug
    }

    /// Why it cannot be asked now.
    pub(super) fn refusals(&self, snapshot: &Snapshot) -> Vec<Hidden> {
        let named = json!({"agent": self.slug});
        let (depth, max) = (snapshot.depth(), snapshot.max_depth());
        let rows = [
            (self.online.is_none(), Reason::AgentUnknown, named.clone()),
            (self.online == Some(false), Reason::AgentOffline, named.clone()),
            (self.slug == snapshot.agent(), Reason::AgentSelf, named.clone()),
            (snapshot.chain().iter().any(|above| above == self.slug), Reason::AgentCycle, named),
            (depth >= max, Reason::AgentDepth, json!({"depth": depth, "max": max})),
        ];
        rows.into_iter().filter(|row| row.0).map(|row| Hidden::new(row.1, row.2)).collect()
    }
}
