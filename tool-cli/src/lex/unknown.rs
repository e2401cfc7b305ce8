//! Options that do not exist: what they resemble decides whether the next word is their value.

use std::ffi::OsString;

use tool_core::IssueCode;
use tool_core::args::suggest;

use super::{Lexer, Unknown};
use crate::fault::{Fault, text};
use crate::flags::{Effect, Param, Spelling, Table};
use crate::globals::{self, GlobalDef, Takes};
use crate::kind::Kind;

impl<'a> Lexer<'a> {
    pub(super) fn unknown(&mut self, name: &str, typed: String, value: Option<OsString>, at: usize) {
        if !self.behind {
            let near = near_global(name);
            let fault = self.stray(&typed).words(at..at + 1);
            self.out.faults.push(match near {
                Some(near) => fault.hint(format!("did you mean `--{}`?", near.long)),
                None => fault,
            });
            return;
        }
        let path = self.path_of(name);
        let near = self.near(&path).or_else(|| self.near_spelling(name));
        let value = match (value, near) {
            (None, Some(near)) if near.takes_value() => self.value(),
            (value, _) => value,
        };
        let words = at..self.at;
        // What the decoder knows as a parameter it suggests itself.
        let long = match near {
            Some(Near::Global(def)) => Some(def.long),
            Some(Near::Spelling(row, _)) => Some(row.long.as_str()),
            Some(Near::Param(_)) | None => None,
        };
        if let Some(long) = long {
            let fault = Fault::unknown_option(self.table, &typed).at(path.last().map_or("", String::as_str));
            let fault = Fault { flag: Some(typed), ..fault }.hint(format!("did you mean `--{long}`?"));
            self.out.faults.push(fault.words(words));
            return;
        }
        self.out.unknown.push(Unknown { path, flag: typed, value, words });
    }

    /// The key that stands for an unknown option: `--owner.agee` is `agee` of `owner`.
    fn path_of(&self, name: &str) -> Vec<String> {
        let snake = |word: &str| word.replace('-', "_");
        let below = name.split_once('.').and_then(|(head, rest)| {
            let param = self.table.params.get(self.table.long(head)?.param)?;
            (param.kind == Kind::Object).then(|| vec![param.name.clone(), snake(rest)])
        });
        below.unwrap_or_else(|| vec![snake(name)])
    }

    /// The option that an unknown one resembles: the decoder will suggest it, or it is one of the program's.
    pub(super) fn near(&self, path: &[String]) -> Option<Near<'a>> {
        let table: &'a Table = self.table;
        match path {
            [head, key] => {
                let members = &table.params.get(table.named(head)?)?.members;
                nearest(key, members).map(Near::Param)
            }
            [key] => {
                let param = nearest(key, &table.params).map(Near::Param);
                param.or_else(|| near_global(key).map(Near::Global))
            }
            _ => None,
        }
    }

    /// The form that an option resembles where its parameter does not: `--no-sorted`, `--password-file`.
    fn near_spelling(&self, name: &str) -> Option<Near<'a>> {
        let table: &'a Table = self.table;
        let listed = || table.spellings.iter().filter(|row| row.listed);
        let long = *suggest(name, listed().map(|row| (row.long.as_str(), row.long.as_str()))).first()?;
        let row = listed().find(|row| row.long == long)?;
        Some(Near::Spelling(row, table.target(row.param, row.member)?))
    }

    pub(super) fn unknown_short(&mut self, typed: &str, at: usize) {
        let mut fault = self.stray(typed);
        if self.behind {
            fault = fault.hint("to pass it as text, put -- before it");
        }
        self.out.faults.push(fault.words(at..at + 1));
    }

    /// An option that has no meaning where it stands.
    pub(super) fn stray(&self, typed: &str) -> Fault {
        if self.behind {
            return Fault::unknown_option(self.table, typed);
        }
        Fault::new(IssueCode::Unknown, "a command or an option of the program", text(typed)).flag(typed)
    }
}

/// What an unknown option resembles.
#[derive(Clone, Copy)]
pub(super) enum Near<'a> {
    Param(&'a Param),
    Global(&'static GlobalDef),
    Spelling(&'a Spelling, &'a Param),
}

impl Near<'_> {
    fn takes_value(self) -> bool {
        match self {
            Near::Param(param) => param.kind != Kind::Switch,
            Near::Global(def) => def.takes != Takes::Nothing,
            Near::Spelling(row, param) => row.effect != Effect::Negate && param.kind != Kind::Switch,
        }
    }
}

/// The parameter whose name or alias is nearest.
fn nearest<'p>(key: &str, params: &'p [Param]) -> Option<&'p Param> {
    let names = params.iter().filter(|param| !param.hidden).flat_map(|param| {
        let names = std::iter::once(&param.name).chain(&param.aliases);
        names.map(move |name| (param.name.as_str(), name.as_str()))
    });
    let name = *suggest(key, names).first()?;
    params.iter().find(|param| param.name == name)
}

/// The global option whose name is nearest.
fn near_global(name: &str) -> Option<&'static GlobalDef> {
    let longs = globals::GLOBALS.iter().map(|row| (row.long, row.long));
    globals::long(suggest(name, longs).first()?)
}
