//! From options, `--input` and variables to the one argument object of a call.
//!
//! Per parameter an explicit option wins over `--input`, that over the variable; defaults are the decoder's. Text goes to the
//! decoder as it is. A parameter with a fault is withheld, so that its other mistakes are not guessed at.

mod input;
mod members;
mod reading;
mod repeated;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use tool_core::args;
use tool_core::{ArgIssue, IssueCode};

use self::input::Input;
use self::members::Whole;
use crate::fault::{Fault, pointer};
use crate::flags::{Effect, Param, Table};
use crate::globals;
use crate::kind::Kind;
use crate::lex::{Given, Unknown};
use crate::origins::Origins;
use crate::sources::{Sources, Word, not_utf8};

/// The arguments of a call as the command line gives them.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The object; what `--input` holds, when that is no object, as text when it is not JSON.
    pub(crate) args: Value,
    /// What is wrong with the command line itself.
    pub(crate) faults: Vec<Fault>,
    /// Where each value came from.
    pub(crate) origins: Origins,
    /// Parameters that were given, but whose value was not read because of another fault.
    pub(crate) unread: Vec<String>,
    /// Whether `--input` cannot be read, so that nothing can be said about the parameters.
    pub(crate) input_broken: bool,
    /// What the person should know.
    pub(crate) warnings: Vec<String>,
}

/// What [`gather`] makes arguments of.
pub(crate) struct Words<'a> {
    pub(crate) table: &'a Table,
    pub(crate) given: &'a [Given],
    pub(crate) unknown: &'a [Unknown],
    pub(crate) input: Option<&'a globals::Given>,
    pub(crate) env: &'a BTreeMap<OsString, OsString>,
}

/// Makes the argument object. `faults` are those of the reading so far.
pub(crate) fn gather(words: &Words<'_>, faults: Vec<Fault>, sources: &mut Sources<'_>) -> Gathered {
    let out = Gathered { faults, ..Gathered::default() };
    let mut gatherer = Gatherer { words, sources, out, stdin_refused: false };
    gatherer.refuse_second_stdin();
    gatherer.run();
    gatherer.out
}

struct Gatherer<'a, 's, 'r> {
    words: &'a Words<'a>,
    sources: &'s mut Sources<'r>,
    out: Gathered,
    /// Whether standard input was asked for twice, and is therefore not read at all.
    stdin_refused: bool,
}

/// One occurrence of an option, or a variable that stands in for it.
#[derive(Clone, Copy)]
struct Use<'u> {
    value: Option<&'u OsStr>,
    effect: Effect,
    flag: &'u str,
    words: Option<&'u Range<usize>>,
    /// A variable opens no files and reads no input.
    plain: bool,
}

impl<'u> From<&'u Given> for Use<'u> {
    fn from(given: &'u Given) -> Self {
        let Given { value, effect, flag, words, .. } = given;
        Use { value: value.as_deref(), effect: *effect, flag, words: Some(words), plain: false }
    }
}

/// A value, or a fault that is noted already.
type Found<T> = Result<T, Noted>;

/// The fault is in the list.
struct Noted;

