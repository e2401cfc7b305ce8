//! Policy files: what `--policy` reads, and the commands that check and explain one.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_cli::{Settings, Surroundings};
use tool_core::prelude::*;
use tool_core::registry::unknown_tool;
use tool_core::{Call, Caller, Content, Executor, PolicyRequest, Registry};
use tool_policy::{Paths, Policy};

/// Reads the file behind `--policy`.
pub(crate) fn read(
    file: &Path,
    settings: &Settings,
    registry: &Registry,
) -> Result<Arc<dyn tool_core::Policy>, ToolError> {
    Ok(Arc::new(load(file, settings, registry)?))
}

fn load(file: &Path, settings: &Settings, registry: &Registry) -> Result<Policy, ToolError> {
    Policy::read(file, registry, Paths::new(&settings.root))
}

/// Checks a policy file.
///
/// Every mistake is one line with its position; exit code 6. What is allowed and may not be meant is a warning.
#[tool(group = "policy", register = false)]
pub(crate) fn policy_check(
    /// The file, in TOML or YAML.
    #[arg(positional, hint = "file")]
    file: &Path,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let policy = load(file, &around.settings, &around.registry)?;
    let agents: Vec<&str> = policy.agents().collect();
    let warnings = policy.lint();
    let listed: Vec<Value> = warnings
        .iter()
        .map(|warning| {
            json!({"line": warning.at.line, "column": warning.at.column, "code": warning.code, "text": warning.text})
        })
        .collect();
    let shown = file.display();
    let mut text: String = warnings.iter().map(|warning| format!("{shown}:{warning} (warning)\n")).collect();
    text.push_str(&format!("{shown}: ok, agents: {}\n", agents.join(", ")));
    let sha256 = tool_core::Policy::sha256(&policy);
    let value = json!({"ok": true, "agents": agents, "sha256": sha256, "warnings": listed});
    Ok(ToolOutput::structured(value).with_content(Content::text(text)))
}

/// Explains what a policy says of a call, and runs nothing.
///
/// The policy is that of --policy. Each rule that looks at the call is told with its verdict.
#[tool(group = "policy", register = false)]
pub(crate) fn policy_explain(
    /// Name or alias.
    #[arg(positional)]
    tool: &str,
    /// The arguments as a JSON object.
    #[arg(positional, default = "{}".to_owned())]
    args: String,
    /// The agent that would call.
    #[arg(default = "operator".to_owned())]
    agent: String,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let Some(file) = &around.settings.policy else {
        return Err(ToolError::not_configured("No policy file was named.").hint("name one with --policy"));
    };
    let policy = Arc::new(load(file, &around.settings, &around.registry)?);
    let (given, name) = given(&around.registry, tool, &args)?;
    let entry = around
        .registry
        .get(&name)
        .ok_or_else(|| unknown_tool(&[&name], around.registry.iter().flat_map(|tool| tool.spellings())))?;
    let normal = normal(&around.registry, &name, &args)?;
    let request = PolicyRequest { agent: &agent, tool: entry, args: &normal, given: &given };
    let verdicts = policy.explain(&request);
    let rows = tool_core::Policy::rows(&*policy, &agent);
    let matches = |negative| {
        rows.iter().any(|row| row.pattern().is_negative() == negative && row.pattern().matches(entry))
    };
    let enabled = matches(false) && !matches(true);
    let asks = tool_core::Policy::approval(&*policy, &agent, entry).is_some_and(|own| own.asks(entry));
    let mut text = format!("tools: {}\n", if enabled { "enabled" } else { "not enabled" });
    for verdict in &verdicts {
        let said = verdict.text.as_deref().map_or_else(
            || "holds".to_owned(),
            |text| format!("{}: {text}", verdict.code.unwrap_or_default()),
        );
        text.push_str(&format!("{} {}: {said}\n", verdict.rule, verdict.pointer));
    }
    text.push_str(&format!("approval: {}\n", if asks { "asked for" } else { "not needed" }));
    let verdicts: Vec<Value> = verdicts.iter().map(tool_policy::Verdict::to_json).collect();
    let value = json!({"agent": agent, "tool": name, "enabled": enabled, "rules": verdicts, "asks": asks});
    Ok(ToolOutput::structured(value).with_content(Content::text(text)))
}

/// The parameters that are given, and the tool's own name.
fn given(registry: &Registry, tool: &str, args: &str) -> Result<(Vec<String>, String), ToolError> {
    let known = registry.get(tool).map(|entry| entry.name().to_owned());
    let object: Value = serde_json::from_str(args)
        .map_err(|error| ToolError::invalid_args("The arguments are no JSON object.").source(error))?;
    let keys = object.as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default();
    Ok((keys, known.unwrap_or_else(|| tool.to_owned())))
}

/// The normal form of the arguments: as a call would be judged.
fn normal(registry: &Registry, tool: &str, args: &str) -> Result<Value, ToolError> {
    let executor = Executor::standard(registry.clone()).build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| ToolError::internal("No runtime could be started.").source(error))?;
    let call = Call::new(tool, Value::String(args.to_owned()));
    let plan = std::thread::scope(|scope| {
        let plan = || runtime.block_on(executor.plan(call, &ToolContext::empty(), Caller::Cli));
        scope.spawn(plan).join()
    });
    let stopped = |_| Err(ToolError::internal("The tool stopped unexpectedly."));
    plan.unwrap_or_else(stopped).map(|plan| plan.args)
}
