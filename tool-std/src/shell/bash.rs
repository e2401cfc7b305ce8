//! `bash`: one executable with arguments, never a shell (shell.md §2).

use std::path::Path;

use tool_core::{ToolError, ToolOutput, tool};

use super::request::{Misfits, Request};
use crate::sandbox::{CommandResult, Sandbox};

/// Runs one executable with arguments. It is not a shell: pipes, globs and variables need `run_command` with `shell`.
///
/// `cmd` is a name or a path, and every entry of `args` reaches it as it is. Standard input is empty. The command runs in a
/// sandbox: it changes files only in the workspace, `/tmp` and its own home, and it ends with the call.
#[tool(group = "shell", destructive, idempotent = false, open_world, timeout = "1h", output = CommandResult)]
#[example("Show a file", { "cmd": "head", "args": ["-n", "3", "notes.txt"] })]
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
    /// Seconds of wall clock from the start of the command.
    #[arg(long = "time-limit", default = 60.0)]
    timeout: f64,
    /// Whether any end but exit code 0 is an error.
    #[arg(default = true)]
    check: bool,
    /// Return at once and leave the command running.
    background: bool,
    #[ctx] sandbox: &Sandbox,
) -> Result<ToolOutput, ToolError> {
    let limits = &sandbox.policy().limits;
    let mut misfits = Misfits::default();
    misfits.command("cmd", cmd, limits);
    misfits.arguments(cmd, &args, limits);
    misfits.surroundings(cwd, timeout, limits);
    misfits.finish()?;
    let argv = std::iter::once(cmd.to_owned()).chain(args).collect();
    let request = Request { tool: "bash", argv, cwd, timeout, check, background };
    request.guard_words(sandbox)?;
    request.run(sandbox).await
}
