//! bash: words as the shell has them, and the files behind `@`.

use clap::Command;

use super::leaves;
use crate::options::READS_FILES;

/// What stands between the words of the command line and the function that clap wrote.
const WORDS: &str = include_str!("words.bash");

/// Where the function begins that lists files.
#[cfg(feature = "dynamic-completion")]
const FILES: &str = "\n# A value that is '@'";

/// The script with a function in front of its own, which sees the words that readline has broken.
pub(super) fn completed(script: &str, root: &Command) -> String {
    let function = root.get_name().replace('-', "__");
    let script =
        script.replace(&format!("complete -F _{function} "), &format!("complete -F _{function}_words "));
    let words = WORDS.replace("PROGRAM", &function).replace("        READERS)\n", &readers(root));
    format!("{words}\n{script}")
}

/// The script with which the shell asks the program itself, with the same function in front of its own; the program knows
/// which values are files.
#[cfg(feature = "dynamic-completion")]
pub(crate) fn asking(script: &str, program: &str) -> String {
    let function = program.replace('-', "__");
    let own = format!("_clap_complete_{}", program.replace('-', "_"));
    let script = script.replace(&format!("-F {own} "), &format!("-F _{function}_words "));
    let (words, _) = WORDS.split_once(FILES).unwrap_or((WORDS, ""));
    let words = words.replace("_PROGRAM \"$1\"", &format!("{own} \"$1\"")).replace("PROGRAM", &function);
    // No word is empty.
    format!("{}\n{script}", words.replace("READERS", "''"))
}

/// The options and positions whose value may be `@FILE`, as patterns of the words in front of it.
fn readers(root: &Command) -> String {
    let mut patterns = vec!["*,--input".to_owned()];
    for (words, command) in leaves(root) {
        let path = words.iter().map(|word| format!("\" {word} \"")).collect::<Vec<_>>().join("*") + "*";
        for arg in command.get_arguments().filter(|arg| arg.get_value_hint() == READS_FILES) {
            let long = arg.get_long().filter(|long| *long != "input");
            patterns.extend(long.map(|long| format!("*{path},--{long}")));
            patterns.extend(arg.get_short().map(|short| format!("*{path},-{short}")));
            patterns.extend(arg.is_positional().then(|| format!("*{path},[!-]*")));
        }
    }
    format!("        {})\n", patterns.join(" | \\\n        "))
}
