//! What is wrong with a command line itself, as issues of the one form, each with the option and the words it is about.

use std::ops::Range;

use serde_json::Value;
use tool_core::args;
use tool_core::{ArgIssue, IssueCode};

use crate::flags::Table;

/// An issue made while the command line was read.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The issue, as every surface shows it.
    pub(crate) issue: ArgIssue,
    /// The option as typed, or as usage shows it.
    pub(crate) flag: Option<String>,
    /// The words at fault, which need not stand together.
    pub(crate) words: Vec<Range<usize>>,
}

/// What is expected in place of a surplus word.
pub(crate) const SURPLUS: &str = "no more arguments";

impl Fault {
    /// An issue with the whole input; say more with the other functions.
    pub(crate) fn new(code: IssueCode, expected: impl Into<String>, got: impl Into<String>) -> Fault {
        let issue =
            ArgIssue { path: String::new(), code, expected: expected.into(), got: got.into(), hint: None };
        Fault { issue, flag: None, words: Vec::new() }
    }

    /// A word for which there is no place.
    pub(crate) fn surplus(word: &str) -> Fault {
        Fault::new(IssueCode::Unknown, SURPLUS, text(word))
    }

    /// An option that does not exist.
    pub(crate) fn unknown_option(table: &Table, option: &str) -> Fault {
        Fault::new(IssueCode::Unknown, one_of_parameters(table), text(option)).flag(option)
    }

    /// An issue with one parameter.
    pub(crate) fn at(mut self, name: &str) -> Fault {
        self.issue.path = pointer([name]);
        self
    }

    /// An issue somewhere inside.
    pub(crate) fn at_pointer(mut self, pointer: String) -> Fault {
        self.issue.path = pointer;
        self
    }

    /// The option it is about.
    pub(crate) fn flag(mut self, flag: impl Into<String>) -> Fault {
        self.flag = Some(flag.into());
        self
    }

    /// Words it is about, beside those that are known already.
    pub(crate) fn words(mut self, words: Range<usize>) -> Fault {
        self.words.push(words);
        self
    }

    /// The same where there may be none: a variable and the settings file have no words.
    pub(crate) fn maybe_words(mut self, words: Option<Range<usize>>) -> Fault {
        self.words.extend(words);
        self
    }

    /// How to repair it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.issue.hint = Some(hint.into());
        self
    }
}

/// The RFC 6901 pointer of a path.
pub(crate) fn pointer<'a>(path: impl IntoIterator<Item = &'a str>) -> String {
    let mut pointer = String::new();
    path.into_iter().for_each(|key| args::push_given(&mut pointer, key));
    pointer
}

/// A text as issues show it: `string "…"`, its first 40 characters.
pub(crate) fn text(text: &str) -> String {
    args::got(&Value::from(text))
}

/// `one of the parameters a, b`.
pub(crate) fn one_of_parameters(table: &Table) -> String {
    let listed = table.params.iter().filter(|param| !param.hidden);
    args::one_of("parameters", listed.map(|param| param.name.as_str()))
}