impl Gatherer<'_, '_, '_> {
    fn run(&mut self) {
        let Some(Input { object: mut input, opened }) = self.input() else { return };
        let table = self.words.table;
        let mut args = Map::new();
        for (index, param) in table.params.iter().enumerate() {
            let mut own: Vec<&Given> = self.words.given.iter().filter(|given| given.param == index).collect();
            own.sort_by_key(|given| given.words.start);
            let Some(value) = self.param(param, &own, &mut input) else { continue };
            for (name, value) in value {
                args.insert(name, value);
            }
        }
        args.extend(input);
        for unknown in self.words.unknown {
            self.unknown(unknown, &mut args);
        }
        let args = Value::Object(args);
        // What came as a text goes on as one: opening it is the decoder's, who tells of it.
        self.out.args = if opened { Value::String(args.to_string()) } else { args };
    }

    // ---- one parameter -----------------------------------------------------------------------------------------------

    /// The members that a parameter adds to the arguments; `None` when it is withheld or not given.
    fn param(
        &mut self,
        param: &Param,
        own: &[&Given],
        input: &mut Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let from_input: Map<String, Value> = {
            let keys: Vec<String> = input.keys().filter(|key| param.is_called(key)).cloned().collect();
            keys.into_iter().filter_map(|key| input.shift_remove_entry(&key)).collect()
        };
        if self.is_faulty(&param.name) {
            return None;
        }
        let found = if !own.is_empty() {
            let base = from_input.into_iter().map(|(_, value)| value).next();
            self.explicit(param, own, base.filter(|_| param.kind == Kind::Object))
        } else if !from_input.is_empty() {
            return Some(from_input);
        } else {
            match self.variable(param) {
                Some(found) => found,
                None => Ok(self.prompted(param)?),
            }
        };
        let value = found.ok()?;
        Some(Map::from_iter([(param.name.clone(), value)]))
    }

    /// Whether a parameter has a fault already.
    fn is_faulty(&self, name: &str) -> bool {
        let pointer = pointer([name]);
        let inside = |path: &str| {
            path.strip_prefix(&pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.out.faults.iter().any(|fault| inside(&fault.issue.path))
    }

    /// The value of the variable that stands in for a parameter.
    fn variable(&mut self, param: &Param) -> Option<Found<Value>> {
        let name = param.env.as_deref()?;
        let value = self.words.env.get(OsStr::new(name)).filter(|value| !value.is_empty())?;
        let flag = format!("${name}");
        let used = Use { value: Some(value), effect: Effect::Give, flag: &flag, words: None, plain: true };
        Some(self.value(param, &[used], &pointer([param.name.as_str()])))
    }

    /// A secret that a person types, where it must be given and was not.
    fn prompted(&mut self, param: &Param) -> Option<Value> {
        let is_right = self.out.faults.is_empty() && self.words.unknown.is_empty();
        let asks = param.secret && param.required && is_right;
        if asks { self.sources.secret(&param.name).map(Value::from) } else { None }
    }

    /// The value of a parameter or member that was given at least once.
    fn value(&mut self, target: &Param, uses: &[Use<'_>], path: &str) -> Found<Value> {
        match target.kind {
            Kind::Switch => self.switch(target, uses, path),
            Kind::List(items) => self.list(target, items, uses, path),
            Kind::Map(items) => self.map(target, items, uses, path),
            _ => {
                let used = self.only(uses, path)?;
                let value = self.single(target, used, path)?;
                self.out.origins.note(path.to_owned(), used.flag, used.words.cloned());
                Ok(value)
            }
        }
    }

    /// The one use of a parameter that cannot be repeated.
    fn only<'u>(&mut self, uses: &[Use<'u>], path: &str) -> Found<Use<'u>> {
        match uses {
            [used] => Ok(*used),
            [first, others @ ..] => {
                let fault = Fault::new(IssueCode::Duplicate, "one value", format!("{} values", uses.len()));
                let others = others.iter().map(|used| used.words.cloned());
                Err(self.note(others.fold(fault, Fault::maybe_words), *first, path.to_owned()))
            }
            [] => Err(Noted),
        }
    }

    fn single(&mut self, target: &Param, used: Use<'_>, path: &str) -> Found<Value> {
        match used.effect {
            Effect::Negate => return Ok(Value::Null),
            Effect::Refuse => {
                let by_variable =
                    target.env.as_ref().map(|name| format!(" or the environment variable {name}"));
                let hint = format!("use {}-file FILE{}", target.option(), by_variable.unwrap_or_default());
                return Err(self.note(secret_shown("string (hidden)").hint(hint), used, path.to_owned()));
            }
            Effect::File => return self.secret_file(target, used, path),
            Effect::Give => {}
        }
        match target.kind {
            Kind::Json | Kind::Object => self.json(target, used, path),
            Kind::Bytes => self.bytes(target, used, path),
            _ => {
                let typed = self.word(used, path)?;
                let word = if target.stdin { Word::text(typed) } else { Word::Plain(typed) };
                self.source(word, typed, used, path).map(Value::String)
            }
        }
    }

    fn switch(&mut self, target: &Param, uses: &[Use<'_>], path: &str) -> Found<Value> {
        let Some(used) = uses.last() else { return Err(Noted) };
        self.out.origins.note(path.to_owned(), used.flag, used.words.cloned());
        match (used.effect, used.value) {
            (Effect::Negate, _) if target.nullable => Ok(Value::Null),
            (Effect::Negate, _) => Ok(Value::Bool(false)),
            (_, None) => Ok(Value::Bool(true)),
            (_, Some(_)) => self.word(*used, path).map(Value::from),
        }
    }

    fn bytes(&mut self, target: &Param, used: Use<'_>, path: &str) -> Found<Value> {
        let typed = self.word(used, path)?;
        let word = if target.stdin { Word::text(typed) } else { Word::Plain(typed) };
        if used.plain || matches!(word, Word::Plain(_)) {
            return self.source(word, typed, used, path).map(Value::String);
        }
        self.may_read(word, path)?;
        match self.sources.bytes(word, typed, used.flag) {
            Ok(bytes) => Ok(Value::String(STANDARD.encode(bytes))),
            Err(fault) => Err(self.note(*fault, used, path.to_owned())),
        }
    }

    /// A secret from a file or standard input; one final line end is no part of it.
    fn secret_file(&mut self, target: &Param, used: Use<'_>, path: &str) -> Found<Value> {
        let named = used.value.unwrap_or_default();
        let typed = named.to_string_lossy().into_owned();
        let bytes = if named == "-" {
            self.may_read(Word::Stdin, path)?;
            self.sources.secret_of_stdin(&target.name, used.flag)
        } else {
            self.sources.file(named, &typed)
        };
        let secret = bytes.and_then(|bytes| {
            String::from_utf8(bytes).map_err(|error| not_utf8(&typed, error.utf8_error().valid_up_to()))
        });
        match secret {
            Ok(secret) => {
                let line = secret
                    .strip_suffix('\n')
                    .map_or(secret.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
                Ok(Value::from(line))
            }
            Err(fault) => Err(self.note(*fault, used, path.to_owned())),
        }
    }

    // ---- JSON --------------------------------------------------------------------------------------------------------

    fn json(&mut self, target: &Param, used: Use<'_>, path: &str) -> Found<Value> {
        let typed = self.word(used, path)?;
        let text = self.source(Word::json(typed), typed, used, path)?;
        self.parsed(&text, target, used, path)
    }

    fn parsed(&mut self, text: &str, target: &Param, used: Use<'_>, path: &str) -> Found<Value> {
        args::parse(text).map_err(|error| self.not_json(error.arg_issues(), used, path, &target.schema))
    }

    /// Notes the issues of a text that is not JSON, each below the parameter it was meant for.
    fn not_json(&mut self, issues: &[ArgIssue], used: Use<'_>, path: &str, schema: &Value) -> Noted {
        for issue in issues {
            let mut issue = issue.clone();
            issue.path.insert_str(0, path);
            if issue.code == IssueCode::Syntax {
                issue.expected = self.words.table.expected(schema);
                // A text that ends too early does so behind its last column, and there may be none.
                issue.got = issue.got.replacen(", column 0: ", ", column 1: ", 1);
            }
            let words = used.words.into_iter().cloned().collect();
            self.out.faults.push(Fault { issue, flag: Some(used.flag.to_owned()), words });
        }
        Noted
    }

    // ---- unknown options ---------------------------------------------------------------------------------------------

    /// Hands an unknown option to the decoder as a key, to be reported as on every surface.
    fn unknown(&mut self, unknown: &Unknown, args: &mut Map<String, Value>) {
        let value = match unknown.value.as_deref().map(OsStr::to_string_lossy) {
            Some(text) => Value::String(text.into_owned()),
            None => Value::Bool(true),
        };
        let place = pointer(unknown.path.iter().map(String::as_str));
        match unknown.path.as_slice() {
            [key] => {
                args.insert(key.clone(), value);
            }
            [head, _] if self.is_faulty(head) => return,
            [head, key] => {
                let entry = args.entry(head.clone()).or_insert(Value::Null);
                let mut whole = Whole::from(entry.take());
                whole.insert(key, value);
                *entry = whole.into();
            }
            _ => return,
        }
        self.out.origins.note(place, &unknown.flag, Some(unknown.words.clone()));
    }

    fn note(&mut self, fault: Fault, used: Use<'_>, path: String) -> Noted {
        self.out.faults.push(fault.at_pointer(path).flag(used.flag).maybe_words(used.words.cloned()));
        Noted
    }
}

/// A secret where everybody sees it; `got` tells nothing of it.
fn secret_shown(got: &str) -> Fault {
    Fault::new(IssueCode::Invalid, "no secret on the command line", got)
}
