//! fish: choices of positionals, and the files behind `@`.

use clap::{Arg, Command};

use super::leaves;
use crate::options::READS_FILES;

/// The script with what clap leaves out of it.
pub(super) fn completed(script: &str, root: &Command) -> String {
    let function = format!("__{}_at", root.get_name().replace('-', "_"));
    // Words are offered although an option in front of them still lacks its value: `demo -o ya`.
    let script = script.replace("2>/dev/null\n    or return\n", "2>/dev/null\n    or return 0\n");
    let script = script.replace("(__fish_complete_users)", &format!("({function})"));
    format!("{}{script}{}", at(&function), positions(root, &function))
}

/// The function for values that may be `@FILE`, which clap has the names of users for.
fn at(function: &str) -> String {
    format!(
        "# A value that is '@' and a file, or anything else.\n\
         function {function}\n    \
             set -l value (commandline -ct | string replace -r '^--[^=]+=' '')\n    \
             string match -q '@*' -- $value\n    \
             or return\n    \
             for path in (complete -C \"'' \"(string escape -- (string sub -s 2 -- $value)))\n        \
                 echo @$path\n    \
             end\n\
         end\n\n"
    )
}

/// What positionals may be: each is offered behind the ones before it, until it is given.
fn positions(root: &Command, at: &str) -> String {
    let name = root.get_name();
    let using = format!("__fish_{}_using_subcommand", name.replace('-', "_"));
    let mut lines = String::new();
    for (path, leaf) in leaves(root) {
        let [top, below @ ..] = path.as_slice() else { continue };
        let mut when = format!("{using} {top}");
        below.iter().for_each(|word| when.push_str(&format!("; and __fish_seen_subcommand_from {word}")));
        for position in leaf.get_positionals() {
            if position.get_value_hint() == READS_FILES {
                lines.push_str(&format!("complete -c {name} -n \"{when}\" -a \"({at})\"\n"));
            }
            let words = words(position);
            if words.is_empty() {
                break;
            }
            let given = format!("__fish_seen_subcommand_from {words}");
            let many = position.get_num_args().is_some_and(|count| count.max_values() > 1);
            let still = if many { String::new() } else { format!("; and not {given}") };
            lines.push_str(&format!("complete -c {name} -n \"{when}{still}\" -f -a \"{words}\"\n"));
            when.push_str(&format!("; and {given}"));
        }
    }
    lines
}

/// The choices of a positional.
fn words(position: &Arg) -> String {
    let choices = position.get_possible_values();
    choices.iter().map(clap::builder::PossibleValue::get_name).collect::<Vec<_>>().join(" ")
}
