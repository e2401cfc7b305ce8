//! From words to options and positionals, over the table of one tool.
//!
//! clap's lexer splits a word into its parts; what the parts mean is decided here, since a mistake must not hide the next one.
//! No value is judged: each occurrence keeps its words, and [`crate::gather`] makes values of them.

mod options;
mod unknown;

use std::ffi::{OsStr, OsString};
use std::ops::Range;

use clap_lex::{ArgCursor, OsStrExt as _, ParsedArg, RawArgs};

use crate::fault::{Fault, text};
use crate::flags::{Effect, Param, Table};
use crate::globals::{AllGiven, Global};
use crate::help::Detail;
use crate::kind::Kind;

/// A parameter on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// Index into the table's parameters.
    pub(crate) param: usize,
    /// Index into the parameter's members.
    pub(crate) member: Option<usize>,
    /// What the option does.
    pub(crate) effect: Effect,
    /// The option as typed; a short one in its long form.
    pub(crate) flag: String,
    /// Its value, where it has one.
    pub(crate) value: Option<OsString>,
    /// The words that it takes up.
    pub(crate) words: Range<usize>,
}

/// An option that the tool does not have. It goes to the decoder as a key, to be reported as on every surface.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    /// The key, below a parameter or at the root.
    pub(crate) path: Vec<String>,
    /// The option as typed.
    pub(crate) flag: String,
    /// Its value, where it has one.
    pub(crate) value: Option<OsString>,
    /// The words that it takes up.
    pub(crate) words: Range<usize>,
}

/// What the words behind the command say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) given: Vec<Given>,
    pub(crate) unknown: Vec<Unknown>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) globals: AllGiven,
}

impl Lexed {
    /// The help that is asked for.
    pub(crate) fn help(&self) -> Option<Detail> {
        let mut asked = self.globals.0.iter().filter(|given| given.global == Global::Help).peekable();
        asked.peek()?;
        Some(if asked.all(|given| given.short) { Detail::Short } else { Detail::Full })
    }
}

/// A word that is no option.
#[derive(Clone, Debug)]
struct Free {
    at: usize,
    value: OsString,
    /// It follows an option that does not exist and may have been meant as its value.
    doubtful: bool,
}

/// What the next word turned out to be.
pub(crate) enum Step {
    /// No option: its value and place.
    Word(OsString, usize),
    /// An option, taken up with its value.
    Option,
    /// The words are at their end.
    End,
}

/// Reads the words of one command line from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    raw: &'a RawArgs,
    cursor: ArgCursor,
    at: usize,
    table: &'a Table,
    /// Whether the command words are read already.
    behind: bool,
    /// Whether the first of them is.
    worded: bool,
    /// Whether `--` ended the options.
    dashed: Option<usize>,
    free: Vec<Free>,
    /// Whether the option just read is a short one that does not exist, without anything behind its letter.
    stray_short: bool,
    out: Lexed,
}

impl<'a> Lexer<'a> {
    /// Starts in front of the command words, where only global options may stand.
    pub(crate) fn new(raw: &'a RawArgs, no_options: &'a Table) -> Self {
        let cursor = raw.cursor();
        Lexer {
            raw,
            cursor,
            at: 0,
            table: no_options,
            behind: false,
            worded: false,
            dashed: None,
            free: Vec::new(),
            stray_short: false,
            out: Lexed::default(),
        }
    }

    /// How many words are read.
    pub(crate) fn read(&self) -> usize {
        self.at
    }

    /// Goes on behind the command words, with the options of a tool.
    pub(crate) fn enter(&mut self, table: &'a Table) {
        self.table = table;
        self.behind = true;
    }

    /// What was read so far.
    pub(crate) fn so_far(&self) -> &Lexed {
        &self.out
    }

    /// The help that is asked for so far, or by a word that is left, in front of `--`.
    pub(crate) fn help(&self) -> Option<Detail> {
        let words = self.ahead();
        let asked = |word: &str| words.iter().any(|ahead| ahead == word);
        match self.out.help() {
            Some(Detail::Full) => Some(Detail::Full),
            _ if asked("--help") => Some(Detail::Full),
            short => short.or_else(|| asked("-h").then_some(Detail::Short)),
        }
    }

