//! `COMPLETE=bash demo`: a script with which the shell asks the program itself what a half-typed line may become.
//!
//! The answers come from the same command that the scripts of `completions` are rendered from.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Command;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use clap_complete::env::Shells;
use tool_core::args::{shown_name, suggest};
use tool_core::{Registry, ToolError};

use crate::builtin::completions::bash;
use crate::lex::Lexed;
use crate::options::{Form, READS_FILES};
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
        let command = self.program(&settings, registry, None).clap_command(Form::Script)?;
        let mut command = reading_files(command, &self.io.cwd);
        command.build();
        let mut out = Vec::new();
        let typed: Vec<OsString> =
            self.argv.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
        let (own, registers) = (&self.cli.name, typed.is_empty());
        let written = match typed.as_slice() {
            [] => completer.write_registration(ASKS, own, own, own, &mut out),
            _ => completer.write_complete(&mut command, typed, Some(&self.io.cwd), &mut out),
        };
        if registers && completer.is("bash") {
            out = bash::asking(&String::from_utf8_lossy(&out), own).into_bytes();
        }
        let failed = |error| ToolError::internal("The completion cannot be written.").source(error);
        written.map(|()| Some(out)).map_err(failed)
    }
}

/// The command with the files behind `@`, for options and positions whose value may be `@FILE`.
fn reading_files(command: Command, directory: &Path) -> Command {
    let command = command.mut_args(|arg| {
        if arg.get_value_hint() != READS_FILES {
            return arg;
        }
        let directory = directory.to_owned();
        arg.add(ArgValueCompleter::new(move |typed: &OsStr| files(typed, &directory)))
    });
    command.mut_subcommands(|below| reading_files(below, directory))
}

/// The files that a value beginning with `@` may name; none for any other value.
fn files(typed: &OsStr, directory: &Path) -> Vec<CompletionCandidate> {
    let Some(path) = typed.to_str().and_then(|typed| typed.strip_prefix('@')) else { return Vec::new() };
    let found = PathCompleter::file().current_dir(directory).complete(OsStr::new(path));
    found.into_iter().map(|file| file.add_prefix("@")).collect()
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
