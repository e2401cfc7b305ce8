//! `bash`: one executable with arguments, never a shell (shell.md §2).

use std::path::Path;

use tool_core::{ToolContext, ToolError, ToolOutput, tool};

use super::processes::Processes;
use super::request::{Misfits, Request, ShellOutput, Time};
use crate::sandbox::Sandbox;

/// Seconds that a command in the foreground gets when the call does not say.
const DEFAULT_SECONDS: f64 = 60.0;

/// Runs one executable with arguments.
///
/// It is not a shell: pipes, globs and variables need `run_command` with `shell`. `cmd` is a name or a path, and every entry
/// of `args` reaches it as it is. Standard input is empty. The command runs in a sandbox: it changes files only in the
/// workspace, `/tmp` and its own home, and it ends with the call.
#[tool(group = "shell", destructive, idempotent = false, open_world, timeout = "1h", output = ShellOutput, replay = "manual", tags = ["allow:name-verbless", "allow:param-vague"])]
#[example("Show a file", { "cmd": "head", "args": ["-n", "3", "notes.txt"] } => { "exit_code": 0 })]
#[example("A command in another directory, whatever its exit code", { "cmd": "ls", "args": ["-l"], "cwd": "src", "check": false })]
pub async fn bash(
    /// One executable: a name looked up in PATH, or a path from `cwd` or absolute.
    #[arg(positional, hint = "command")]
    cmd: &str,
    /// Arguments, passed as they are.
    #[arg(last)]
    args: Vec<String>,
    /// Directory to start in, relative to the workspace root.
    #[arg(hint = "dir", default = ".")]
    cwd: &Path,
    /// Seconds of wall clock from the start of the command; 60 when left out, 3600 in the background.
    #[arg(long = "time-limit")]
    timeout: Option<f64>,
    /// Whether any end but exit code 0 is an error.
    #[arg(default = true)]
    check: bool,
    /// Return as soon as it runs; `process_output` reads it and `process_stop` ends it.
    background: bool,
    #[ctx] sandbox: &Sandbox,
    #[ctx] processes: Option<&Processes>,
    ctx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let limits = &sandbox.policy().limits;
    let mut misfits = Misfits::default();
    misfits.command("cmd", cmd, limits);
    misfits.arguments(cmd, &args, limits);
    let time = Time::new(timeout, DEFAULT_SECONDS, background);
    misfits.surroundings(cwd, time, limits);
    misfits.left_alone(background && !check, "/check");
    misfits.finish()?;
    let argv = std::iter::once(cmd.to_owned()).chain(args).collect();
    let request = Request { tool: "bash", argv, cwd, time, check, background };
    request.guard_words(sandbox)?;
    request.run(&sandbox.for_call(ctx), processes).await
}
