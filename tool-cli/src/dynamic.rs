//! `COMPLETE=bash demo`: a script with which the shell asks the program itself what a half-typed line may become.
//!
//! The answers come from the same command that the scripts of `completions` are rendered from.

use std::ffi::{OsStr, OsString};

use clap_complete::env::Shells;
use tool_core::args::{shown_name, suggest};
use tool_core::{Registry, ToolError};

use crate::lex::Lexed;
use crate::options::Form;
use crate::session::Session;

/// The variable that asks for it, with the name of the shell.
const ASKS: &str = "COMPLETE";

impl Session<'_> {
    /// What to print for a shell that asks: the script, or behind `--` what the line may become. `None` where none asks.
    pub(crate) fn dynamic_completion(&mut self, registry: &Registry) -> Result<Option<Vec<u8>>, ToolError> {
        let asking = self.io.var(ASKS).filter(|shell| *shell != "0").map(OsStr::to_owned);
        let Some(shell) = asking else { return Ok(None) };
        let shells = Shells::builtins();
        let name = shell.to_string_lossy();
        let Some(completer) = shells.completer(&name) else { return Err(unknown(&name, &shells)) };
        let settings = self.cli.settings(&Lexed::default().globals, &self.io).0;
        let mut command = self.program(&settings, registry, None).clap_command(Form::Script)?;
        command.build();
        let mut out = Vec::new();
        let typed: Vec<OsString> =
            self.argv.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
        let own = &self.cli.name;
        let written = match typed.as_slice() {
            [] => completer.write_registration(ASKS, own, own, own, &mut out),
            _ => completer.write_complete(&mut command, typed, Some(&self.io.cwd), &mut out),
        };
        let failed = |error| ToolError::internal("The completion cannot be written.").source(error);
        written.map(|()| Some(out)).map_err(failed)
    }
}

fn unknown(name: &str, shells: &Shells<'_>) -> ToolError {
    let known: Vec<&str> = shells.names().collect();
    let shown = shown_name(name);
    let near = suggest(name, known.iter().map(|name| (*name, *name)));
    let hint = near.first().map_or_else(
        || format!("the shells are {}", known.join(", ")),
        |near| format!("did you mean '{near}'?"),
    );
    ToolError::not_found(format!("no completion for the shell '{shown}'")).code("unknown_shell").hint(hint)
}
