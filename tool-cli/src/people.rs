//! Errors for people, and for models that read them: what was wrong, where, and what would be right.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use tool_core::{ArgIssue, IssueCode, ToolError};
use unicode_width::UnicodeWidthStr as _;

use crate::fault::SURPLUS;
use crate::flags::Table;
use crate::quote::quote;
use crate::settled::{Settled, unlisted};
use crate::style::Style;
use crate::visible::visible;
use crate::yaml;

/// At most this many issues are listed.
pub(crate) const ISSUES_SHOWN: usize = 20;

/// The command line is repeated if it is no wider.
pub(crate) const ECHO_COLUMNS: usize = 78;

/// The most characters of a word that is no option, and of an option, which may be anything somebody typed.
const WORD_SHOWN: usize = 40;
const FLAG_SHOWN: usize = 80;

/// What is known about the call beside its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    /// The program's name.
    pub(crate) program: &'a str,
    /// The words of the command line, without the program.
    pub(crate) argv: &'a [String],
    /// The words of the tool, when one was reached.
    pub(crate) command: Option<&'a [String]>,
    /// Its options.
    pub(crate) table: &'a Table,
    /// Whether `-v` was given.
    pub(crate) verbose: bool,
    /// Whether it goes to a terminal.
    pub(crate) terminal: bool,
    /// Colours.
    pub(crate) style: Style,
}

impl Scene<'_> {
    /// A text that came from outside.
    fn safe<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.terminal { Cow::Owned(visible(text)) } else { Cow::Borrowed(text) }
    }
}

/// An error as text.
pub(crate) fn render(settled: &Settled, scene: &Scene<'_>) -> String {
    let error = &settled.error;
    let head = scene.style.error(&format!("error[{}]", scene.safe(error.code_str())));
    let mut out = format!("{head}: {}\n", scene.safe(error.message()));
    if !error.arg_issues().is_empty() {
        out.push('\n');
        out.push_str(&issues(settled, scene));
        if let Some(echo) = echo(settled, scene) {
            let _ = write!(out, "\n{echo}");
        }
    }
    if !scene.verbose && !settled.shown {
        output(&mut out, error, scene);
    }
    tail(&mut out, error, scene);
    out
}

/// What the call wrote before it failed, each stream under its name.
fn output(out: &mut String, error: &ToolError, scene: &Scene<'_>) {
    let texts = error.details().iter().filter(|(key, _)| error.is_content(key));
    let texts = texts.filter_map(|(key, value)| Some((key, value.as_str()?)));
    for (name, text) in texts.filter(|(_, text)| !text.is_empty()) {
        let _ = writeln!(out, "{}:", scene.safe(name));
        indented(out, &scene.safe(text));
    }
}

/// A text below the line that says what it is.
fn indented(out: &mut String, text: &str) {
    for line in text.lines() {
        let margin = if line.is_empty() { "" } else { "  " };
        let _ = writeln!(out, "{margin}{line}");
    }
}

/// What to do next.
fn tail(out: &mut String, error: &ToolError, scene: &Scene<'_>) {
    if let Some(hint) = error.hint_str() {
        let _ = writeln!(out, "hint: {}", scene.safe(hint));
    } else if let Some(last) = behind_dashes(error, scene.table) {
        let _ = writeln!(out, "hint: words for <{last}> stand behind --");
    }
    if let Some(after) = error.retry_after_value() {
        let _ = writeln!(out, "retry after {}s", after.as_secs_f64().ceil());
    }
    if scene.verbose && !error.details().is_empty() {
        let details = yaml::render(&serde_json::Value::Object(error.details().clone()));
        let _ = writeln!(out, "details:");
        indented(out, &scene.safe(&details));
    }
    if !error.arg_issues().is_empty() {
        let words: Vec<&str> = scene.command.into_iter().flatten().map(String::as_str).collect();
        let _ = writeln!(out, "\nhelp: {} --help", [&[scene.program], &words[..]].concat().join(" "));
    }
}

/// The words behind `--`, for somebody who may have meant a surplus word as one of them.
fn behind_dashes<'t>(error: &ToolError, table: &'t Table) -> Option<&'t str> {
    let surplus = |issue: &ArgIssue| issue.expected == SURPLUS && issue.path.is_empty();
    let last = table.params.iter().find(|param| param.last)?;
    error.arg_issues().iter().any(surplus).then_some(last.value_name.as_str())
}

/// One line per issue in two columns: the option with the rest of the path, then the sentence.
fn issues(settled: &Settled, scene: &Scene<'_>) -> String {
    let all = settled.error.arg_issues();
    let rows: Vec<(String, String)> = all
        .iter()
        .zip(&settled.flags)
        .zip(&settled.words)
        .take(ISSUES_SHOWN)
        .map(|((issue, flag), words)| {
            let place = place(issue, flag.as_deref(), words.first(), scene);
            (scene.safe(&place).into_owned(), sentence(issue, scene.table))
        })
        .collect();
    let width = rows.iter().map(|row| row.0.width()).max().unwrap_or(0);
    let mut out = String::new();
    for (place, sentence) in rows {
        let pad = " ".repeat(width.saturating_sub(place.width()));
        let _ = writeln!(out, "  {place}{pad}  {}", scene.safe(&sentence));
    }
    let unlisted = unlisted(&settled.error);
    let more = all.len().saturating_sub(ISSUES_SHOWN) + unlisted;
    if more > 0 {
        let listed = if unlisted > 0 { all.len().to_string() } else { "all".to_owned() };
        let _ = writeln!(out, "  … {more} more; --json lists {listed}");
    }
    out
}

