//! `help`: the page of a command, or of a topic.

use serde_json::Value;
use tool_core::ErrorKind;
use tool_core::prelude::*;

use crate::lex::{Lexer, Step};

/// Prints the help of a command or a topic.
///
/// Topics: exit-codes, input, output.
#[tool(register = false)]
pub(crate) fn help(
    /// Words of a command, or a topic.
    #[arg(positional)]
    words: Vec<String>,
) -> Result<Value, ToolError> {
    Ok(Value::from(words))
}

/// The words behind `help`.
pub(crate) fn words(lexer: &mut Lexer<'_>) -> Vec<String> {
    let mut words = Vec::new();
    loop {
        match lexer.step() {
            Step::Word(word, _) => words.push(word.to_string_lossy().into_owned()),
            Step::Option => {}
            Step::End => return words,
        }
    }
}

/// The page of a topic.
pub(crate) fn topic(words: &[String], program: &str) -> Option<String> {
    match words {
        [topic] if topic == "exit-codes" => Some(exit_codes()),
        [topic] if topic == "input" => Some(INPUT.replace("{program}", program)),
        [topic] if topic == "output" => Some(OUTPUT.replace("{program}", program)),
        _ => None,
    }
}

/// Every kind of error with its exit status.
fn exit_codes() -> String {
    let mut page = "Exit codes:\n    0  success\n".to_owned();
    for kind in ErrorKind::all() {
        page.push_str(&format!("  {:>3}  {:<14}  {}\n", kind.exit_code(), kind.as_str(), kind.sentence()));
    }
    page
}

const INPUT: &str = "\
Arguments:
  --limit 5, --limit=5, -n 5, -n5     a value
  --hidden, --no-hidden               a switch
  --tag a --tag b                     a list
  --label KEY=VALUE                   a map
  --owner.name Ann                    a member of an object
  --shape '{\"kind\":\"circle\"}'         JSON; @FILE reads a file, - standard input
  --input '{\"limit\":5}'               all arguments as one object; other options win
  --                                  ends the options
";

const OUTPUT: &str = "\
Formats (-o):
  text    for people; the default on a terminal
  json    one JSON value; the default elsewhere, unless the result is text
  jsonl   the elements of a list, one a line
  yaml    YAML
  table   rows and columns
With json, jsonl and yaml errors are JSON on standard error; --envelope puts them on standard output.
--select keeps parts of the result: name, a.b[0], /pointer, $.json.path
";