    /// Whether an option is among the words that are left, in front of `--`.
    pub(crate) fn meets(&self, option: &str) -> bool {
        let is_it = |word: &OsString| {
            let rest = word.to_str().and_then(|word| word.strip_prefix(option));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        self.ahead().iter().any(is_it)
    }

    /// The words that are left, in front of `--`.
    fn ahead(&self) -> Vec<OsString> {
        let mut cursor = self.cursor.clone();
        let words = std::iter::from_fn(|| self.raw.next_os(&mut cursor).map(OsStr::to_owned));
        words.take_while(|word| word != "--" && self.dashed.is_none()).collect()
    }

    /// The next word that is no option, unless an option of the tool stands in front of it.
    pub(crate) fn first_word(&mut self) -> Option<String> {
        loop {
            match self.step() {
                Step::Word(value, _) if self.out.given.is_empty() => {
                    return Some(value.to_string_lossy().into_owned());
                }
                Step::Word(value, at) => self.free.push(Free { at, value, doubtful: false }),
                Step::Option => {}
                Step::End => return None,
            }
        }
    }

    /// Reads everything that is left.
    pub(crate) fn finish(mut self) -> Lexed {
        let mut doubtful = false;
        loop {
            let unknown = self.out.unknown.len();
            match self.step() {
                Step::Word(value, at) => {
                    self.free.push(Free { at, value, doubtful: doubtful && self.dashed.is_none() });
                    doubtful = false;
                }
                Step::Option => doubtful = std::mem::take(&mut self.stray_short) || self.in_doubt(unknown),
                Step::End => break,
            }
        }
        self.assign();
        self.out
    }

    /// Whether the option just read does not exist, resembles nothing, and has no value yet.
    fn in_doubt(&self, before: usize) -> bool {
        let new = self.out.unknown.get(before);
        new.is_some_and(|new| new.value.is_none() && self.near(&new.path).is_none())
    }

    /// Reads the next word, with the value of an option.
    pub(crate) fn step(&mut self) -> Step {
        let at = self.at;
        let Some(arg) = self.advance() else { return Step::End };
        if self.dashed.is_some() || !self.is_option(&arg) {
            self.worded = true;
            return Step::Word(arg.to_value_os().to_owned(), at);
        }
        if arg.is_escape() {
            self.dashed = Some(at);
        } else if let Some((name, value)) = arg.to_long() {
            let name = name.map_or_else(|raw| raw.to_string_lossy().into_owned(), str::to_owned);
            self.long(&name, value.map(OsStr::to_owned), at);
        } else if let Some(letters) = arg.to_short() {
            self.bundle(letters, at);
        }
        Step::Option
    }

    fn advance(&mut self) -> Option<ParsedArg<'a>> {
        let arg = self.raw.next(&mut self.cursor)?;
        self.at += 1;
        Some(arg)
    }

    /// Whether a word is an option: it begins with `-` and is neither `-` nor a JSON number.
    fn is_option(&self, arg: &ParsedArg<'_>) -> bool {
        if arg.is_stdio() || !arg.to_value_os().starts_with("-") {
            return false;
        }
        let Some(number) = arg.to_value().ok().filter(|word| is_number(word)) else { return true };
        number.chars().nth(1).is_some_and(|digit| self.table.short(digit).is_some())
    }

    /// The next word, if it is no option.
    fn value(&mut self) -> Option<OsString> {
        let next = self.raw.peek(&self.cursor)?;
        if self.is_option(&next) {
            return None;
        }
        self.advance().map(|arg| arg.to_value_os().to_owned())
    }

    // ---- positionals -------------------------------------------------------------------------------------------------

    /// Gives the free words to the positional parameters that no option has given.
    fn assign(&mut self) {
        let table = self.table;
        let last = table.params.iter().position(|param| param.last);
        let mut open = Vec::new();
        for (index, param) in table.params.iter().enumerate() {
            if param.positional && !self.out.given.iter().any(|given| given.param == index) {
                open.push((index, param));
            }
        }
        let mut open = open.into_iter().peekable();
        for free in std::mem::take(&mut self.free) {
            // `bash -- curl URL` means the program first: what must be given and was not before `--` comes behind it.
            let is_awaited = open.peek().is_some_and(|(_, param)| param.required);
            if let (Some(last), Some(dashes)) = (last, self.dashed)
                && free.at > dashes
                && !is_awaited
            {
                self.place(last, free);
                continue;
            }
            match open.peek() {
                Some(&(index, param)) => {
                    if !matches!(param.kind, Kind::List(_)) {
                        open.next();
                    }
                    self.place(index, free);
                }
                None if free.doubtful => {}
                None => self
                    .out
                    .faults
                    .push(Fault::surplus(&free.value.to_string_lossy()).words(free.at..free.at + 1)),
            }
        }
    }

    fn place(&mut self, param: usize, free: Free) {
        let flag = self.table.target(param, None).and_then(Param::usage).unwrap_or_default();
        let words = free.at..free.at + 1;
        self.out.given.push(Given {
            param,
            member: None,
            effect: Effect::Give,
            flag,
            value: Some(free.value),
            words,
        });
    }
}

/// Whether a word is a JSON number.
pub(crate) fn is_number(word: &str) -> bool {
    let plain = word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    plain && serde_json::from_str::<serde_json::Number>(word).is_ok()
}

/// A word as issues show it.
fn shown(word: &OsStr) -> String {
    text(&word.to_string_lossy())
}
