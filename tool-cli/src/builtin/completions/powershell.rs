//! PowerShell: the command among options and values, and choices of options.

use clap::Command;

use super::{choices, paths, quoted};

/// Where clap's search for the command begins, and what it ends with.
const SEARCH: [&str; 2] = ["    $command = @(\n", "    $completions = @(switch"];

/// What stands in place of it.
const COMMAND: &str = include_str!("command.ps1");

/// The script with what clap leaves out of it.
pub(super) fn completed(script: &str, root: &Command) -> String {
    let [begin, end] = SEARCH;
    let found = script.split_once(begin).zip(script.split_once(end));
    let Some(((before, _), (_, behind))) = found else { return script.to_owned() };
    let known: Vec<String> =
        paths(root).iter().map(|(path, _)| format!("        {}", quoted(path))).collect();
    let choices: String = choices(root)
        .iter()
        .map(|(option, words)| format!("        {option} {{ {} }}\n", words.join(", ")))
        .collect();
    let command = COMMAND
        .replace("'PROGRAM'", &quoted(root.get_name()))
        .replace("        PATHS", &known.join(",\n"))
        .replace("        CHOICES\n", &choices);
    format!("{before}{command}{end}{behind}")
}
