//! Options as they are written: long or short, of the tool or of the program, with a value or without.

use std::ffi::{OsStr, OsString};

use clap_lex::{OsStrExt as _, ShortFlags};
use tool_core::IssueCode;

use super::{Given, Lexer, shown};
use crate::fault::{Fault, text};
use crate::flags::{Effect, Param};
use crate::globals::{self, GlobalDef, Place, Takes};
use crate::kind::Kind;
use crate::settings::word;

/// Options that other programs have, and what to write here.
const HABITS: [(&str, &str); 3] =
    [("no-color", "use '--color never'"), ("yaml", "use '-o yaml'"), ("jsonl", "use '-o jsonl'")];

impl Lexer<'_> {
    // ---- long options ------------------------------------------------------------------------------------------------

    pub(super) fn long(&mut self, name: &str, value: Option<OsString>, at: usize) {
        let typed = format!("--{name}");
        if let Some(spelling) = self.table.long(name) {
            let (param, member, effect) = (spelling.param, spelling.member, spelling.effect);
            self.known(Given { param, member, effect, flag: typed, value, words: at..at + 1 });
        } else if let Some(def) = globals::long(name) {
            self.global(def, false, typed, value, at);
        } else if let Some((_, hint)) = HABITS.iter().find(|habit| habit.0 == name) {
            self.out.faults.push(self.stray(&typed).hint(*hint).words(at..at + 1));
        } else {
            self.unknown(name, typed, value, at);
        }
    }

    /// An option of the tool. Its value may stand in the same word or in the next one.
    fn known(&mut self, mut given: Given) {
        let Some(target) = self.table.target(given.param, given.member) else { return };
        match given.effect {
            Effect::Negate if given.value.is_some() => {
                let got = given.value.as_deref().map_or(String::new(), shown);
                let expected = format!("{} without a value", given.flag);
                self.fault_at(&given, Fault::new(IssueCode::Syntax, expected, got));
            }
            Effect::Negate => self.switched(given, target),
            Effect::Give if target.kind == Kind::Switch => self.switched(given, target),
            _ => {
                if given.value.is_none() {
                    given.value = self.value();
                    given.words.end = self.at;
                }
                if given.value.is_none() {
                    let hint = format!("for a value that begins with '-', write {}=VALUE", given.flag);
                    let fault =
                        Fault::new(IssueCode::Missing, self.table.expected(&target.schema), "nothing");
                    self.fault_at(&given, fault.hint(hint));
                } else {
                    self.out.given.push(given);
                }
            }
        }
    }

    /// A switch takes no word; `true` or `false` right behind it is a mistake that would otherwise go to a positional.
    fn switched(&mut self, given: Given, target: &Param) {
        let next =
            self.raw.peek(&self.cursor).and_then(|next| next.to_value().ok()).map(str::to_ascii_lowercase);
        match next {
            Some(word)
                if given.value.is_none()
                    && target.kind == Kind::Switch
                    && (word == "true" || word == "false") =>
            {
                let words = given.words.start..self.at + 1;
                self.advance();
                let option = self.option_of(&given, target);
                let fault = Fault::new(IssueCode::Syntax, format!("{option} or {option}=false"), text(&word))
                    .hint(format!("write {option}={word}"));
                self.fault_at(&Given { flag: option, words, ..given }, fault);
            }
            _ => self.out.given.push(given),
        }
    }

    /// The positive long form of an option or of a member's.
    fn option_of(&self, given: &Given, target: &Param) -> String {
        match (given.member, self.table.target(given.param, None)) {
            (Some(_), Some(param)) => {
                format!("{}.{}", param.option(), target.long.as_deref().unwrap_or(&target.name))
            }
            _ => target.option(),
        }
    }

    fn fault_at(&mut self, given: &Given, fault: Fault) {
        let param = self.table.target(given.param, None).map(|param| param.name.as_str());
        let member =
            given.member.and_then(|_| self.table.target(given.param, given.member)).map(|m| m.name.as_str());
        let pointer = crate::fault::pointer(param.into_iter().chain(member));
        self.out.faults.push(fault.at_pointer(pointer).flag(&given.flag).words(given.words.clone()));
    }

    // ---- global options ----------------------------------------------------------------------------------------------

    fn global(
        &mut self,
        def: &'static GlobalDef,
        short: bool,
        typed: String,
        value: Option<OsString>,
        at: usize,
    ) {
        let misplaced = match def.place {
            Place::Before => self.behind || self.worded,
            Place::After => !self.behind,
            Place::Anywhere => false,
        };
        if misplaced {
            let hint = match def.place {
                Place::Before => format!("--{} goes before the command", def.long),
                _ => format!("--{} goes after the command", def.long),
            };
            self.out.faults.push(self.stray(&typed).hint(hint).words(at..at + 1));
            return;
        }
        let value = match (def.takes, value) {
            (Takes::Nothing, Some(value)) => {
                let fault = Fault::new(IssueCode::Syntax, format!("{typed} without a value"), shown(&value));
                self.out.faults.push(fault.flag(typed).words(at..at + 1));
                return;
            }
            (Takes::Nothing, None) => None,
            (_, Some(value)) => Some(value),
            (_, None) => self.value(),
        };
        let words = at..self.at;
        if def.takes == Takes::Value && value.is_none() {
            let hint = format!("for a value that begins with '-', write {typed}=VALUE");
            let expected = word::expected(def.global).unwrap_or_else(|| def.value_name.to_owned());
            let fault = Fault::new(IssueCode::Missing, expected, "nothing").hint(hint);
            self.out.faults.push(fault.flag(typed).words(words));
            return;
        }
        self.out.globals.0.push(globals::Given { global: def.global, value, short, words });
    }

    // ---- short options -----------------------------------------------------------------------------------------------

    pub(super) fn bundle(&mut self, mut letters: ShortFlags<'_>, at: usize) {
        while let Some(letter) = letters.next_flag() {
            let Ok(letter) = letter else {
                return self.unknown_short("-\u{fffd}", at);
            };
            let rest = letters.clone().next_value_os();
            let attached = rest.and_then(|rest| rest.strip_prefix("=")).map(OsStr::to_owned);
            if let Some(param) = self.table.short(letter) {
                let Some(target) = self.table.target(param, None) else { return };
                let takes = target.kind != Kind::Switch;
                let value = attached.or_else(|| rest.filter(|_| takes).map(OsStr::to_owned));
                let ends = takes || value.is_some();
                let given = Given {
                    param,
                    member: None,
                    effect: Effect::Give,
                    flag: target.option(),
                    value,
                    words: at..at + 1,
                };
                self.known(given);
                if ends {
                    return;
                }
            } else if let Some(def) = globals::short(letter) {
                let takes = def.takes != Takes::Nothing;
                let value = attached.or_else(|| rest.filter(|_| takes).map(OsStr::to_owned));
                let ends = takes || value.is_some();
                let behind = def.place == Place::Before && self.behind;
                let typed = if behind { format!("-{letter}") } else { format!("--{}", def.long) };
                self.global(def, true, typed, value, at);
                if ends {
                    return;
                }
            } else {
                self.stray_short = rest.is_none();
                return self.unknown_short(&format!("-{letter}"), at);
            }
        }
    }
}
