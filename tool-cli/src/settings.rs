//! What the person asked of the program as a whole: option over variable over default.
//!
//! Mistakes become faults beside those of the tool's own options, so that one answer lists them all.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tool_core::args::{did_you_mean, suggest};
use tool_core::{IssueCode, Secret, SecretSource, ToolError};

use crate::duration;
use crate::fault::{Fault, text};
use crate::format::Format;
use crate::globals::{AllGiven, GLOBALS, Given, Global, GlobalDef};
use crate::io::Io;
use crate::schema::Target;
use crate::select::Selection;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

pub(crate) const COLORS: [(Color, &str); 3] =
    [(Color::Auto, "auto"), (Color::Always, "always"), (Color::Never, "never")];

/// What the person asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Workspace of the tools, absolute.
    pub root: PathBuf,
    /// Output format, where one was asked for.
    pub format: Option<Format>,
    /// Wrap result or error.
    pub envelope: bool,
    /// Time limit, where one was asked for.
    pub timeout: Option<Duration>,
    /// When to use colours.
    pub color: Color,
    /// How often `-v` was given.
    pub verbose: usize,
    /// No warnings, notes and progress.
    pub quiet: bool,
    /// Run destructive tools without asking.
    pub yes: bool,
    /// Never ask.
    pub no_input: bool,
    /// Show the call instead of running it.
    pub dry_run: bool,
    /// Same key, same effect.
    pub idempotency_key: Option<String>,
    /// Write the result to a file.
    pub out: Option<PathBuf>,
    /// Parts of the result.
    pub select: Option<Selection>,
    /// Print a schema and stop.
    pub schema: Option<Target>,
    /// Where a command that writes several files puts them.
    pub(crate) directory: Option<PathBuf>,
    pub(crate) variables: Variables,
}

/// The environment of the run: secrets are looked up in it, and it is never shown.
#[derive(Clone, Default)]
pub(crate) struct Variables(Arc<BTreeMap<OsString, OsString>>);

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variables(…)")
    }
}

impl SecretSource for Variables {
    fn get(&self, key: &str) -> Option<Secret> {
        self.0.get(OsStr::new(key)).and_then(|value| value.to_str()).map(Secret::new)
    }
}

impl Settings {
    /// The secrets in the environment of the run.
    pub fn secrets(&self) -> impl SecretSource + 'static {
        self.variables.clone()
    }

    /// Whether errors are for programs.
    pub fn is_structured(&self) -> bool {
        self.envelope || self.format.is_some_and(Format::is_structured)
    }

    /// Whether the workspace can be one.
    ///
    /// # Errors
    /// `not_found`, code `root_not_found`.
    pub(crate) fn check_root(&self) -> Result<(), ToolError> {
        if self.root.is_dir() {
            return Ok(());
        }
        let shown: String = self.root.display().to_string().chars().take(80).collect();
        Err(ToolError::not_found(format!("The root '{shown}' is not a directory."))
            .code("root_not_found")
            .hint("name an existing directory with --root"))
    }
}

/// Reads the global options and their variables.
pub(crate) fn read(given: &AllGiven, io: &Io, prefix: &str) -> (Settings, Vec<Fault>) {
    let mut reader = Reader { given, io, prefix, faults: Vec::new() };
    let envelope = given.has(Global::Envelope);
    let settings = Settings {
        format: reader.format(envelope),
        envelope,
        root: io.cwd.join(reader.word(Global::Root).map_or_else(|| PathBuf::from("."), PathBuf::from)),
        timeout: reader.timeout(),
        color: reader.color(),
        verbose: given.count(Global::Verbose),
        quiet: given.has(Global::Quiet),
        yes: given.has(Global::Yes),
        no_input: given.has(Global::NoInput),
        dry_run: given.has(Global::DryRun),
        idempotency_key: reader.text(Global::IdempotencyKey).map(|found| found.value),
        out: reader.word(Global::Out).map(PathBuf::from),
        select: reader.select(),
        schema: reader.schema(),
        directory: None,
        variables: Variables(Arc::new(io.env.clone())),
    };
    let Settings { root, .. } = &settings;
    let root = root.components().collect();
    (Settings { root, ..settings }, reader.faults)
}

struct Reader<'a> {
    given: &'a AllGiven,
    io: &'a Io,
    prefix: &'a str,
    faults: Vec<Fault>,
}

/// A text with its origin.
struct Found {
    value: String,
    flag: String,
    words: Option<std::ops::Range<usize>>,
}

