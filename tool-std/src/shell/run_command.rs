//! `run_command`: one command line, split into words, or given to a shell (shell.md §2, §4).

use std::path::Path;

use tool_core::{Effect, IssueCode, ToolContext, ToolError, ToolOutput, tool};

use super::processes::Processes;
use super::request::{Misfits, Request, ShellOutput, Time};
use super::words::{self, Misfit};
use crate::limits::Limits;
use crate::sandbox::Sandbox;

/// Seconds that a command in the foreground gets when the call does not say.
const DEFAULT_SECONDS: f64 = 30.0;

/// Runs one command line.
///
/// Without `shell` it is split into words and no shell is involved. Quotes and backslashes make words as in `sh`; what only
/// a shell can do (pipes, redirections, globs, variables, several commands) is refused, and needs `shell`. Standard input
/// is empty. The command runs in a sandbox: it changes files only in the workspace, `/tmp` and its own home, and it ends
/// with the call.
#[tool(group = "shell", destructive, idempotent = false, open_world, timeout = "1h", output = ShellOutput, replay = "manual")]
#[example("Count lines", { "command": "ls | wc -l", "shell": true })]
#[example("A name with a blank, without a shell", { "command": "wc -l 'shopping list.txt'" } => { "exit_code": 0 })]
pub async fn run_command(
    /// The command line.
    #[arg(positional, hint = "shell")]
    command: &str,
    /// Give the line to `/bin/sh -c`.
    shell: bool,
    /// Directory to start in, relative to the workspace root.
    #[arg(hint = "dir", default = ".")]
    cwd: &Path,
    /// Seconds of wall clock from the start of the command; 30 when left out, 3600 in the background.
    #[arg(long = "time-limit")]
    timeout: Option<f64>,
    /// Whether any end but exit code 0 is an error.
    check: bool,
    /// Return as soon as it runs; `process_output` reads it and `process_stop` ends it.
    background: bool,
    #[ctx] sandbox: &Sandbox,
    #[ctx] processes: Option<&Processes>,
    ctx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let limits = &sandbox.policy().limits;
    let mut misfits = Misfits::default();
    misfits.command("command", command, limits);
    let time = Time::new(timeout, DEFAULT_SECONDS, background);
    misfits.surroundings(cwd, time, limits);
    misfits.left_alone(background && check, "/check");
    misfits.finish()?;
    let argv = match shell {
        true => ["/bin/sh", "-c", command].map(str::to_owned).into(),
        false => split(command, limits)?,
    };
    let request = Request { tool: "run_command", argv, cwd, time, check, background };
    match shell {
        true => request.guard_text(sandbox, command)?,
        false => request.guard_words(sandbox)?,
    }
    request.run(&sandbox.for_call(ctx), processes).await
}

/// The words of a line that has at least one, and no more than a program with its arguments may have.
fn split(command: &str, limits: &Limits) -> Result<Vec<String>, ToolError> {
    let words = words::split(command).map_err(misfit)?;
    let mut misfits = Misfits::default();
    let most = limits.max_args.saturating_add(1);
    match words.first() {
        Some(program) if !program.trim().is_empty() => {}
        _ => {
            let misfit = ["a program first", "none"];
            misfits.add(IssueCode::Length, "/command", misfit, "command must be a non-empty string.");
        }
    }
    if words.len() as u64 > most {
        let misfit = [format!("at most {most} words"), format!("{} words", words.len())];
        misfits.add(IssueCode::Length, "/command", misfit, format!("command exceeds {most} words."));
    }
    misfits.finish()?;
    Ok(words)
}

fn misfit(misfit: Misfit) -> ToolError {
    let (code, message, position) = match misfit {
        Misfit::NeedsShell { seen, position } => {
            let message = format!("\"{}\" at character {position} needs a shell.", seen.escape_default());
            ("shell_syntax", message, position)
        }
        Misfit::Unbalanced { seen: '\\', position } => {
            ("unbalanced_quote", format!("The \\ at character {position} escapes nothing."), position)
        }
        Misfit::Unbalanced { seen, position } => {
            ("unbalanced_quote", format!("The {seen} at character {position} is never closed."), position)
        }
    };
    let error = ToolError::invalid_args(message).code(code).detail("position", position).effect(Effect::None);
    match misfit {
        Misfit::NeedsShell { .. } => error.hint("Set shell = true, or quote it to pass it as it is."),
        Misfit::Unbalanced { .. } => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_line_read_like_help() {
        let limits = Limits::default();
        let error = split("ls | wc", &limits).unwrap_err();
        assert_eq!(error.message(), "\"|\" at character 4 needs a shell.");
        assert_eq!(error.details()["position"], 4);
        let error = split("echo \"a", &limits).unwrap_err();
        assert_eq!(error.message(), "The \" at character 6 is never closed.");
        assert_eq!(error.code_str(), "unbalanced_quote");
        assert_eq!(split("echo \"a\"", &limits).unwrap(), ["echo", "a"]);
    }

    #[test]
    fn a_line_has_a_word_and_not_too_many() {
        let limits = Limits::default();
        for line in [" ", "\\\n", "''", &"x ".repeat(130)] {
            assert_eq!(split(line, &limits).unwrap_err().arg_issues()[0].path, "/command", "{line}");
        }
        assert_eq!(split(&"x ".repeat(129), &limits).unwrap().len(), 129);
    }
}
