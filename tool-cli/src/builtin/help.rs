//! `help`: the page of a command, or of a topic.

use std::collections::BTreeMap;

use clap_lex::RawArgs;
use tool_core::ErrorKind;
use tool_core::args::suggest;
use tool_core::prelude::*;

use super::Program;
use crate::fault::Fault;
use crate::flags::Table;
use crate::globals::GLOBALS;
use crate::help::{Detail, Page};
use crate::lex::Lexer;
use crate::route::{self, Route};
use crate::schema;
use crate::settled::Settled;
use crate::tree::Tree;
use crate::words::kebab;

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

/// The topics, each with its page.
const TOPICS: [(&str, Topic); 4] = [
    ("exit-codes", |_, _| exit_codes()),
    ("input", |_, _| INPUT.to_owned()),
    ("output", |_, _| OUTPUT.to_owned()),
    ("environment", environment),
];

/// Makes the page of a topic.
type Topic = fn(&Program, &Tree<'_>) -> String;

/// The words of the topics.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|topic| topic.0)
}

/// The topics, as a sentence lists them.
pub(crate) fn topics() -> String {
    let mut names: Vec<&str> = words().collect();
    let last = names.pop().unwrap_or_default();
    format!("{} and {last}", names.join(", "))
}

/// The page of a topic.
fn topic(words: &[String], program: &Program, tree: &Tree<'_>) -> Option<Result<String, ToolError>> {
    let (word, rest) = words.split_first()?;
    let topic = TOPICS.iter().find(|topic| topic.0 == word)?;
    Some(match rest.first() {
        Some(surplus) => Err(too_many(1, surplus)),
        None => Ok(topic.1(program, tree)),
    })
}

/// The error of a word behind those that name the page.
fn too_many(at: usize, word: &str) -> ToolError {
    Settled::of_faults(vec![Fault::surplus(word).at_pointer(format!("/words/{at}"))]).error
}

/// The error of a word that leads to no command, where it may be meant for a topic.
fn meant(words: &[String], program: &Program, error: ToolError) -> ToolError {
    let near = match words {
        [word] => suggest(word, TOPICS.iter().map(|topic| (topic.0, topic.0))),
        _ => Vec::new(),
    };
    match near.first() {
        Some(topic) if !error.hint_str().is_some_and(|hint| hint.starts_with("did you mean")) => {
            error.hint(format!("did you mean '{} help {topic}'?", program.name))
        }
        _ => error,
    }
}

/// Every variable that is read: those of the program, those that many programs know, and those of the tools.
fn environment(about: &Program, tree: &Tree<'_>) -> String {
    let (program, prefix) = (&about.name, &about.prefix);
    let own = GLOBALS.iter().filter_map(|row| Some((format!("{prefix}_{}", row.env?), row.help.to_owned())));
    let logged = (format!("{prefix}_LOG"), "What is logged, such as warn or tool_std=debug".to_owned());
    let named = about.variables.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    #[cfg(feature = "store")]
    let named = crate::store::place::variables(prefix, program).into_iter().chain(named);
    let common = COMMON.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let mut tools: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for command in tree.all().filter(|command| command.is_listed()) {
        let def = command.entry.def();
        let words = command.words().join(" ");
        for param in def.params.iter().filter(|param| !param.keys.cli.hidden) {
            let uses = param.keys.cli.env.map(|name| tools.entry(name.to_owned()).or_default());
            uses.into_iter()
                .for_each(|uses| uses.push(format!("{} of '{program} {words}'", kebab(param.name))));
        }
        for secret in def.secrets {
            tools.entry(secret.key.to_owned()).or_default().push(format!("secret of '{program} {words}'"));
        }
    }
    let tools: Vec<_> = tools.into_iter().map(|(name, uses)| (name, uses.join(", "))).collect();
    let sections = [
        ("Program", own.chain([logged]).chain(named).collect::<Vec<_>>()),
        ("Common", common.to_vec()),
        ("Tools", tools),
    ];
    let width = sections.iter().flat_map(|section| &section.1).map(|row| row.0.len()).max().unwrap_or(0);
    let mut page = format!(
        "An option wins over its variable. An empty variable is not set, but for {prefix}_CONFIG and {prefix}_POLICY: \
         there it means none.\n"
    );
    for (title, rows) in sections.iter().filter(|section| !section.1.is_empty()) {
        page.push_str(&format!("\n{title}:\n"));
        rows.iter().for_each(|(name, text)| page.push_str(&format!("  {name:width$}  {text}\n")));
    }
    page
}

/// Variables that many programs know.
const COMMON: [(&str, &str); 7] = [
    ("NO_COLOR", "No colours, if not empty"),
    ("CLICOLOR_FORCE", "Colours although there is no terminal"),
    ("TERM", "No colours if it is dumb"),
    ("XDG_CONFIG_HOME", "Where the directory with the settings file is, else $HOME/.config"),
    ("HOME", "The home directory"),
    ("TRACEPARENT", "The trace that calls belong to, as W3C Trace Context has it"),
    ("SOURCE_DATE_EPOCH", "The date of manual pages, in seconds"),
];

/// Every kind of error with its exit status, by number.
fn exit_codes() -> String {
    let kinds = ErrorKind::all().map(|kind| (kind.exit_code(), kind.as_str(), kind.sentence()));
    let mut rows: Vec<_> =
        std::iter::once((0, "success", "The call did what it should.")).chain(kinds).collect();
    rows.sort_unstable();
    let mut page = "Exit codes:\n".to_owned();
    for (code, word, sentence) in rows {
        page.push_str(&format!("  {code:>3}  {word:<14}  {sentence}\n"));
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
