//! One decoder serves every surface: this crate judges no argument. What it reports by itself is only what a command line
//! can get wrong before there are arguments, and each place that does is listed here with its reason.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::fs;
use std::path::{Path, PathBuf};

/// Words by which an issue is made, or the error that carries one.
const MAKING: [&str; 5] = ["ArgIssue {", "Fault::new(", "Fault {", "IssueCode::", "invalid_args("];

/// Who may, and why. (cli.md §3: "Issues made here", and §10 for batches)
const ALLOWED: [(&str, &str); 21] = [
    (
        "fault.rs",
        "the form of every issue of the table in cli.md §3, and its words too many and unknown options",
    ),
    ("lex/options.rs", "options without a value, switches with one"),
    (
        "lex/unknown.rs",
        "unknown options in front of the words, unknown short ones, and those near a global one",
    ),
    ("gather.rs", "values given more often, secrets on the command line"),
    ("gather/input.rs", "what holds a secret is told without its text"),
    ("gather/reading.rs", "standard input asked for twice"),
    ("gather/repeated.rs", "map entries without `=`, map keys given twice"),
    ("sources.rs", "files that cannot be read, words that are not UTF-8"),
    ("settings/reader.rs", "settings that go against each other, and a settings file that cannot be read"),
    ("settings/word.rs", "values of global options: they are no arguments of a tool"),
    ("batch/lines.rs", "a file of lines that cannot be read"),
    ("batch/frame.rs", "lines that are not UTF-8, and members of a line given twice"),
    ("refused.rs", "options that make no sense for a command, as for many answers"),
    ("session.rs", "a root that is none, beside other mistakes of global options"),
    (
        "settings/file/tables.rs",
        "reads codes to word what a program's own table of the settings file has wrong",
    ),
    ("select/told.rs", "names of `--select` that no result of the tool has"),
    ("store/coordinates.rs", "the place of a call in a run, which comes from variables"),
    ("store/table.rs", "lengths of time in the settings file's table of the journal"),
    ("builtin/mcp_add.rs", "options of `mcp serve` that a client would only meet when it starts the server"),
    ("builtin/mcp_serve.rs", "filters that name no tool"),
    ("people.rs", "reads codes to word them for people"),
];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The words in a file that make an issue, comments and tests left out.
fn making(path: &Path) -> Vec<&'static str> {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    MAKING.into_iter().filter(|word| code.iter().any(|line| line.contains(word))).collect()
}

#[test]
fn only_what_a_command_line_itself_gets_wrong_is_reported_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&folder) {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
        let found = making(&path);
        match ALLOWED.iter().find(|row| row.0 == name) {
            Some(_) => assert!(!found.is_empty(), "{name} makes no issue any more: take it off the list"),
            None => assert!(found.is_empty(), "{name} makes an issue of its own: {found:?}"),
        }
    }
}

/// The codes that only the decoder gives: what a value is, is none of this crate's business.
#[test]
fn no_value_is_judged_here() {
    const OF_VALUES: [&str; 6] = ["Range", "Length", "Pattern", "Choice", "Precision", "Ambiguous"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&folder).into_iter().filter(|path| !path.ends_with("settings/word.rs")) {
        let text = fs::read_to_string(&path).unwrap();
        for code in OF_VALUES {
            assert!(!text.contains(&format!("IssueCode::{code}")), "{} gives {code}", path.display());
        }
    }
}
