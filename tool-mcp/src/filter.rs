//! What of a registry is served: rows of patterns for the agent `mcp`, on top of what secrets and context allow. (mcp.md §7)

use std::sync::Arc;

use tool_core::args::suggest;
use tool_core::def::Surface;
use tool_core::dialect::SEARCH_TOOLS;
use tool_core::{
    Gate, Pattern, Policy, READ_RESULT, Reason, Registry, RowSource, Snapshot, ToolContext, ToolEntry,
    ToolError, explain, gate,
};

/// The agent that the clients of a server are.
pub(crate) const AGENT: &str = "mcp";

/// Which tools are served.
///
/// ```
/// let filter = tool_mcp::Filter { only: vec!["group:file".into()], ..tool_mcp::Filter::default() };
/// assert!(!filter.read_only);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Patterns of what is served; none means everything.
    pub only: Vec<String>,
    /// Patterns of what is left out.
    pub except: Vec<String>,
    /// Whether tools with side effects are left out.
    pub read_only: bool,
}

impl Filter {
    /// What clients see.
    ///
    /// # Errors
    /// `invalid_args` for a pattern that matches nothing, or `only` beside a policy; `not_configured`, code `no_tools`, where
    /// nothing is left.
    pub(crate) fn snapshot(
        &self,
        registry: &Registry,
        ctx: &ToolContext,
        policy: Option<&Arc<dyn Policy>>,
        stored: &[(String, RowSource)],
        searches: bool,
        keep: impl Fn(&ToolEntry) -> bool,
    ) -> Result<Snapshot, ToolError> {
        self.check(registry, policy.is_some())?;
        let mut built = Snapshot::builder(AGENT).surface(Some(Surface::Mcp)).context(ctx, registry);
        match policy {
            Some(policy) => {
                built = built.rows(policy.rows(AGENT));
                built = policy.flags(AGENT).into_iter().fold(built, |built, (tag, on)| built.flag(tag, on));
            }
            None if self.only.is_empty() => built = built.row("*", RowSource::Global),
            None => {
                built = self.only.iter().fold(built, |built, only| built.row(only, RowSource::Global));
            }
        }
        let own = SEARCH_TOOLS.into_iter().filter(|_| searches);
        built = own.fold(built, |built, name| built.row(name, RowSource::Global));
        if registry.get(READ_RESULT).is_some() {
            built = built.offer(READ_RESULT);
        }
        built = stored.iter().fold(built, |built, (pattern, source)| built.row(pattern, source.clone()));
        built = self.except.iter().fold(built, |built, not| built.row(format!("!{not}"), RowSource::Global));
        let taken = registry.iter().filter(|tool| self.takes_away(tool) || !keep(tool));
        built = taken.fold(built, |built, tool| built.row(format!("!{}", tool.name()), RowSource::Global));
        let snapshot = built.build(registry)?;
        report_missing_secrets(registry, &snapshot);
        let own =
            |tool: &ToolEntry| tool.name() == READ_RESULT || searches && SEARCH_TOOLS.contains(&tool.name());
        match registry.iter().any(|tool| !own(tool) && gate(tool, &snapshot) == Gate::Visible) {
            true => Ok(snapshot),
            false => Err(nothing(registry, &snapshot)),
        }
    }

    fn takes_away(&self, tool: &ToolEntry) -> bool {
        self.read_only && tool.def().behavior.side_effect
    }

    fn check(&self, registry: &Registry, by_policy: bool) -> Result<(), ToolError> {
        if by_policy && !self.only.is_empty() {
            return Err(ToolError::invalid_args("With a policy file its rows alone say what is served.")
                .hint("leave out --only, or write its patterns into the policy"));
        }
        for (option, text) in [("--only", &self.only), ("--except", &self.except)]
            .into_iter()
            .flat_map(|(option, texts)| texts.iter().map(move |text| (option, text)))
        {
            let pattern = Pattern::parse(text)?;
            if pattern.is_negative() {
                let error = ToolError::invalid_args(format!("{option} takes patterns without `!`."));
                return Err(error.hint("leave tools out with --except"));
            }
            if !registry.iter().any(|tool| pattern.matches(tool)) {
                return Err(no_match(option, text, registry.iter()));
            }
        }
        Ok(())
    }
}

pub(crate) fn no_match<'t>(
    option: &str,
    text: &str,
    tools: impl Iterator<Item = &'t ToolEntry>,
) -> ToolError {
    let shown: String = text.chars().take(80).collect();
    let error = ToolError::invalid_args(format!("{option} {shown} matches no tool.")).code("no_match");
    let names = tools.flat_map(|tool| tool.spellings());
    let plain: String = text.chars().filter(|c| !['*', '?'].contains(c)).collect();
    match suggest(&plain, names).first() {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error.hint("toolbox tools list shows the names"),
    }
}

/// Names tools without their secret once, for the person who starts the server.
fn report_missing_secrets(registry: &Registry, snapshot: &Snapshot) {
    for tool in registry.iter() {
        if let [hidden] = explain(tool, snapshot).as_slice()
            && hidden.reason == Reason::SecretMissing
        {
            tracing::warn!(tool = tool.name(), "left out: its secret is not set");
        }
    }
}

/// Why nothing is served: each reason with how many tools it hides.
fn nothing(registry: &Registry, snapshot: &Snapshot) -> ToolError {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for tool in registry.iter() {
        if let Gate::Hidden(hidden) = gate(tool, snapshot) {
            *counts.entry(hidden.reason.as_str()).or_default() += 1;
        }
    }
    let told: Vec<String> = counts.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
    ToolError::not_configured(format!("No tool is left to serve: {}.", told.join(", ")))
        .code("no_tools")
        .detail("reasons", serde_json::json!(counts))
}
