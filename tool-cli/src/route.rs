//! The command words: from the first word to a tool, a group or nothing.

use std::ffi::OsString;

use clap_lex::RawArgs;
use tool_core::ToolError;

use crate::builtin::{self, RESERVED};
use crate::fault::Fault;
use crate::flags::Table;
use crate::globals::Global;
use crate::lex::{Lexer, Step};
use crate::tree::{Command, Node, Tree};

/// Where the command words lead.
pub(crate) enum Route<'t, 'r> {
    /// A tool of the program.
    Tool(&'t Command<'r>),
    /// A command that every program has.
    Builtin(&'t Command<'r>),
    /// A group, without a word behind it.
    Group(&'t Tree<'r>, &'t str),
    /// No word at all.
    Root,
    /// A word that leads nowhere.
    Unknown(ToolError),
    /// An option that does not exist in front of the words.
    Fault(Box<Fault>),
}

/// Whether the version is asked for, in front of the words.
pub(crate) fn wants_version(argv: &[OsString]) -> bool {
    let (raw, none) = (RawArgs::new(argv.iter()), Table::default());
    let mut lexer = Lexer::new(&raw, &none);
    while matches!(lexer.step(), Step::Option) {}
    lexer.so_far().globals.has(Global::Version)
}

/// Follows the command words. `own` are the commands that every program has.
pub(crate) fn route<'t, 'r>(
    lexer: &mut Lexer<'_>,
    program: &str,
    tree: &'t Tree<'r>,
    own: &'t Tree<'r>,
) -> Route<'t, 'r> {
    let word = match next(lexer) {
        Ok(Some(word)) => word,
        Ok(None) => return Route::Root,
        Err(fault) => return Route::Fault(fault),
    };
    let (home, group) = match at_root(&word, tree, own) {
        Some(Found::Group(home, group)) => (home, group),
        Some(Found::Tool(command)) => return Route::Tool(command),
        Some(Found::Builtin(command)) => return Route::Builtin(command),
        None if lexer.help().is_some() => return Route::Root,
        None => {
            let builtin: Vec<&str> = builtin::words(own).iter().map(|row| row.0).collect();
            return Route::Unknown(tree.unknown(program, &[], &word, &builtin));
        }
    };
    let word = match next(lexer) {
        Ok(Some(word)) => word,
        Ok(None) => return Route::Group(home, group),
        Err(fault) => return Route::Fault(fault),
    };
    match home.in_group(group, &word) {
        Some(command) if std::ptr::eq(home, own) => Route::Builtin(command),
        Some(command) => Route::Tool(command),
        None if lexer.help().is_some() => Route::Group(home, group),
        None => Route::Unknown(home.unknown(program, &[group.to_owned()], &word, &[])),
    }
}

/// What the first word leads to.
enum Found<'t, 'r> {
    Group(&'t Tree<'r>, &'t str),
    Tool(&'t Command<'r>),
    Builtin(&'t Command<'r>),
}

/// Groups and listed words come first, those of every program second, names and aliases last. A second word of a command
/// that every program has is one of the reserved ones.
fn at_root<'t, 'r>(word: &str, tree: &'t Tree<'r>, own: &'t Tree<'r>) -> Option<Found<'t, 'r>> {
    if let Some(node) = tree.listed(word) {
        return Some(match node {
            Node::Group(group) => Found::Group(tree, group),
            Node::Tool(command) => Found::Tool(command),
        });
    }
    if let Some(node) = own.listed(word) {
        return Some(match node {
            Node::Group(group) => Found::Group(own, group),
            Node::Tool(command) => Found::Builtin(command),
        });
    }
    let own = || own.called(word).filter(|_| RESERVED.contains(&word)).map(Found::Builtin);
    tree.called(word).map(Found::Tool).or_else(own)
}

/// The next word; an option that does not exist ends the reading, unless help is asked for.
fn next(lexer: &mut Lexer<'_>) -> Result<Option<String>, Box<Fault>> {
    loop {
        let step = lexer.step();
        if let (Some(fault), None) = (lexer.so_far().faults.first(), lexer.help()) {
            return Err(Box::new(fault.clone()));
        }
        match step {
            Step::Word(word, _) => return Ok(Some(word.to_string_lossy().into_owned())),
            Step::Option => {}
            Step::End => return Ok(None),
        }
    }
}
