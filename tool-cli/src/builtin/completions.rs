//! `completions`: a script for a shell, rendered from the same rows as help.
//!
//! clap writes the scripts; what it leaves out of them for a shell is added here, in a file of its own for each.

pub(crate) mod bash;
mod elvish;
mod fish;
mod powershell;
mod zsh;

use clap_complete::{Generator, aot};
use clap_complete_nushell::Nushell;
use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::prelude::*;

use super::Program;
use crate::options::Form;

/// A shell that a script can be written for.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
    Nushell,
}

/// Prints a shell completion script.
///
/// bash: put it into ~/.local/share/bash-completion/completions/PROGRAM. zsh: into a directory of $fpath, as _PROGRAM.
/// fish: into ~/.config/fish/completions/PROGRAM.fish. powershell, elvish, nushell: source it from the profile.
#[tool(register = false)]
pub(crate) fn completions(
    /// The shell.
    #[arg(positional)]
    shell: Shell,
    #[ctx] program: &Program,
) -> ToolResult {
    let mut command = program.clap_command(Form::Script)?;
    let script = match shell {
        Shell::Bash => bash::completed(&script(aot::Bash, &mut command), &command),
        Shell::Zsh => zsh::completed(&script(aot::Zsh, &mut command), &command),
        Shell::Fish => fish::completed(&script(aot::Fish, &mut command), &command),
        Shell::Powershell => {
            powershell::completed(&script(aot::PowerShell, &mut with_choices(command.clone())), &command)
        }
        Shell::Elvish => {
            elvish::completed(&script(aot::Elvish, &mut with_choices(command.clone())), &command)
        }
        Shell::Nushell => script(Nushell, &mut command),
    };
    Ok(ToolOutput::text(script))
}

fn script(shell: impl Generator, command: &mut clap::Command) -> String {
    let name = command.get_name().to_owned();
    let mut bytes = Vec::new();
    clap_complete::generate(shell, command, name, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The command with the choices of first positions as words, for shells whose scripts offer words and options alone.
fn with_choices(command: clap::Command) -> clap::Command {
    let first = command.get_positionals().next().map(clap::Arg::get_possible_values).unwrap_or_default();
    let choices: Vec<clap::Command> =
        first.iter().map(|choice| clap::Command::new(choice.get_name().to_owned())).collect();
    command.mut_subcommands(with_choices).subcommands(choices)
}

/// Every command with its path: its words with `;` between them, as scripts of clap have them.
fn paths(root: &clap::Command) -> Vec<(String, &clap::Command)> {
    let mut paths = Vec::new();
    let mut open = vec![(root.get_name().to_owned(), root)];
    while let Some((path, command)) = open.pop() {
        let below: Vec<_> = command.get_subcommands().collect();
        open.extend(below.into_iter().rev().map(|below| (format!("{path};{}", below.get_name()), below)));
        paths.push((path, command));
    }
    paths
}

/// The choices of each option that has some, behind the path of its command: `'demo;store;search --level'`, all quoted.
fn choices(root: &clap::Command) -> Vec<(String, Vec<String>)> {
    let mut choices = Vec::new();
    for (path, command) in paths(root) {
        for arg in command.get_opts() {
            let words = arg.get_possible_values();
            let words: Vec<String> = words.iter().map(|choice| quoted(choice.get_name())).collect();
            if words.is_empty() {
                continue;
            }
            let long = arg.get_long().map(|long| format!("{path} --{long}"));
            let short = arg.get_short().map(|short| format!("{path} -{short}"));
            choices.extend(long.into_iter().chain(short).map(|option| (quoted(&option), words.clone())));
        }
    }
    choices
}

/// A text as a string of PowerShell or elvish.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The commands that do something, each with its words behind the program's name.
fn leaves(root: &clap::Command) -> Vec<(Vec<&str>, &clap::Command)> {
    let mut leaves = Vec::new();
    let mut open = vec![(Vec::new(), root)];
    while let Some((words, command)) = open.pop() {
        let below: Vec<_> = command.get_subcommands().collect();
        if below.is_empty() {
            leaves.push((words, command));
            continue;
        }
        open.extend(below.into_iter().rev().map(|below| {
            let words = words.iter().copied().chain([below.get_name()]).collect();
            (words, below)
        }));
    }
    leaves
}
