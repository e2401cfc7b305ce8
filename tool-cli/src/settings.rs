//! What the person asked of the program as a whole: option over variable over settings file over default.
//!
//! Mistakes become faults beside those of the tool's own options, so that one answer lists them all.

mod file;
mod reader;
mod source;
pub(crate) mod word;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tool_core::args::{MAX_ARGS_BYTES, shown_name};
use tool_core::{Environment, Secret, SecretSource, ToolError};

use self::reader::Reader;
pub use self::source::{LimitSet, Setting, Source};
use crate::cli::{Judge, OwnTable};
use crate::fault::Fault;
use crate::format::Format;
use crate::globals::{AllGiven, Global};
use crate::io::Io;
use crate::limits;
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
    /// The one that a variable or the file asks for, where results have a form of their own: errors have this one.
    pub(crate) dropped: Option<Format>,
    /// Wrap result or error.
    pub envelope: bool,
    /// The settings file that was read, if there is one.
    pub file: Option<PathBuf>,
    /// Where the person's settings file is looked for when none is named, whether or not it is there.
    pub usual_file: Option<PathBuf>,
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
    pub(crate) limits: Vec<LimitSet>,
    pub(crate) tables: BTreeMap<&'static str, serde_json::Value>,
    /// The lines of the members of those tables, each as `table.member`.
    pub(crate) lines: BTreeMap<String, usize>,
    pub(crate) sources: Vec<Setting>,
    /// What is wrong with the settings file, one line for each mistake.
    pub(crate) mistakes: Vec<String>,
    /// What is wrong with variables, for a command that tells of it instead of ending with it.
    pub(crate) misread: Vec<Fault>,
    /// The error of the only mistake, where it is a limit that the program refuses.
    pub(crate) refused: Option<file::Refused>,
    pub(crate) variables: Variables,
    /// Where the journal is.
    #[cfg(feature = "store")]
    pub(crate) journal: crate::store::Place,
    /// The journals of the program.
    #[cfg(feature = "store")]
    pub(crate) store: crate::store::Lent,
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

impl Environment for Variables {
    fn var_os(&self, name: &str) -> Option<OsString> {
        self.0.get(OsStr::new(name)).cloned()
    }
}

impl Settings {
    /// The environment of the run.
    pub fn environment(&self) -> impl Environment + 'static {
        self.variables.clone()
    }

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

    /// Where the journal of the program is.
    #[cfg(feature = "store")]
    pub fn journal(&self) -> &crate::store::Place {
        &self.journal
    }

    /// Whether errors are for programs.
    pub fn is_structured(&self) -> bool {
        self.envelope || self.format.or(self.dropped).is_some_and(Format::is_structured)
    }

    /// The settings that an option, a variable or the settings file may decide, each with its source.
    pub fn sources(&self) -> &[Setting] {
        &self.sources
    }

    /// The limits of the program that the settings file sets, each within what [`crate::Cli::limits`] allows.
    pub fn limits(&self) -> impl Iterator<Item = &LimitSet> {
        self.limits.iter().filter(|set| set.name != limits::ARGS_BYTES)
    }

    /// Every limit that the settings file sets.
    pub(crate) fn all_limits(&self) -> &[LimitSet] {
        &self.limits
    }

    /// The most bytes of the arguments of a call, and of what is read for one.
    pub fn max_args_bytes(&self) -> usize {
        let set = self.limits.iter().rev().find(|set| set.name == limits::ARGS_BYTES);
        set.and_then(|set| usize::try_from(set.value).ok()).unwrap_or(MAX_ARGS_BYTES)
    }

    /// A table of the settings file that the program reads itself ([`crate::Cli::tables`]), if the file has it.
    pub fn table(&self, name: &str) -> Option<&serde_json::Value> {
        self.tables.get(name)
    }

    /// Where a member of such a table stands, if the file has it.
    pub fn source_of_member(&self, table: &str, member: &str) -> Option<Source> {
        let line = *self.lines.get(&format!("{table}.{member}"))?;
        Some(Source::File { path: self.file.clone()?, line })
    }

    /// The value of a key that the program reads itself ([`crate::Cli::keys`]), if the file has it.
    pub fn key(&self, name: &str) -> Option<&serde_json::Value> {
        self.tables.get(name)
    }

    /// Whether the settings file can be used.
    ///
    /// # Errors
    /// `not_configured`, code `settings_invalid`, with every mistake on a line of its own; what the program says of a limit,
    /// where that is the only one.
    pub(crate) fn check_file(&self) -> Result<(), ToolError> {
        if self.mistakes.is_empty() {
            return Ok(());
        }
        if let Some(file::Refused { code, message, hint }) = self.refused.clone() {
            return Err(ToolError::not_configured(message).code(code).hint(hint));
        }
        Err(ToolError::not_configured(self.mistakes.join("\n")).code("settings_invalid"))
    }

    /// Whether the workspace can be one.
    ///
    /// # Errors
    /// `not_found`, code `root_not_found`.
    pub(crate) fn check_root(&self) -> Result<(), ToolError> {
        // The working directory was deleted, and what a relative path leads to is no place in the file system any more.
        if self.root.is_relative() {
            return Err(ToolError::not_found("The working directory was deleted.")
                .code("root_not_found")
                .hint("change to a directory that exists, or name one with --root"));
        }
        if self.root.is_dir() {
            return Ok(());
        }
        let root = self.root.display().to_string();
        let from = match self.source_of_root() {
            Source::Option | Source::Default => String::new(),
            source => format!(", from {source},"),
        };
        Err(ToolError::not_found(format!("The root '{}'{from} is not a directory.", shown_name(&root)))
            .code("root_not_found")
            .hint("name an existing directory with --root"))
    }

    /// Who named the workspace.
    pub(crate) fn source_of_root(&self) -> Source {
        self.source_of("root")
    }

    fn source_of(&self, name: &str) -> Source {
        let named = self.sources.iter().find(|setting| setting.name == name);
        named.map_or(Source::Default, |setting| setting.source.clone())
    }

    /// How the policy is left out, by who named it.
    pub(crate) fn without_policy(&self) -> String {
        match self.source_of("policy") {
            Source::Variable(name) => format!("unset {name}"),
            Source::File { path, line } => format!("remove policy from {}:{line}", path.display()),
            Source::Option | Source::Default => "leave out --policy".to_owned(),
        }
    }

    /// Whether an option asks for a format.
    pub(crate) fn is_format_an_option(&self) -> bool {
        self.source_of("format") == Source::Option
    }

    /// The same with results as JSON.
    pub(crate) fn as_json(&self) -> Settings {
        Settings { format: Some(Format::Json), ..self.clone() }
    }

    /// Drops a format that no option asked for, but for errors: a page or script has a form of its own.
    pub(crate) fn ask_by_options_alone(&mut self) {
        if !self.is_format_an_option() {
            self.dropped = self.format.take();
        }
    }
}

