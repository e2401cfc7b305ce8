//! `--input`: the whole argument object, under which the options lie.

use serde_json::{Map, Value};
use tool_core::{IssueCode, ToolError, args};

use super::{Found, Gatherer, Noted, Use, secret_shown};
use crate::fault::{Fault, pointer};
use crate::flags::Effect;
use crate::sources::Word;

/// What `--input` gives.
#[derive(Default)]
pub(super) struct Input {
    pub(super) object: Map<String, Value>,
    /// Whether it came as a JSON text that holds the object.
    pub(super) opened: bool,
}

impl Gatherer<'_, '_, '_> {
    /// The object of `--input`; `None` when it is unusable.
    pub(super) fn input(&mut self) -> Option<Input> {
        let Some(given) = self.words.input else { return Some(Input::default()) };
        let flag = "--input";
        let used = Use {
            value: given.value.as_deref(),
            effect: Effect::Give,
            flag,
            words: Some(&given.words),
            plain: false,
        };
        let (inline, value) = match self.input_value(used) {
            Ok(found) => found,
            Err(Noted) => {
                self.out.input_broken = true;
                return None;
            }
        };
        let mut input = match object(value, self.sources.limit) {
            Ok(input) => input,
            Err(Value::String(_)) if self.words.table.has_secret() => {
                let fault = Fault::new(IssueCode::Type, "a JSON object", "string (hidden)");
                self.note(fault, used, String::new());
                self.out.input_broken = true;
                return None;
            }
            Err(other) => {
                self.out.origins.note(String::new(), flag, Some(given.words.clone()));
                self.out.args = other;
                return None;
            }
        };
        if inline {
            self.refuse_inline_secrets(&mut input.object, used);
        }
        for key in input.object.keys() {
            self.out.origins.note(pointer([key.as_str()]), flag, Some(given.words.clone()));
        }
        Some(input)
    }

    /// What `--input` holds, and whether it stands on the command line itself.
    fn input_value(&mut self, used: Use<'_>) -> Found<(bool, Value)> {
        let typed = self.word(used, "")?;
        let word = Word::json(typed);
        self.may_read(word, "")?;
        let source = match self.sources.arguments(word, typed, used.flag) {
            Ok(source) => source,
            Err(fault) => return Err(self.note(*fault, used, String::new())),
        };
        let value = match args::parse_arguments(&source, self.sources.limit) {
            Ok(value) => value,
            Err(error) if self.words.table.has_secret() => return Err(self.hidden(&error, used)),
            // What does not parse goes on as text: the decoder says what is wrong with it, as on every surface.
            Err(_) => Value::String(source),
        };
        Ok((matches!(word, Word::Plain(_)), value))
    }

    /// Notes what is wrong with a text that holds a secret, without a piece of it.
    fn hidden(&mut self, error: &ToolError, used: Use<'_>) -> Noted {
        for issue in error.arg_issues() {
            let place = issue.got.split_once(": ").map_or("text", |(place, _)| place);
            let got = if issue.code == IssueCode::Syntax {
                format!("{place}: (hidden)")
            } else {
                issue.got.clone()
            };
            let fault = Fault::new(issue.code, issue.expected.clone(), got);
            self.note(fault, used, issue.path.clone());
        }
        Noted
    }

    fn refuse_inline_secrets(&mut self, object: &mut Map<String, Value>, used: Use<'_>) {
        for param in self.words.table.params.iter().filter(|param| param.secret) {
            let names: Vec<String> = object.keys().filter(|key| param.is_called(key)).cloned().collect();
            for name in names {
                object.shift_remove(&name);
                // An option is always text; here not even the type is told, only that there is one.
                let fault = secret_shown("boolean true").hint("give --input as @FILE or -");
                self.note(fault, used, pointer([param.name.as_str()]));
            }
        }
    }
}

/// The object that a value is or, as a text, holds; the value itself where there is none.
fn object(value: Value, max_bytes: usize) -> Result<Input, Value> {
    match value {
        Value::Object(object) => Ok(Input { object, opened: false }),
        Value::Null => Ok(Input::default()),
        Value::String(text) => match args::parse_arguments(&text, max_bytes) {
            Ok(Value::Object(object)) => Ok(Input { object, opened: true }),
            _ => Err(Value::String(text)),
        },
        other => Err(other),
    }
}
