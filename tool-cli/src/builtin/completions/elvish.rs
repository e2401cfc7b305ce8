//! elvish: the command among options and values, and choices of options.

use clap::Command;

use super::{choices, quoted};

/// Where clap's search for the command begins, and what it ends with.
const SEARCH: [&str; 2] = ["    var command = '", "    var completions = ["];

/// What clap looks the command up with.
const LOOKUP: &str = "    $completions[$command]\n";

/// The script with what clap leaves out of it.
pub(super) fn completed(script: &str, root: &Command) -> String {
    let [begin, end] = SEARCH;
    let found = script.split_once(begin).zip(script.split_once(end));
    let Some(((before, _), (_, behind))) = found else { return script.to_owned() };
    let known: String = choices(root)
        .iter()
        .map(|(option, words)| format!("        &{option}= [{}]\n", words.join(" ")))
        .collect();
    let behind = behind.replace(LOOKUP, &answer(root.get_name(), &known));
    format!("{before}{end}{behind}")
}

/// The choices of an option in front of the word, or in it; else what clap knows of the command.
fn answer(program: &str, known: &str) -> String {
    format!(
        "    # Options and values stand between words, and behind them.\n    \
             var command = {program}\n    \
             for word $words[1..-1] {{\n        \
                 if (has-key $completions $command';'$word) {{\n            \
                     set command = $command';'$word\n        \
                 }}\n    \
             }}\n    \
             var choices = [\n{known}    ]\n    \
             var option = $words[-2]\n    \
             var before = ''\n    \
             if (and (str:has-prefix $words[-1] '--') (str:contains $words[-1] '=')) {{\n        \
                 set option = [(str:split '=' $words[-1])][0]\n        \
                 set before = $option'='\n    \
             }}\n    \
             if (has-key $choices $command' '$option) {{\n        \
                 for choice $choices[$command' '$option] {{\n            \
                     put $before$choice\n        \
                 }}\n    \
             }} else {{\n        \
                 $completions[$command]\n    \
             }}\n",
        program = quoted(program)
    )
}