impl<'a> Reader<'a> {
    /// The word of an option, or of the variable that stands in for it.
    fn word(&self, global: Global) -> Option<&'a OsStr> {
        let option = self.given.last(global).and_then(|given| given.value.as_deref());
        option.or_else(|| self.io.var(self.variable(global)?))
    }

    fn variable(&self, global: Global) -> Option<String> {
        Some(format!("{}_{}", self.prefix, row(global)?.env?))
    }

    /// The same as text, with its origin.
    fn text(&mut self, global: Global) -> Option<Found> {
        let given = self.given.last(global).filter(|given| given.value.is_some());
        let raw = self.word(global)?;
        let flag = match given {
            Some(_) => format!("--{}", row(global)?.long),
            None => format!("${}", self.variable(global)?),
        };
        let words = given.map(|given| given.words.clone());
        match raw.to_str() {
            Some(value) => Some(Found { value: value.to_owned(), flag, words }),
            None => {
                let fault =
                    Fault::new(IssueCode::Invalid, "UTF-8 text", text(&raw.to_string_lossy())).flag(flag);
                self.faults.push(Fault { words, ..fault });
                None
            }
        }
    }

    /// One of a list of words.
    fn choice<T: Copy>(&mut self, found: &Found, choices: &[(T, &'static str)]) -> Option<T> {
        let choice = choices.iter().find(|choice| choice.1 == found.value);
        if choice.is_none() {
            let words: Vec<String> = choices.iter().map(|choice| format!("\"{}\"", choice.1)).collect();
            let fault =
                Fault::new(IssueCode::Choice, format!("one of {}", words.join(", ")), text(&found.value));
            let near = suggest(&found.value, choices.iter().map(|choice| (choice.1, choice.1)));
            self.fault(
                found,
                match did_you_mean(&near) {
                    Some(hint) => fault.hint(hint),
                    None => fault,
                },
            );
        }
        choice.map(|choice| choice.0)
    }

    fn fault(&mut self, found: &Found, fault: Fault) {
        let fault = fault.flag(&found.flag);
        self.faults.push(Fault { words: found.words.clone(), ..fault });
    }

    /// `--format` or `--json`, whichever comes last.
    fn format(&mut self, envelope: bool) -> Option<Format> {
        let last = |given: &&Given| matches!(given.global, Global::Format | Global::Json);
        let json = self.given.0.iter().rev().find(last).is_some_and(|given| given.global == Global::Json);
        if json {
            return Some(Format::Json);
        }
        let found = self.text(Global::Format)?;
        let format = self.choice(&found, &Format::ALL);
        if let Some(flat @ (Format::Text | Format::Table)) = format.filter(|_| envelope) {
            let fault =
                Fault::new(IssueCode::Constraint, "json, jsonl or yaml with --envelope", text(flat.as_str()));
            self.fault(&found, fault);
        }
        format
    }

    fn timeout(&mut self) -> Option<Duration> {
        let found = self.text(Global::Timeout)?;
        let length = duration::parse(&found.value);
        if length.is_none() {
            let fault = Fault::new(IssueCode::Type, "a time of 1ms to 1h", text(&found.value));
            self.fault(&found, fault.hint("write a whole number with ms, s, m or h, such as 30s"));
        }
        length
    }

    fn color(&mut self) -> Color {
        self.text(Global::Color).and_then(|found| self.choice(&found, &COLORS)).unwrap_or_default()
    }

    fn select(&mut self) -> Option<Selection> {
        let found = self.text(Global::Select)?;
        match Selection::parse(&found.value) {
            Ok(selection) => Some(selection),
            Err(why) => {
                let fault = Fault::new(
                    IssueCode::Syntax,
                    "paths such as name, a.b[0], /pointer or $.query",
                    text(&found.value),
                );
                self.fault(&found, fault.hint(why));
                None
            }
        }
    }

    fn schema(&mut self) -> Option<Target> {
        let given = self.given.last(Global::Schema)?;
        if given.value.is_none() {
            return Some(Target::Input);
        }
        let found = self.text(Global::Schema)?;
        self.choice(&found, &Target::ALL)
    }
}

fn row(global: Global) -> Option<&'static GlobalDef> {
    GLOBALS.iter().find(|row| row.global == global)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(options: &[(Global, Option<&str>)]) -> AllGiven {
        let all = options.iter().map(|(global, value)| Given {
            global: *global,
            value: value.map(OsString::from),
            short: false,
            words: 0..1,
        });
        AllGiven(all.collect())
    }

    fn io(env: &[(&str, &str)]) -> Io {
        let env = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        Io { env, ..Io::detached("/") }
    }

    fn format(
        options: &[(Global, Option<&str>)],
        env: &[(&str, &str)],
    ) -> (Option<Format>, Vec<Option<String>>) {
        let (settings, faults) = read(&given(options), &io(env), "DEMO");
        (settings.format, faults.into_iter().map(|fault| fault.flag).collect())
    }

    #[test]
    fn an_option_wins_over_its_variable_and_an_empty_variable_is_not_set() {
        assert_eq!(format(&[], &[("DEMO_FORMAT", "yaml")]).0, Some(Format::Yaml));
        assert_eq!(
            format(&[(Global::Format, Some("table"))], &[("DEMO_FORMAT", "yaml")]).0,
            Some(Format::Table)
        );
        assert_eq!(format(&[], &[("DEMO_FORMAT", "")]), (None, vec![]));
    }

    #[test]
    fn the_last_of_format_and_json_counts() {
        let json_last = [(Global::Format, Some("yaml")), (Global::Json, None)];
        let format_last = [(Global::Json, None), (Global::Format, Some("yaml"))];
        assert_eq!(format(&json_last, &[]).0, Some(Format::Json));
        assert_eq!(format(&format_last, &[]).0, Some(Format::Yaml));
    }

    #[test]
    fn a_wrong_word_names_the_option_or_the_variable() {
        assert_eq!(format(&[(Global::Format, Some("jsn"))], &[]).1, [Some("--format".to_owned())]);
        assert_eq!(format(&[], &[("DEMO_FORMAT", "xml")]).1, [Some("$DEMO_FORMAT".to_owned())]);
    }

    #[test]
    fn an_envelope_is_not_text_but_any_structured_format() {
        assert_eq!(format(&[(Global::Envelope, None), (Global::Format, Some("text"))], &[]).1.len(), 1);
        assert_eq!(format(&[(Global::Envelope, None), (Global::Format, Some("yaml"))], &[]).1.len(), 0);
    }

    #[test]
    fn a_root_is_relative_to_the_working_directory_and_must_be_a_directory() {
        let root = |word: &str| read(&given(&[(Global::Root, Some(word))]), &io(&[]), "DEMO").0;
        assert!(root("tmp").check_root().is_ok());
        assert_eq!(root("no-such").check_root().unwrap_err().code_str(), "root_not_found");
    }
}
