//! Lists and maps: what several uses of one option add up to.

use serde_json::{Map, Value};
use tool_core::IssueCode;
use tool_core::args;

use super::{Found, Gatherer, Noted, Use};
use crate::fault::{Fault, pointer, text};
use crate::flags::{Effect, Param};
use crate::kind::Items;
use crate::sources::Word;

impl Gatherer<'_, '_, '_> {
    pub(super) fn list(
        &mut self,
        target: &Param,
        items: Items,
        uses: &[Use<'_>],
        path: &str,
    ) -> Found<Value> {
        let mut list: Vec<Value> = Vec::new();
        let mut sound = Ok(());
        for used in uses {
            if used.effect == Effect::Negate {
                list.clear();
                continue;
            }
            match self.elements(target, items, *used, path) {
                Ok(found) => {
                    for value in found {
                        let place = format!("{path}/{}", list.len());
                        self.out.origins.note(place, used.flag, used.words.cloned());
                        list.push(value);
                    }
                }
                Err(Noted) => sound = Err(Noted),
            }
        }
        if let Some(used) = uses.first() {
            let words = used.words.filter(|_| uses.len() == 1);
            self.out.origins.note(path.to_owned(), used.flag, words.cloned());
        }
        sound.map(|()| if ends_in_null(target, uses) { Value::Null } else { Value::Array(list) })
    }

    /// What one use adds to a list.
    fn elements(&mut self, target: &Param, items: Items, used: Use<'_>, path: &str) -> Found<Vec<Value>> {
        let typed = self.word(used, path)?;
        let bracket = typed.trim_start().starts_with('[');
        let found = match items {
            Items::Text if bracket && !used.plain => {
                if args::parse(typed).is_ok() {
                    let flag = used.flag;
                    self.out
                        .warnings
                        .push(format!("{flag} took a JSON array as one text; repeat {flag} for each"));
                }
                Value::from(typed)
            }
            Items::Text | Items::Scalar if bracket => self.parsed(typed, target, used, path)?,
            Items::Text | Items::Scalar => Value::from(typed),
            Items::Json => {
                let text = self.source(Word::json(typed), typed, used, path)?;
                self.parsed(&text, target, used, path)?
            }
        };
        Ok(match found {
            Value::Array(values) => values,
            value => vec![value],
        })
    }

    pub(super) fn map(&mut self, target: &Param, items: Items, uses: &[Use<'_>], path: &str) -> Found<Value> {
        let mut map = Map::new();
        let mut sound = Ok(());
        if let [used, ..] = uses {
            self.out.origins.note(
                path.to_owned(),
                used.flag,
                used.words.filter(|_| uses.len() == 1).cloned(),
            );
        }
        for used in uses {
            if used.effect == Effect::Negate {
                map.clear();
                continue;
            }
            let entries = match self.entries(target, items, *used, path) {
                Ok(Value::Object(entries)) => entries,
                Ok(other) => return Ok(other),
                Err(Noted) => {
                    sound = Err(Noted);
                    continue;
                }
            };
            for (key, value) in entries {
                let place = format!("{path}{}", pointer([key.as_str()]));
                if map.contains_key(&key) {
                    let fault = Fault::new(IssueCode::Duplicate, "each key once", "the key twice");
                    sound = Err(self.note(fault, *used, place));
                } else {
                    self.out.origins.note(place, used.flag, used.words.cloned());
                    map.insert(key, value);
                }
            }
        }
        sound.map(|()| if ends_in_null(target, uses) { Value::Null } else { Value::Object(map) })
    }

    /// What one use adds to a map: `KEY=VALUE`, or a JSON object.
    fn entries(&mut self, target: &Param, items: Items, used: Use<'_>, path: &str) -> Found<Value> {
        let typed = self.word(used, path)?;
        let pair = typed.split_once('=').filter(|(key, _)| !key.is_empty() && !typed.starts_with('{'));
        if let Some((key, value)) = pair {
            let value = match items {
                Items::Json => self.parsed(value, target, used, &format!("{path}{}", pointer([key])))?,
                Items::Text | Items::Scalar => Value::from(value),
            };
            return Ok(Value::Object(Map::from_iter([(key.to_owned(), value)])));
        }
        let word = Word::json(typed);
        if matches!(word, Word::Plain(_)) && !typed.starts_with('{') {
            let fault = Fault::new(IssueCode::Syntax, "KEY=VALUE", text(typed));
            return Err(self.note(fault, used, path.to_owned()));
        }
        let text = self.source(word, typed, used, path)?;
        self.parsed(&text, target, used, path)
    }
}

/// Whether the last use is `--no-x` of a parameter for which that means null.
fn ends_in_null(target: &Param, uses: &[Use<'_>]) -> bool {
    target.nullable && uses.last().is_some_and(|used| used.effect == Effect::Negate)
}
