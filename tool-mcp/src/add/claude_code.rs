//! Claude Code: the user's settings are edited by its own command, a project's are `.mcp.json`.
//! <https://code.claude.com/docs/en/mcp>

use std::path::PathBuf;
use std::process::{Command, Stdio};

use tool_core::ToolError;

use super::edit::Format;
use super::place::{Home, Place};
use super::{Client, nothing};

/// The file of the user's settings.
const SETTINGS: &str = ".claude.json";

pub(super) const CLIENT: Client = Client {
    name: "claude-code",
    user: Place::Own("claude", settings),
    project: Some(".mcp.json"),
    format: Format::Json,
    servers: "mcpServers",
    entry: |served| served.typed(|key| format!("${{{key}}}")),
    note: nothing,
};

/// The user's settings, which its command edits.
fn settings(home: &Home) -> PathBuf {
    home.claude.as_ref().map_or_else(|| home.below(SETTINGS), |directory| directory.join(SETTINGS))
}

/// Runs the client's own command.
pub(super) fn run(program: &str, words: &[String]) -> Result<(), ToolError> {
    let ran = Command::new(program).args(words).stdin(Stdio::null()).output();
    let line = || command_line(program, words);
    let output = ran.map_err(|error| {
        let error = ToolError::unavailable(format!("{program} could not be run.")).source(error);
        error.code("client_missing").hint(format!("install it, or run: {}", line()))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
    let said: String = String::from_utf8_lossy(said).trim().chars().take(400).collect();
    let error = ToolError::failed(format!("{program} did not do it: {said}")).code("client_failed");
    Err(error.hint(format!("run: {}", line())))
}

/// The command as one writes it in a shell.
pub(super) fn command_line(program: &str, words: &[String]) -> String {
    let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
    let quoted = |word: &String| match plain(word) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    std::iter::once(program.to_owned()).chain(words.iter().map(quoted)).collect::<Vec<_>>().join(" ")
}
