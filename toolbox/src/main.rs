//! The standard tools as one program: `tool_cli` over what is linked here, with a workspace at `--root`
//! and a sandbox for the commands that they run.

mod policy;
mod probe;

use std::process::ExitCode;
use std::sync::Arc;

use tool_cli::{Cli, Settings};
use tool_core::{ContextBuilder, ToolContext, ToolError};
use tool_std::configuration::Rules;
use tool_std::{Sandbox, Workspace};

fn main() -> ExitCode {
    // Each command that a tool runs is built by this program, started once more.
    Sandbox::init();
    let cli = Cli::discover()
        .name("toolbox")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The standard tools as one program.")
        .group("file", "Files of the workspace")
        .group("shell", "Programs, in a sandbox")
        .context(context)
        .tables(tool_std::configuration::TABLES)
        .policy(policy::read)
        .command::<policy::PolicyCheckTool>()
        .command::<policy::PolicyExplainTool>()
        .probe("workspace", probe::workspace)
        .probe("sandbox", probe::sandbox);
    tool_cli::main(Ok(cli))
}

/// What the standard tools find in their context.
fn context(settings: &Settings) -> Result<ContextBuilder, ToolError> {
    let rules = Rules::read(|name| settings.table(name))?;
    let workspace = Workspace::open(&settings.root, rules.workspace)?;
    let sandbox = Sandbox::open(rules.sandbox, &workspace)?;
    Ok(ToolContext::builder()
        .secrets(settings.secrets())
        .provide_with(move |ctx| Arc::new(workspace.for_call(ctx)))
        .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))))
}
