//! What can be asked of the whole program, and not of a command: pages at the width of the terminal.

use std::collections::BTreeMap;

use tool_core::ErrorKind;

use crate::builtin::Program;
use crate::globals::GLOBALS;
use crate::help::{columns, hanging};
use crate::tree::Tree;
use crate::words::kebab;

/// The topics, each with its page.
const TOPICS: [(&str, Topic); 4] =
    [("exit-codes", exit_codes), ("input", input), ("output", output), ("environment", environment)];

/// Makes the page of a topic.
type Topic = fn(&Program, &Tree<'_>) -> String;

/// The words of the topics.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|topic| topic.0)
}

/// The topics, as a sentence lists them.
pub(crate) fn listed() -> String {
    let mut names: Vec<&str> = words().collect();
    let last = names.pop().unwrap_or_default();
    format!("{} and {last}", names.join(", "))
}

/// The page of a topic.
pub(crate) fn page(word: &str, program: &Program, tree: &Tree<'_>) -> Option<String> {
    let (_, topic) = TOPICS.iter().find(|topic| topic.0 == word)?;
    Some(topic(program, tree))
}

/// Rows under a title, all texts in one column.
fn rows<'r>(
    title: &str,
    rows: impl IntoIterator<Item = (&'r str, &'r str)>,
    head: usize,
    width: usize,
) -> String {
    let rows = rows.into_iter().map(|(name, text)| hanging(&format!("  {name:head$}  "), text, width));
    format!("{title}:\n{}", rows.collect::<String>())
}

/// Every kind of error with its exit status, by number.
fn exit_codes(program: &Program, _: &Tree<'_>) -> String {
    let kinds = ErrorKind::all().map(|kind| (kind.exit_code(), kind.as_str(), kind.sentence()));
    let mut all: Vec<_> =
        std::iter::once((0, "success", "The call did what it should.")).chain(kinds).collect();
    all.sort_unstable();
    let all: Vec<(String, &str)> =
        all.into_iter().map(|(code, word, sentence)| (format!("{code:>3}  {word:<14}"), sentence)).collect();
    let all = all.iter().map(|(head, sentence)| (head.as_str(), *sentence));
    rows("Exit codes", all, 0, columns(program.columns))
}

/// How arguments are written.
fn input(program: &Program, _: &Tree<'_>) -> String {
    let width = INPUT.iter().map(|row| row.0.len()).max().unwrap_or(0);
    rows("Arguments", INPUT, width, columns(program.columns))
}

/// In which forms results and errors come.
fn output(program: &Program, _: &Tree<'_>) -> String {
    let width = columns(program.columns);
    let formats = rows("Formats (-o)", FORMATS, 5, width);
    let more: String = OUTPUT.iter().map(|text| hanging("", text, width)).collect();
    format!("{formats}\n{more}")
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
    let head = sections.iter().flat_map(|section| &section.1).map(|row| row.0.len()).max().unwrap_or(0);
    let width = columns(about.columns);
    let first = format!(
        "An option wins over its variable. An empty variable is not set, but for {prefix}_CONFIG and {prefix}_POLICY: \
         there it means none."
    );
    let mut page = hanging("", &first, width);
    for (title, variables) in sections.iter().filter(|section| !section.1.is_empty()) {
        let variables = variables.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        page.push_str(&format!("\n{}", rows(title, variables, head, width)));
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

/// Each way to write arguments, and what it writes.
const INPUT: [(&str, &str); 8] = [
    ("--limit 5, --limit=5, -n 5, -n5", "a value"),
    ("--hidden, --no-hidden", "a switch"),
    ("--tag a --tag b", "a list"),
    ("--label KEY=VALUE", "a map"),
    ("--owner.name Ann", "a member of an object"),
    ("--shape '{\"kind\":\"circle\"}'", "JSON; @FILE reads a file, - standard input"),
    ("--input '{\"limit\":5}'", "all arguments as one object; other options win"),
    ("--", "ends the options"),
];

/// Each format, and what it is for.
const FORMATS: [(&str, &str); 5] = [
    ("text", "for people; the default on a terminal"),
    ("json", "one JSON value; the default elsewhere, unless the result is text"),
    ("jsonl", "the elements of a list, one a line, as they come where the tool emits them"),
    ("yaml", "YAML"),
    ("table", "rows and columns"),
];

/// What goes for several formats.
const OUTPUT: [&str; 2] = [
    "With json, jsonl and yaml errors are JSON on standard error; --envelope puts them on standard output.",
    "--select keeps parts of the result: name, a.b[0], /pointer, $.json.path",
];