/// Whose settings they are.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    /// The name of the program.
    pub(crate) name: &'a str,
    /// The name as its variables begin with it.
    pub(crate) prefix: &'a str,
    /// What judges the keys and values of `[limits]`.
    pub(crate) limits: Option<&'a Judge>,
    /// The tables that the program reads itself.
    pub(crate) tables: &'a [OwnTable],
    /// The keys that the program reads itself.
    pub(crate) keys: &'a [OwnKey],
}

/// A key of the settings file that the program reads itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnKey {
    /// Its name.
    pub name: &'static str,
    /// The words that it may have; with none it is true or false.
    pub words: &'static [&'static str],
}

/// Reads the global options, their variables and the settings file.
pub(crate) fn read(given: &AllGiven, io: &Io, owner: Owner<'_>) -> (Settings, Vec<Fault>) {
    let mut reader = Reader::new(given, io, owner);
    let envelope = given.has(Global::Envelope);
    let settings = Settings {
        root: reader.root(),
        format: reader.format(envelope),
        dropped: None,
        envelope,
        file: None,
        usual_file: file::default_path(io, owner.name),
        policy: reader.policy(),
        timeout: reader.timeout(),
        color: reader.color(),
        log: reader.log(),
        verbose: given.count(Global::Verbose),
        quiet: given.has(Global::Quiet),
        yes: given.has(Global::Yes),
        no_input: given.has(Global::NoInput),
        dry_run: given.has(Global::DryRun),
        idempotency_key: reader.idempotency_key(),
        out: reader.out(),
        select: reader.select(),
        schema: reader.schema(),
        directory: None,
        limits: Vec::new(),
        tables: BTreeMap::new(),
        lines: BTreeMap::new(),
        sources: Vec::new(),
        mistakes: Vec::new(),
        misread: Vec::new(),
        refused: None,
        variables: Variables(Arc::new(io.env.clone())),
        #[cfg(feature = "store")]
        journal: crate::store::Place::of(io, owner),
        #[cfg(feature = "store")]
        store: crate::store::Lent::default(),
    };
    let Reader { file, faults, sources, .. } = reader;
    (
        Settings {
            sources,
            file: file.path,
            limits: file.limits,
            tables: file.tables,
            lines: file.lines,
            mistakes: file.mistakes,
            refused: file.refused,
            ..settings
        },
        faults,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::globals::Given;

    const OWNER: Owner<'static> =
        Owner { name: "demo", prefix: "DEMO", limits: None, tables: &[], keys: &[] };

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
        let (settings, faults) = read(&given(options), &io(env), OWNER);
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
        let root = |word: &str| read(&given(&[(Global::Root, Some(word))]), &io(&[]), OWNER).0;
        assert!(root("tmp").check_root().is_ok());
        assert_eq!(root("no-such").check_root().unwrap_err().code_str(), "root_not_found");
    }
}
