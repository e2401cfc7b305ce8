//! Texts: how long they are, and whether what they name is there.

use serde_json::Value;

use super::subject::deprecation;
use super::{Hit, Subject, names};
use crate::call::READ_RESULT;
use crate::def::ToolDef;
use crate::dialect::SEARCH_TOOLS;

/// The fewest characters of a description.
const SHORT: usize = 20;

/// The most characters of a description.
const LONG: usize = 1_024;

/// The most characters of a summary.
const SUMMARY: usize = 120;

pub(super) fn description_short(subject: &Subject<'_>) -> Vec<Hit> {
    let length = subject.def().description().chars().count();
    let text =
        || format!("the description has {length} characters: say what the tool does, and when to use it");
    (length < SHORT).then(|| Hit::of_tool(text())).into_iter().collect()
}

pub(super) fn description_long(subject: &Subject<'_>) -> Vec<Hit> {
    let length = subject.def().description().chars().count();
    let text = || format!("the description has {length} characters; keep it to {LONG}");
    (length > LONG).then(|| Hit::of_tool(text())).into_iter().collect()
}

pub(super) fn summary_long(subject: &Subject<'_>) -> Vec<Hit> {
    let summary = subject.def().summary().trim();
    let length = summary.chars().count();
    let text = if length > SUMMARY {
        format!("the summary has {length} characters; keep it to {SUMMARY}")
    } else if has_sentences(summary) {
        "the summary is more than one sentence: begin a new paragraph after the first".to_owned()
    } else {
        return Vec::new();
    };
    vec![Hit::of_tool(text)]
}

/// What ends in a dot and ends no sentence.
const SHORTENED: [&str; 5] = ["e.g.", "i.e.", "cf.", "vs.", "approx."];

/// Whether a sentence ends before the text does: the next one begins with a capital.
fn has_sentences(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let is_end = word.ends_with(['.', '!', '?']) && !SHORTENED.contains(&word.trim_start_matches('('));
        if is_end && words.peek().is_some_and(|next| next.starts_with(|c: char| c.is_uppercase())) {
            return true;
        }
    }
    false
}

pub(super) fn hint_unknown_tool(subject: &Subject<'_>) -> Vec<Hit> {
    let def = subject.def();
    let places =
        subject.places().iter().filter_map(|place| Some((place.path.as_str(), place.text("description")?)));
    let texts = std::iter::once(("", def.description())).chain(places);
    let unknown = |(path, text)| {
        quoted(text).filter(|word| is_unknown_tool(subject, word)).map(move |word| (path, word))
    };
    let hit = |(path, word): (&str, &str)| {
        Hit::at(path, format!("the text names the tool `{word}`, which is not in the registry"))
    };
    texts.flat_map(unknown).map(hit).collect()
}

/// Whether a word looks like the name of a tool (words with `_` between them, one of them a verb), is none, and is nothing else
/// that a tool of the registry knows: a member of its arguments or its result, or one of their values. A text may tell where such
/// a value comes from.
fn is_unknown_tool(subject: &Subject<'_>, word: &str) -> bool {
    let bytes = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let looks =
        word.contains('_') && word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(bytes);
    if !looks || !names::has_verb(word) || subject.registry.get(word).is_some() {
        return false;
    }
    let offered_by_hosts = word == READ_RESULT || SEARCH_TOOLS.contains(&word);
    !offered_by_hosts
        && !knows(subject.def(), word)
        && !subject.registry.iter().any(|tool| knows(tool.def(), word))
}

/// Whether a word is something that a tool takes, gives or needs.
fn knows(def: &ToolDef<'_>, word: &str) -> bool {
    let in_input = || def.input_schema().is_ok_and(|input| mentions(input.schema(), word));
    let in_output = || def.output_schema().is_some_and(|schema| mentions(schema, word));
    let is_named = || def.params.iter().any(|param| param.names().any(|name| name == word));
    is_named() || def.secrets.iter().any(|secret| secret.key == word) || in_input() || in_output()
}

/// Whether a key or a value of a schema is the word.
fn mentions(schema: &Value, word: &str) -> bool {
    match schema {
        Value::String(text) => text == word,
        Value::Array(items) => items.iter().any(|item| mentions(item, word)),
        Value::Object(members) => members.iter().any(|(key, value)| key == word || mentions(value, word)),
        _ => false,
    }
}

pub(super) fn deprecated_plain(subject: &Subject<'_>) -> Vec<Hit> {
    let def = subject.def();
    let is_other_tool =
        |word: &str| subject.registry.get(word).is_some_and(|tool| tool.name() != subject.tool.name());
    let tool = def
        .deprecated
        .filter(|text| !quoted(text).any(is_other_tool))
        .map(|_| Hit::of_tool("deprecated, but no tool to use instead is named in backticks"));
    let params = def.params.iter().filter(|param| {
        let is_other =
            |word: &str| word != param.name && subject.param(word).is_some() || is_other_tool(word);
        deprecation(param).is_some_and(|text| !quoted(&text).any(is_other))
    });
    let text = "deprecated, but no parameter or tool to use instead is named in backticks";
    tool.into_iter().chain(params.map(|param| Hit::at_param(param.name, text))).collect()
}

/// The words in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}
