//! What the person asked of the program as a whole: option over variable over settings file over default.
//!
//! Mistakes become faults beside those of the tool's own options, so that one answer lists them all.

mod file;
mod source;
pub(crate) mod word;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tool_core::{IssueCode, Secret, SecretSource, ToolError};

use self::file::File;
pub use self::source::{Setting, Source};
use self::word::Misfit;
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
    /// Policy file, where one was asked for.
    pub policy: Option<PathBuf>,
    /// Time limit, where one was asked for.
    pub timeout: Option<Duration>,
    /// When to use colours.
    pub color: Color,
    /// What is logged: a level, or levels of targets.
    pub log: String,
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
    pub(crate) sources: Vec<Setting>,
    /// What is wrong with the settings file, one line for each mistake.
    pub(crate) mistakes: Vec<String>,
    pub(crate) tables: BTreeMap<&'static str, serde_json::Value>,
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

    /// A variable of the run that is text and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .0
            .get(OsStr::new(name))
            .and_then(|value| value.to_str())
            .filter(|text| !text.is_empty())
    }

    /// A table of the settings file that the program reads itself, if the file has it.
    pub fn table(&self, name: &str) -> Option<&serde_json::Value> {
        self.tables.get(name)
    }

    /// Whether errors are for programs.
    pub fn is_structured(&self) -> bool {
        self.envelope || self.format.is_some_and(Format::is_structured)
    }

    /// The settings that an option, a variable or the settings file may decide, each with its source.
    pub fn sources(&self) -> &[Setting] {
        &self.sources
    }

    /// Whether the settings file can be used.
    ///
    /// # Errors
    /// `not_configured`, code `settings_invalid`, with every mistake on a line of its own.
    pub(crate) fn check_file(&self) -> Result<(), ToolError> {
        if self.mistakes.is_empty() {
            return Ok(());
        }
        Err(ToolError::not_configured(self.mistakes.join("\n")).code("settings_invalid"))
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

/// Reads the global options, their variables and the settings file. `program` is the name, in variables written as `prefix`.
pub(crate) fn read(
    given: &AllGiven,
    io: &Io,
    program: &str,
    prefix: &str,
    tables: &[&'static str],
) -> (Settings, Vec<Fault>) {
    let mut reader =
        Reader { given, io, prefix, file: File::default(), faults: Vec::new(), sources: Vec::new() };
    reader.file = reader.open(program, tables);
    let envelope = given.has(Global::Envelope);
    let settings = Settings {
        root: reader.root(),
        format: reader.format(envelope),
        envelope,
        policy: reader.policy(),
        timeout: reader.timeout(),
        color: reader.color(),
        log: reader.log(),
        verbose: given.count(Global::Verbose),
        quiet: given.has(Global::Quiet),
        yes: given.has(Global::Yes),
        no_input: given.has(Global::NoInput),
        dry_run: given.has(Global::DryRun),
        idempotency_key: reader.text(Global::IdempotencyKey, None).map(|found| found.value),
        out: given.last(Global::Out).and_then(|given| given.value.as_ref()).map(PathBuf::from),
        select: reader.select(),
        schema: reader.schema(),
        directory: None,
        sources: Vec::new(),
        mistakes: Vec::new(),
        tables: BTreeMap::new(),
        variables: Variables(Arc::new(io.env.clone())),
    };
    let Reader { file, faults, sources, .. } = reader;
    (Settings { sources, mistakes: file.mistakes, tables: file.tables, ..settings }, faults)
}

struct Reader<'a> {
    given: &'a AllGiven,
    io: &'a Io,
    prefix: &'a str,
    file: File,
    faults: Vec<Fault>,
    sources: Vec<Setting>,
}

/// A text with its origin.
struct Found {
    value: String,
    source: Source,
    flag: String,
    words: Option<std::ops::Range<usize>>,
}

impl Reader<'_> {
    // ---- where a setting stands --------------------------------------------------------------------------------------

    /// The settings file: the one named, else the one of the configuration directory. An empty name is none.
    fn open(&mut self, program: &str, tables: &[&'static str]) -> File {
        let option = self.given.last(Global::Config).and_then(|given| given.value.as_deref());
        let variable = self.variable(Global::Config);
        let named = match (option, &variable) {
            (Some(option), _) => Some((option, Source::Option)),
            (None, Some(name)) => {
                let value = self.io.env.get(OsStr::new(name));
                value.map(|value| (value.as_os_str(), Source::Variable(name.clone())))
            }
            (None, None) => None,
        };
        let (file, source) = match named {
            Some((path, source)) if path.is_empty() => (File::default(), source),
            Some((path, source)) => (File::named(self.io.cwd.join(path), tables), source),
            None => (File::of_user(self.io, program, tables), Source::Default),
        };
        let value = file.path.as_ref().map(|path| path.display().to_string());
        self.sources.push(Setting { name: "config", value, source });
        file
    }

    fn variable(&self, global: Global) -> Option<String> {
        // It stands in for what `-v` and `-q` do, and takes words that they have not.
        let env = if global == Global::Verbose { Some("LOG") } else { row(global)?.env };
        Some(format!("{}_{}", self.prefix, env?))
    }

    /// The word of an option, of its variable, or of a key of the file.
    fn word(&self, global: Global, key: Option<&str>) -> Option<(OsString, Source)> {
        let option = self.given.last(global).and_then(|given| given.value.clone());
        if let Some(word) = option {
            return Some((word, Source::Option));
        }
        if let Some(name) = self.variable(global)
            && let Some(word) = self.io.var(&name)
        {
            return Some((word.to_owned(), Source::Variable(name)));
        }
        let entry = self.file.get(key?)?;
        let path = self.file.path.clone().unwrap_or_default();
        Some((entry.value.clone().into(), Source::File { path, line: entry.line }))
    }

    /// The same as text.
    fn text(&mut self, global: Global, key: Option<&str>) -> Option<Found> {
        let (raw, source) = self.word(global, key)?;
        let given = self.given.last(global).filter(|_| source == Source::Option);
        let flag = match &source {
            Source::Option => format!("--{}", row(global)?.long),
            other => other.to_string(),
        };
        let words = given.map(|given| given.words.clone());
        match raw.into_string() {
            Ok(value) => Some(Found { value, source, flag, words }),
            Err(raw) => {
                let fault = Fault::new(IssueCode::Invalid, "UTF-8 text", text(&raw.to_string_lossy()));
                self.faults.push(Fault { words, ..fault.flag(flag) });
                None
            }
        }
    }

    /// A value of its own kind, with its source.
    fn value<T>(
        &mut self,
        global: Global,
        key: Option<&str>,
        read: impl Fn(&str) -> Result<T, Misfit>,
    ) -> Option<(T, Found)> {
        let found = self.text(global, key)?;
        match read(&found.value) {
            Ok(value) => Some((value, found)),
            Err(Misfit { code, expected, hint }) => {
                let fault = Fault::new(code, expected, text(&found.value));
                self.fault(
                    &found,
                    match hint {
                        Some(hint) => fault.hint(hint),
                        None => fault,
                    },
                );
                None
            }
        }
    }

    fn fault(&mut self, found: &Found, fault: Fault) {
        let fault = fault.flag(&found.flag);
        self.faults.push(Fault { words: found.words.clone(), ..fault });
    }

    /// Remembers who decided a setting.
    fn note(&mut self, name: &'static str, value: Option<String>, source: Option<Source>) {
        self.sources.push(Setting { name, value, source: source.unwrap_or(Source::Default) });
    }

    // ---- the settings ------------------------------------------------------------------------------------------------

    /// The policy file: relative to the working directory; an empty name is none.
    fn policy(&mut self) -> Option<PathBuf> {
        let found = self.word(Global::Policy, None);
        let path =
            found.as_ref().filter(|(word, _)| !word.is_empty()).map(|(word, _)| self.io.cwd.join(word));
        let value = path.as_ref().map(|path| path.display().to_string());
        self.note("policy", value, found.map(|found| found.1));
        path
    }

    /// The workspace: relative to the working directory, in the settings file to the file's.
    fn root(&mut self) -> PathBuf {
        let found = self.word(Global::Root, Some("root"));
        let base = match &found {
            Some((_, Source::File { path, .. })) => path.parent().map_or(self.io.cwd.clone(), PathBuf::from),
            _ => self.io.cwd.clone(),
        };
        let (word, source) = found.unzip();
        let root: PathBuf = base.join(word.unwrap_or_else(|| ".".into())).components().collect();
        self.note("root", Some(root.display().to_string()), source);
        root
    }

    /// `--format` or `--json`, whichever comes last.
    fn format(&mut self, envelope: bool) -> Option<Format> {
        let last = |given: &&Given| matches!(given.global, Global::Format | Global::Json);
        let json = self.given.0.iter().rev().find(last).is_some_and(|given| given.global == Global::Json);
        let found = if json { None } else { self.value(Global::Format, Some("format"), word::format) };
        let (format, source) = match (&found, json) {
            (_, true) => (Some(Format::Json), Some(Source::Option)),
            (Some((format, found)), _) => (Some(*format), Some(found.source.clone())),
            (None, false) => (None, None),
        };
        self.note("format", format.map(|format| format.as_str().to_owned()), source);
        if let Some((flat @ (Format::Text | Format::Table), found)) = found.filter(|_| envelope) {
            let fault =
                Fault::new(IssueCode::Constraint, "json, jsonl or yaml with --envelope", text(flat.as_str()));
            self.fault(&found, fault);
        }
        format
    }

    fn timeout(&mut self) -> Option<Duration> {
        let (timeout, found) = self.value(Global::Timeout, Some("timeout"), word::timeout).unzip();
        let (value, source) = found.map(|found| (found.value, found.source)).unzip();
        self.note("timeout", value, source);
        timeout
    }

    fn color(&mut self) -> Color {
        let (color, found) = self.value(Global::Color, Some("color"), word::color).unzip();
        let color = color.unwrap_or_default();
        self.note("color", Some(word::of_color(color).to_owned()), found.map(|found| found.source));
        color
    }

    /// `-v` and `-q` decide over the variable and the file.
    fn log(&mut self) -> String {
        let asked = match (self.given.has(Global::Quiet), self.given.count(Global::Verbose)) {
            (true, _) => Some("error"),
            (false, 0) => None,
            (false, 1) => Some("info"),
            (false, 2) => Some("debug"),
            (false, _) => Some("trace"),
        };
        let (log, source) = match asked {
            Some(level) => (level.to_owned(), Some(Source::Option)),
            None => match self.value(Global::Verbose, Some("log"), word::log) {
                Some((log, found)) => (log, Some(found.source)),
                None => ("warn".to_owned(), None),
            },
        };
        self.note("log", Some(log.clone()), source);
        log
    }

    fn select(&mut self) -> Option<Selection> {
        let read = |word: &str| {
            Selection::parse(word).map_err(|why| Misfit {
                code: IssueCode::Syntax,
                expected: "paths such as name, a.b[0], /pointer or $.query".to_owned(),
                hint: Some(why),
            })
        };
        self.value(Global::Select, None, read).map(|found| found.0)
    }

    fn schema(&mut self) -> Option<Target> {
        let given = self.given.last(Global::Schema)?;
        if given.value.is_none() {
            return Some(Target::Input);
        }
        self.value(Global::Schema, None, |word| word::choice(word, &Target::ALL)).map(|found| found.0)
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
        let (settings, faults) = read(&given(options), &io(env), "demo", "DEMO");
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
        let root = |word: &str| read(&given(&[(Global::Root, Some(word))]), &io(&[]), "demo", "DEMO").0;
        assert!(root("tmp").check_root().is_ok());
        assert_eq!(root("no-such").check_root().unwrap_err().code_str(), "root_not_found");
    }
}
