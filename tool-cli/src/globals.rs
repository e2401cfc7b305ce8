//! The options of the program itself, as one table.
//!
//! Reading, help, completion and the clash check interpret [`GLOBALS`]; what the values mean is another file's business.

use std::ffi::OsString;
use std::ops::Range;

/// An option of the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Global {
    /// `--format`.
    Format,
    /// `--json`.
    Json,
    /// `--envelope`.
    Envelope,
    /// `--select`.
    Select,
    /// `--out`.
    Out,
    /// `--input`.
    Input,
    /// `--schema`.
    Schema,
    /// `--dry-run`.
    DryRun,
    /// `--yes`.
    Yes,
    /// `--no-input`.
    NoInput,
    /// `--timeout`.
    Timeout,
    /// `--root`.
    Root,
    /// `--config`.
    Config,
    /// `--policy`.
    Policy,
    /// `--idempotency-key`.
    IdempotencyKey,
    /// `--color`.
    Color,
    /// `--verbose`.
    Verbose,
    /// `--quiet`.
    Quiet,
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// `--llms`.
    Llms,
}

/// What follows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A value.
    Value,
    /// A value, unless it is the last word or an option follows.
    Perhaps,
}

/// Where an option may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Anywhere in front of `--`.
    Anywhere,
    /// Only in front of the command words.
    Before,
    /// Only behind the command words.
    After,
}

/// One row of [`GLOBALS`].
#[derive(Clone, Copy, Debug)]
pub struct GlobalDef {
    /// Which option it is.
    pub global: Global,
    /// Long form, without `--`.
    pub long: &'static str,
    /// Short form.
    pub short: Option<char>,
    /// What follows it.
    pub takes: Takes,
    /// Where it may stand.
    pub place: Place,
    /// The variable that stands in for it, without the program's prefix.
    pub env: Option<&'static str>,
    /// Placeholder in help.
    pub value_name: &'static str,
    /// Text in help.
    pub help: &'static str,
}

const fn row(
    global: Global,
    (short, long): (Option<char>, &'static str),
    (takes, value_name): (Takes, &'static str),
    env: Option<&'static str>,
    help: &'static str,
) -> GlobalDef {
    GlobalDef { global, long, short, takes, place: Place::Anywhere, env, value_name, help }
}

const fn placed(place: Place, def: GlobalDef) -> GlobalDef {
    GlobalDef { place, ..def }
}

const SWITCH: (Takes, &str) = (Takes::Nothing, "");

const fn value(name: &'static str) -> (Takes, &'static str) {
    (Takes::Value, name)
}

/// Every option of the program, in the order of help.
#[rustfmt::skip]
pub const GLOBALS: [GlobalDef; 21] = [
    placed(Place::After, row(Global::Input, (None, "input"), value("JSON"), None,
        "All arguments as one JSON object, @FILE or -; other options win")),
    placed(Place::After, row(Global::Schema, (None, "schema"), (Takes::Perhaps, "TARGET"), None,
        "Print the schema and stop: input, output, canonical (as in tools.lock), or as anthropic, openai, openai-responses, \
         gemini, mcp or mcp-2025-11-25 get it")),
    row(Global::Format, (Some('o'), "format"), value("FORMAT"), Some("FORMAT"),
        "Output format: text, json, jsonl, yaml or table"),
    row(Global::Json, (None, "json"), SWITCH, None, "Same as --format json"),
    row(Global::Envelope, (None, "envelope"), SWITCH, None,
        "Wrap result or error in {\"ok\", \"tool\", \"data\", \"meta\"}"),
    row(Global::Select, (None, "select"), value("PATHS"), None,
        "Keep parts of the result: name, a.b[0], /pointer, $.json.path"),
    row(Global::Out, (None, "out"), value("FILE"), None, "Write the result to a file"),
    row(Global::DryRun, (None, "dry-run"), SWITCH, None, "Check the call and show it; run nothing"),
    row(Global::Yes, (Some('y'), "yes"), SWITCH, None, "Run destructive tools without asking"),
    row(Global::NoInput, (None, "no-input"), SWITCH, None, "Never ask"),
    row(Global::Timeout, (None, "timeout"), value("DURATION"), Some("TIMEOUT"),
        "Time limit, such as 500ms, 30s or 2m"),
    row(Global::Root, (None, "root"), value("DIR"), Some("ROOT"), "Workspace of the tools [default: .]"),
    row(Global::Config, (None, "config"), value("FILE"), Some("CONFIG"), "Settings file"),
    row(Global::Policy, (None, "policy"), value("FILE"), Some("POLICY"), "Policy file"),
    row(Global::IdempotencyKey, (None, "idempotency-key"), value("KEY"), None,
        "Same key, same effect: done once"),
    row(Global::Color, (None, "color"), value("WHEN"), Some("COLOR"), "Colours: auto, always or never"),
    row(Global::Verbose, (Some('v'), "verbose"), SWITCH, None,
        "More log output on standard error (-vv, -vvv)"),
    row(Global::Quiet, (Some('q'), "quiet"), SWITCH, None, "No warnings and no progress"),
    row(Global::Help, (Some('h'), "help"), SWITCH, None, "Print help; --help prints more"),
    placed(Place::Before, row(Global::Version, (Some('V'), "version"), SWITCH, None, "Print the version")),
    placed(Place::Before, row(Global::Llms, (None, "llms"), SWITCH, None,
        "Print an index of the tools for language models")),
];

/// Whether no tool may take a long form.
pub fn is_reserved(name: &str) -> bool {
    long(name).is_some()
}

/// The option with a long form, given without `--`.
pub fn long(name: &str) -> Option<&'static GlobalDef> {
    GLOBALS.iter().find(|row| row.long == name)
}

/// The option with a short form.
pub fn short(letter: char) -> Option<&'static GlobalDef> {
    GLOBALS.iter().find(|row| row.short == Some(letter))
}

/// A global option on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// Which one.
    pub(crate) global: Global,
    /// Its value, where it has one.
    pub(crate) value: Option<OsString>,
    /// Whether it was given in its short form.
    pub(crate) short: bool,
    /// The words that it takes up.
    pub(crate) words: Range<usize>,
}

/// The global options of one command line, in the order written.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllGiven(pub(crate) Vec<Given>);

impl AllGiven {
    /// How often an option stands there.
    pub(crate) fn count(&self, global: Global) -> usize {
        self.0.iter().filter(|given| given.global == global).count()
    }

    /// Whether an option stands there.
    pub(crate) fn has(&self, global: Global) -> bool {
        self.count(global) > 0
    }

    /// The last one of several.
    pub(crate) fn last(&self, global: Global) -> Option<&Given> {
        self.0.iter().rev().find(|given| given.global == global)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_options_share_a_form() {
        for (i, a) in GLOBALS.iter().enumerate() {
            for b in &GLOBALS[i + 1..] {
                assert_ne!(a.long, b.long);
                assert!(a.short.is_none() || a.short != b.short, "{} and {}", a.long, b.long);
            }
        }
    }
}
