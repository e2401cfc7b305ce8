//! The standard tools as one program: `tool_cli` over what is linked here, with a workspace at `--root`
//! and a sandbox for the commands that they run.

mod mcp;
mod policy;
mod probe;

use std::process::ExitCode;
use std::sync::Arc;

use tool_cli::{Cli, Settings};
use tool_core::args::suggest;
use tool_core::{ContextBuilder, ToolContext, ToolError};
use tool_std::limits::Limits;
use tool_std::{Sandbox, SandboxPolicy, Workspace, WorkspacePolicy};

fn main() -> ExitCode {
    // Each command that a tool runs is built by this program, started once more.
    Sandbox::init();
    let cli = Cli::discover()
        .name("toolbox")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .limits(limit)
        .context(context)
        .policy(policy::read)
        .command::<policy::PolicyCheckTool>()
        .command::<policy::PolicyExplainTool>()
        .command::<mcp::McpServeTool>()
        .probe("workspace", probe::workspace)
        .probe("sandbox", probe::sandbox);
    let cli = GROUPS.iter().fold(cli, |cli, (name, about)| cli.group(*name, *about));
    tool_cli::main(Ok(cli))
}

/// What the program is.
const ABOUT: &str = "The standard tools as one program.";

/// The groups of tools, and what they are for.
const GROUPS: [(&str, &str); 2] = [("file", "Files of the workspace"), ("shell", "Programs, in a sandbox")];

/// The directory that the tools work in.
fn workspace(settings: &Settings) -> Result<Workspace, ToolError> {
    let policy = WorkspacePolicy { limits: limits(settings)?, ..WorkspacePolicy::default() };
    Workspace::open(&settings.root, policy)
}

/// What confines the commands that the tools run.
fn sandbox(settings: &Settings, workspace: &Workspace) -> Result<Sandbox, ToolError> {
    let policy = SandboxPolicy { limits: limits(settings)?, ..SandboxPolicy::default() };
    Sandbox::open(policy, workspace)
}

/// Judges a limit of the settings file.
fn limit(name: &str, value: u64) -> Result<(), ToolError> {
    let mut limits = Limits::default();
    let known = limits.rows();
    limits.set(name, value).map_err(|error| {
        match suggest(name, known.iter().map(|row| (row.name, row.name))).first() {
            Some(near) if error.code_str() == "limit_unknown" => {
                error.hint(format!("did you mean `{near}`?"))
            }
            _ => error,
        }
    })
}

/// The limits as the settings file has them.
fn limits(settings: &Settings) -> Result<Limits, ToolError> {
    let mut limits = Limits::default();
    settings.limits().iter().try_for_each(|set| limits.set(&set.name, set.value))?;
    Ok(limits)
}

/// What the standard tools find in their context.
fn context(settings: &Settings) -> Result<ContextBuilder, ToolError> {
    let workspace = workspace(settings)?;
    let sandbox = sandbox(settings, &workspace)?;
    Ok(ToolContext::builder()
        .secrets(settings.secrets())
        .provide_with(move |ctx| Arc::new(workspace.for_call(ctx)))
        .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))))
}
