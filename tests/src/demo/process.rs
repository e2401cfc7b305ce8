//! Programs and deployments: what stands behind `--`, and variables of the environment.

use serde_json::Value;
use tool_core::prelude::*;

use super::echo::{echo, of, opt};

/// Runs a program.
#[tool(side_effect, idempotent = false, group = "process", register = false)]
pub(super) fn run_process(
    /// Program to run.
    #[arg(positional, hint = "command")]
    program: &str,
    /// Run with the lowest priority.
    #[arg(short = '9')]
    nice: bool,
    /// Time limit.
    seconds: Option<f64>,
    /// Its arguments.
    #[arg(last)]
    args: Vec<String>,
) -> Value {
    echo([("program", of(program)), ("nice", of(&nice)), ("seconds", opt(&seconds)), ("args", of(&args))])
}

/// Deploys the application.
#[tool(side_effect, idempotent = false, group = "deploy", register = false)]
pub(super) fn deploy_app(
    /// Where to run.
    #[arg(env = "DEMO_REGION", aliases = ["zone"], default = "eu".to_owned())]
    region: String,
    /// Attempts after the first.
    #[arg(env = "DEMO_RETRIES", range = 0..=9, default = 3)]
    retries: u32,
    /// Skip the checks.
    #[arg(env = "DEMO_FORCE")]
    force: bool,
    /// Hosts to use.
    #[arg(env = "DEMO_HOSTS")]
    hosts: Vec<String>,
    /// Old name.
    #[arg(deprecated = "use --retries")]
    size: Option<u32>,
    /// Internal.
    #[arg(hidden)]
    trace_id: Option<&str>,
) -> Value {
    echo([
        ("region", of(&region)),
        ("retries", of(&retries)),
        ("force", of(&force)),
        ("hosts", of(&hosts)),
        ("size", opt(&size)),
        ("trace_id", opt(&trace_id)),
    ])
}
