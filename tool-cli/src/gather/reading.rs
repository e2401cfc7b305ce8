//! Words and what they stand for: text, and standard input for the first place that asks for it.

use std::ffi::OsStr;

use tool_core::IssueCode;

use super::{Found, Gatherer, Noted, Use};
use crate::fault::{Fault, pointer, text};
use crate::flags::{Effect, Param};
use crate::kind::Kind;
use crate::sources::{Word, no_text};

impl Gatherer<'_, '_, '_> {
    /// The word of a use as text.
    pub(super) fn word<'u>(&mut self, used: Use<'u>, path: &str) -> Found<&'u str> {
        let raw = used.value.unwrap_or_default();
        match raw.to_str() {
            Some(word) => Ok(word),
            None => Err(self.note(no_text(raw), used, path.to_owned())),
        }
    }

    /// The text that a word stands for. A variable stands for itself.
    pub(super) fn source(&mut self, word: Word<'_>, typed: &str, used: Use<'_>, path: &str) -> Found<String> {
        if used.plain {
            return Ok(typed.to_owned());
        }
        self.may_read(word, path)?;
        self.sources.text(word, typed, used.flag).map_err(|fault| self.note(*fault, used, path.to_owned()))
    }

    /// Leaves standard input alone when it was asked for twice; the fault stands at the later place.
    pub(super) fn may_read(&mut self, word: Word<'_>, path: &str) -> Found<()> {
        if word == Word::Stdin && self.stdin_refused {
            self.out.unread.push(path.to_owned());
            return Err(Noted);
        }
        Ok(())
    }

    /// Notes a fault at every place but the first that asks for standard input.
    pub(super) fn refuse_second_stdin(&mut self) {
        let mut asking: Vec<(Use<'_>, String)> = Vec::new();
        for given in self.words.given {
            let Some(target) = self.words.table.target(given.param, given.member) else { continue };
            let param = self.words.table.target(given.param, None).map_or("", |param| &param.name);
            if given.value.as_deref() == Some(OsStr::new("-")) && reads_stdin(target, given.effect) {
                let member = given.member.map(|_| target.name.as_str());
                asking.push((Use::from(given), pointer([param].into_iter().chain(member))));
            }
        }
        if let Some(input) = self.words.input.filter(|input| input.value.as_deref() == Some(OsStr::new("-")))
        {
            let words = Some(&input.words);
            let used = Use { value: None, effect: Effect::Give, flag: "--input", words, plain: false };
            asking.push((used, String::new()));
        }
        asking.sort_by_key(|(used, _)| used.words.map_or(0, |words| words.start));
        self.stdin_refused = asking.len() > 1;
        for (used, path) in asking.into_iter().skip(1) {
            let fault = Fault::new(IssueCode::Invalid, "standard input once", text("-"));
            self.note(fault.hint("it can be read only once"), used, path);
        }
    }
}

/// Whether `-` as the value of an option is standard input.
fn reads_stdin(target: &Param, effect: Effect) -> bool {
    match effect {
        Effect::File => true,
        Effect::Give => {
            target.kind.is_json()
                || matches!(target.kind, Kind::Map(_))
                || (target.stdin && target.kind.is_scalar())
        }
        Effect::Negate | Effect::Refuse => false,
    }
}
