//! `completions`: a script for a shell, rendered from the same rows as help.

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
        Shell::Bash => script(aot::Bash, &mut command),
        Shell::Zsh => script(aot::Zsh, &mut command),
        Shell::Fish => fish(&script(aot::Fish, &mut command)) + &positions(&command),
        Shell::Powershell => script(aot::PowerShell, &mut command),
        Shell::Elvish => script(aot::Elvish, &mut command),
        Shell::Nushell => script(Nushell, &mut command),
    };
    Ok(ToolOutput::text(script))
}

/// The script with words offered although an option in front of them still lacks its value: `demo -o ya`.
fn fish(script: &str) -> String {
    script.replace("2>/dev/null\n    or return\n", "2>/dev/null\n    or return 0\n")
}

/// The choices of positionals, which the script leaves out: each is offered behind the ones before it, until it is given.
fn positions(root: &clap::Command) -> String {
    let name = root.get_name();
    let using = format!("__fish_{}_using_subcommand", name.replace('-', "_"));
    let mut lines = String::new();
    for top in root.get_subcommands() {
        let below = top.get_subcommands().map(|leaf| (Some(leaf.get_name()), leaf));
        for (word, leaf) in std::iter::once((None, top)).chain(below) {
            let mut when = format!("{using} {}", top.get_name());
            if let Some(word) = word {
                when.push_str(&format!("; and __fish_seen_subcommand_from {word}"));
            }
            for position in leaf.get_positionals() {
                let choices = position.get_possible_values();
                let words = choices.iter().map(clap::builder::PossibleValue::get_name).collect::<Vec<_>>();
                if words.is_empty() {
                    break;
                }
                let words = words.join(" ");
                let given = format!("__fish_seen_subcommand_from {words}");
                lines.push_str(&format!(
                    "complete -c {name} -n \"{when}; and not {given}\" -f -a \"{words}\"\n"
                ));
                when.push_str(&format!("; and {given}"));
            }
        }
    }
    lines
}

fn script(shell: impl Generator, command: &mut clap::Command) -> String {
    let name = command.get_name().to_owned();
    let mut bytes = Vec::new();
    clap_complete::generate(shell, command, name, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
