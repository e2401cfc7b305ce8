//! `help`: the page of a command, or of a topic.

pub(crate) mod topics;

use clap_lex::RawArgs;
use tool_core::args::suggest;
use tool_core::prelude::*;

use super::Program;
use crate::fault::Fault;
use crate::flags::Table;
use crate::help::{Detail, Page};
use crate::lex::Lexer;
use crate::route::{self, Route};
use crate::schema;
use crate::settled::Settled;
use crate::tree::Tree;

/// Prints the help of a command or a topic.
///
/// Topics: exit-codes, input, output, environment.
#[tool(register = false)]
pub(crate) fn help(
    /// Words of a command, or a topic.
    #[arg(positional)]
    words: Vec<String>,
    #[ctx] program: &Program,
) -> ToolResult {
    let tree = Tree::new(&program.registry);
    if let Some(page) = topic(&words, program, &tree) {
        return page.map(ToolOutput::text);
    }
    let builtins = super::registry_with(&program.commands)?;
    page(&words, program, &tree, &Tree::new(&builtins)).map(ToolOutput::text)
}

/// The page of a command: that of `WORDS… --help`.
fn page(words: &[String], program: &Program, tree: &Tree<'_>, own: &Tree<'_>) -> Result<String, ToolError> {
    let page = Page {
        program: &program.name,
        about: &program.about,
        prefix: &program.prefix,
        width: program.columns,
        detail: Detail::Full,
        groups: &program.groups,
        missing: &program.missing,
    };
    let (raw, none) = (RawArgs::new(words.iter()), Table::default());
    let mut lexer = Lexer::new(&raw, &none);
    match route::route(&mut lexer, &program.name, tree, own) {
        Route::Tool(command) | Route::Builtin(command) => {
            if let Some(surplus) = lexer.first_word() {
                return Err(too_many(lexer.read() - 1, &surplus));
            }
            let def = command.entry.def();
            let table = Table::new(def, &schema::canonical(def)?);
            Ok(page.tool(&command.words(), def, &table))
        }
        Route::Group(tree, group) => Ok(page.group(tree, group)),
        Route::Root => Ok(page.root(tree, own)),
        Route::Unknown(error) => Err(meant(words, program, error)),
        Route::Fault(fault) => Err(Settled::of_faults(vec![*fault]).error),
    }
}

/// The page of a topic.
fn topic(words: &[String], program: &Program, tree: &Tree<'_>) -> Option<Result<String, ToolError>> {
    let (word, rest) = words.split_first()?;
    let page = topics::page(word, program, tree)?;
    Some(match rest.first() {
        Some(surplus) => Err(too_many(1, surplus)),
        None => Ok(page),
    })
}

/// The error of a word behind those that name the page.
fn too_many(at: usize, word: &str) -> ToolError {
    Settled::of_faults(vec![Fault::surplus(word).at_pointer(format!("/words/{at}"))]).error
}

/// The error of a word that leads to no command, where it may be meant for a topic.
fn meant(words: &[String], program: &Program, error: ToolError) -> ToolError {
    let near = match words {
        [word] => suggest(word, topics::words().map(|topic| (topic, topic))),
        _ => Vec::new(),
    };
    match near.first() {
        Some(topic) if !error.hint_str().is_some_and(|hint| hint.starts_with("did you mean")) => {
            error.hint(format!("did you mean '{} help {topic}'?", program.name))
        }
        _ => error,
    }
}