/// `--edits /0/text`: the option, then what it does not say of the path itself.
fn place(issue: &ArgIssue, flag: Option<&str>, words: Option<&Range<usize>>, scene: &Scene<'_>) -> String {
    let Some(flag) = flag else {
        let word = words.and_then(|words| scene.argv.get(words.start));
        return word.map_or_else(|| "arguments".to_owned(), |word| quote(&shortened(word, WORD_SHOWN)));
    };
    let rest = if flag == "--input" { issue.path.as_str() } else { below(&issue.path, flag) };
    let (flag, rest) = (shortened(flag, FLAG_SHOWN), shortened(rest, FLAG_SHOWN));
    if rest.is_empty() { flag } else { format!("{flag} {rest}") }
}

/// The part of a pointer behind what an option names: its first token, and the second of `--owner.age`.
fn below<'p>(path: &'p str, flag: &str) -> &'p str {
    let tokens = if flag.starts_with("--") && flag.contains('.') { 2 } else { 1 };
    let mut slashes = path.match_indices('/').map(|(at, _)| at).skip(tokens);
    slashes.next().map_or("", |at| path.get(at..).unwrap_or_default())
}

/// The sentence of an issue without its path, with parameters called by their options.
fn sentence(issue: &ArgIssue, table: &Table) -> String {
    let ArgIssue { code, expected, got, hint, .. } = issue;
    let by_option = matches!(code, IssueCode::Unknown | IssueCode::Duplicate | IssueCode::Constraint);
    let said = |text: &str| if by_option { options(text, &issue.path, table) } else { text.to_owned() };
    let listed = |text: &str| listed_options(text, table);
    let text = match (code, hint) {
        (IssueCode::Missing, _) => format!("missing; expected {expected}"),
        (IssueCode::Unknown, Some(hint)) if hint.starts_with("did you mean") => {
            return format!("unknown; {}", said(hint));
        }
        (IssueCode::Unknown, _) => format!("unknown; expected {}", listed(expected)),
        // What came may be the text of a file, and an issue is one line.
        _ => format!("expected {}, got {}", said(expected), said(got).replace('\n', "\\n")),
    };
    match hint {
        Some(hint) => format!("{text}; {}", said(hint)),
        None => text,
    }
}

/// A text with each quoted parameter as its option.
fn options(text: &str, path: &str, table: &Table) -> String {
    let head = path.rsplit_once('/').map_or("", |(head, _)| head);
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 0 {
            out.push_str(part);
            continue;
        }
        // Another name of a parameter is no option that anybody wrote: it stays the key that it is.
        let is_alias = head.is_empty() && table.param(part).is_some_and(|param| param.name != part);
        let option = if part.starts_with("--") {
            Some(part.to_owned())
        } else {
            table.usage(&format!("{head}/{part}")).filter(|_| !is_alias)
        };
        out.push_str(&option.unwrap_or_else(|| format!("`{part}`")));
    }
    out
}

/// `one of the parameters a, b` with each parameter as its option.
fn listed_options(expected: &str, table: &Table) -> String {
    let Some(names) = expected.strip_prefix("one of the parameters ") else { return expected.to_owned() };
    let is_hidden = |name: &&str| table.named(name).is_some_and(|at| table.is_hidden(at));
    let options: Vec<String> = names
        .split(", ")
        .filter(|name| !is_hidden(name))
        .map(|name| table.usage(&format!("/{name}")).unwrap_or_else(|| name.to_owned()))
        .collect();
    if options.is_empty() {
        return "no options".to_owned();
    }
    format!("one of {}", options.join(", "))
}

/// The command line with `^` under the words at fault.
fn echo(settled: &Settled, scene: &Scene<'_>) -> Option<String> {
    if scene.table.has_secret() || settled.words.iter().all(Vec::is_empty) {
        return None;
    }
    let faulty = |at: usize| settled.words.iter().flatten().any(|words| words.contains(&at));
    let joined = |at: usize| {
        settled.words.iter().flatten().any(|words| words.contains(&at) && words.contains(&(at + 1)))
    };
    let mut line = scene.program.to_owned();
    let mut marks = " ".repeat(line.width());
    for (at, word) in scene.argv.iter().enumerate() {
        let word = quote(&scene.safe(word));
        let before = at > 0 && joined(at - 1);
        line.push(' ');
        line.push_str(&word);
        marks.push(if before { '^' } else { ' ' });
        marks.push_str(&if faulty(at) { "^" } else { " " }.repeat(word.width()));
    }
    if line.width() > ECHO_COLUMNS || line.contains('\n') {
        return None;
    }
    Some(format!("  {line}\n  {}\n", scene.style.fault(marks.trim_end())))
}

fn shortened(word: &str, most: usize) -> String {
    match word.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", word.get(..end).unwrap_or_default()),
        None => word.to_owned(),
    }
}
