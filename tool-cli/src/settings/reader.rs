//! Where each setting stands: an option before a variable, that before a key of the settings file.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use tool_core::IssueCode;

use super::file::File;
use super::word::{self, Misfit};
use super::{Color, Owner, Setting, Source};
use crate::fault::{Fault, text};
use crate::format::Format;
use crate::globals::{AllGiven, GLOBALS, Given, Global, GlobalDef};
use crate::io::Io;
use crate::schema::Target;
use crate::select::Selection;
use crate::sources::no_text;

/// Reads one setting after the other, and notes who decided it.
pub(super) struct Reader<'a> {
    given: &'a AllGiven,
    io: &'a Io,
    prefix: &'a str,
    pub(super) file: File,
    pub(super) faults: Vec<Fault>,
    pub(super) sources: Vec<Setting>,
}

/// A text with its origin.
struct Found {
    value: String,
    source: Source,
    flag: String,
    words: Option<std::ops::Range<usize>>,
}

impl<'a> Reader<'a> {
    /// Opens the settings file.
    pub(super) fn new(given: &'a AllGiven, io: &'a Io, owner: Owner<'a>) -> Reader<'a> {
        let prefix = owner.prefix;
        let mut reader =
            Reader { given, io, prefix, file: File::default(), faults: Vec::new(), sources: Vec::new() };
        reader.file = reader.open(owner);
        reader
    }

    // ---- where a setting stands --------------------------------------------------------------------------------------

    /// The settings file: the one named, else the one of the configuration directory. An empty name is none.
    fn open(&mut self, owner: Owner<'_>) -> File {
        let (file, source) = match self.named(Global::Config) {
            Some((path, source)) if path.is_empty() => (File::default(), source),
            Some((path, source)) => (File::named(self.io.cwd.join(path), owner), source),
            None => (File::of_user(self.io, owner), Source::Default),
        };
        let value = file.path.as_ref().map(|path| path.display().to_string());
        self.sources.push(Setting { name: "config", value, source });
        file
    }

    /// A file named by an option or its variable, where an empty name says that there is to be none.
    fn named(&self, global: Global) -> Option<(OsString, Source)> {
        if let Some(word) = self.given.last(global).and_then(|given| given.value.clone()) {
            return Some((word, Source::Option));
        }
        let name = self.variable(global)?;
        let word = self.io.env.get(OsStr::new(&name))?.clone();
        Some((word, Source::Variable(name)))
    }

    /// The word of a key of the file.
    fn key(&self, key: &str) -> Option<(OsString, Source)> {
        let entry = self.file.get(key)?;
        let path = self.file.path.clone().unwrap_or_default();
        Some((entry.value.clone().into(), Source::File { path, line: entry.line }))
    }

    /// What a path is relative to: the working directory, in the settings file the file's.
    fn base(&self, source: &Source) -> PathBuf {
        match source {
            Source::File { path, .. } => path.parent().map_or_else(|| self.io.cwd.clone(), PathBuf::from),
            _ => self.io.cwd.clone(),
        }
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
        self.key(key?)
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
                self.faults.push(no_text(&raw).flag(flag).maybe_words(words));
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
        self.faults.push(fault.flag(&found.flag).maybe_words(found.words.clone()));
    }

    /// Remembers who decided a setting.
    fn note(&mut self, name: &'static str, value: Option<String>, source: Option<Source>) {
        self.sources.push(Setting { name, value, source: source.unwrap_or(Source::Default) });
    }

    // ---- the settings ------------------------------------------------------------------------------------------------

    /// The policy file; an empty name is none, whatever the sources behind it say.
    pub(super) fn policy(&mut self) -> Option<PathBuf> {
        let (word, source) = self.named(Global::Policy).or_else(|| self.key("policy")).unzip();
        let base = self.base(source.as_ref().unwrap_or(&Source::Default));
        let path = word.filter(|word| !word.is_empty()).map(|word| base.join(word));
        self.note("policy", path.as_ref().map(|path| path.display().to_string()), source);
        path
    }

    /// The workspace.
    pub(super) fn root(&mut self) -> PathBuf {
        let named = self.word(Global::Root, Some("root"));
        let (word, source) = named.filter(|(word, source)| !self.is_nameless(word, source)).unzip();
        let base = self.base(source.as_ref().unwrap_or(&Source::Default));
        let root: PathBuf = base.join(word.unwrap_or_else(|| ".".into())).components().collect();
        self.note("root", Some(root.display().to_string()), source);
        root
    }

    /// Notes an option that names a directory by nothing at all.
    fn is_nameless(&mut self, word: &OsStr, source: &Source) -> bool {
        let nameless = word.is_empty() && *source == Source::Option;
        if let Some(given) = self.given.last(Global::Root).filter(|_| nameless) {
            let fault = Fault::new(IssueCode::Invalid, "a directory", text("")).flag("--root");
            self.faults.push(fault.words(given.words.clone()));
        }
        nameless
    }

    /// `--format` or `--json`, whichever comes last.
    pub(super) fn format(&mut self, envelope: bool) -> Option<Format> {
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

    pub(super) fn timeout(&mut self) -> Option<Duration> {
        let (timeout, found) = self.value(Global::Timeout, Some("timeout"), word::timeout).unzip();
        let (value, source) = found.map(|found| (found.value, found.source)).unzip();
        self.note("timeout", value, source);
        timeout
    }

    pub(super) fn color(&mut self) -> Color {
        let (color, found) = self.value(Global::Color, Some("color"), word::color).unzip();
        let color = color.unwrap_or_default();
        self.note("color", Some(word::of_color(color).to_owned()), found.map(|found| found.source));
        color
    }

    /// `-v` and `-q` decide over the variable and the file.
    pub(super) fn log(&mut self) -> String {
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

    pub(super) fn idempotency_key(&mut self) -> Option<String> {
        self.text(Global::IdempotencyKey, None).map(|found| found.value)
    }

    /// The file of the result, which has a name.
    pub(super) fn out(&mut self) -> Option<PathBuf> {
        let given = self.given.last(Global::Out)?;
        let path = given.value.as_ref()?;
        if path.is_empty() {
            let fault = Fault::new(IssueCode::Invalid, "a file", text("")).flag("--out");
            self.faults.push(fault.words(given.words.clone()));
            return None;
        }
        Some(PathBuf::from(path))
    }

    pub(super) fn select(&mut self) -> Option<Selection> {
        self.value(Global::Select, None, word::select).map(|found| found.0)
    }

    pub(super) fn schema(&mut self) -> Option<Target> {
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
