//! The inverse of reading: a call as the words that make it.
//!
//! What the words cannot say goes through `--input`, so that reading them again always gives the same normal form.

use serde_json::{Map, Value};

use crate::flags::{Param, Table, negated};
use crate::kind::{Items, Kind};

/// The words behind the command for arguments, defaults left out.
pub(crate) fn words(table: &Table, args: &Map<String, Value>) -> Vec<String> {
    let mut line = Line { table, words: Vec::new(), behind: None, rest: Map::new() };
    let given = |param: &&Param| args.get(&param.name).is_some_and(|value| !is_default(param, value));
    let mut gap = false;
    let (positional, options): (Vec<&Param>, Vec<&Param>) =
        table.params.iter().partition(|param| param.positional);
    let mut later = Vec::new();
    for param in positional {
        match args.get(&param.name).filter(|_| given(&param)) {
            Some(value) if !gap && line.position(param, value) => {}
            Some(value) => {
                gap = true;
                later.push((param, value));
            }
            None => gap = true,
        }
    }
    for (param, value) in later {
        line.option(param, value);
    }
    for param in options.into_iter().filter(given) {
        if let Some(value) = args.get(&param.name) {
            line.option(param, value);
        }
    }
    line.finish()
}

/// Whether leaving a parameter out means the same.
fn is_default(param: &Param, value: &Value) -> bool {
    match param.schema.get("default") {
        Some(default) => default == value,
        None => value.is_null() && !param.nullable,
    }
}

struct Line<'t> {
    table: &'t Table,
    words: Vec<String>,
    /// The words behind `--`, with the parameter that they are and its value.
    behind: Option<(Vec<String>, String, Value)>,
    /// What no option can say.
    rest: Map<String, Value>,
}

impl Line<'_> {
    /// Writes a positional; false when only an option can say it.
    fn position(&mut self, param: &Param, value: &Value) -> bool {
        let Some(words) = option_words(param, value).filter(|_| !param.secret) else { return false };
        let plain = words.iter().all(|word| !self.needs_equals(word));
        if plain {
            self.words.extend(words);
        }
        plain
    }

    fn option(&mut self, param: &Param, value: &Value) {
        let Some(long) = &param.long else {
            self.rest.insert(param.name.clone(), value.clone());
            return;
        };
        match (param.kind, value) {
            _ if param.secret => self.words.extend([format!("--{long}-file"), "FILE".to_owned()]),
            (Kind::Switch, Value::Bool(true)) => self.words.push(format!("--{long}")),
            (Kind::Switch, Value::Bool(false)) if param.nullable => {
                self.words.push(format!("--{long}=false"))
            }
            (Kind::Switch, Value::Bool(false)) => self.words.push(format!("--{}", negated(long))),
            (_, Value::Null) if param.nullable => self.words.push(format!("--{}", negated(long))),
            (Kind::List(_), Value::Array(items))
                if items.is_empty() && param.negates() && !param.nullable =>
            {
                self.words.push(format!("--{}", negated(long)));
            }
            _ => match option_words(param, value) {
                Some(words) if param.last => {
                    self.behind = Some((words, param.name.clone(), value.clone()));
                }
                Some(words) => self.repeat(long, words),
                None => {
                    self.rest.insert(param.name.clone(), value.clone());
                }
            },
        }
    }

    fn repeat(&mut self, long: &str, words: Vec<String>) {
        for word in words {
            if self.needs_equals(&word) {
                self.words.push(format!("--{long}={word}"));
            } else {
                self.words.extend([format!("--{long}"), word]);
            }
        }
    }

    /// Whether a word would be read as an option.
    fn needs_equals(&self, word: &str) -> bool {
        let number = crate::lex::is_number(word)
            && word.chars().nth(1).is_none_or(|digit| self.table.short(digit).is_none());
        word.starts_with('-') && word != "-" && !number
    }

    fn finish(mut self) -> Vec<String> {
        // A required positional that stands in `--input` would be looked for behind `--` first.
        let is_missing =
            |param: &Param| param.positional && param.required && self.rest.contains_key(&param.name);
        if self.table.params.iter().any(is_missing)
            && let Some((_, name, value)) = self.behind.take()
        {
            self.rest.insert(name, value);
        }
        if !self.rest.is_empty() {
            self.words.extend(["--input".to_owned(), Value::Object(self.rest).to_string()]);
        }
        if let Some((words, ..)) = self.behind {
            self.words.push("--".to_owned());
            self.words.extend(words);
        }
        self.words
    }
}

/// The values of an option, one for each time it is given; `None` when words cannot say them.
fn option_words(param: &Param, value: &Value) -> Option<Vec<String>> {
    match (param.kind, value) {
        (Kind::Json, Value::Null) => None,
        (Kind::Json | Kind::Object, value) => Some(vec![value.to_string()]),
        (Kind::List(_), Value::Array(items)) if items.is_empty() => None,
        (Kind::List(Items::Json), Value::Array(items)) => Some(items.iter().map(nested).collect()),
        (Kind::List(_), Value::Array(elements)) => {
            let schema = param.schema.get("items").unwrap_or(&Value::Null);
            elements.iter().map(|element| word(element, schema)).collect()
        }
        (Kind::Map(items), Value::Object(map)) => Some(entries(items, map)),
        (Kind::Text | Kind::Bytes, value) => {
            let word = word(value, &param.schema)?;
            if !param.stdin {
                return Some(vec![word]);
            }
            // `-` and `@FILE` would be read; only an `@` can be doubled.
            (word != "-").then(|| vec![if word.starts_with('@') { format!("@{word}") } else { word }])
        }
        _ => None,
    }
}

/// An element of a JSON list: an array would be taken for several.
fn nested(element: &Value) -> String {
    if element.is_array() { format!("[{element}]") } else { element.to_string() }
}

/// A scalar as a word, if the word is read back as the same value.
fn word(value: &Value, schema: &Value) -> Option<String> {
    match value {
        // No word of a command line holds a NUL.
        Value::String(text) => Some(text.clone()).filter(|text| !text.contains('\0')),
        Value::Bool(_) | Value::Number(_) if !crate::kind::takes_text(schema) => Some(value.to_string()),
        _ => None,
    }
}

/// `KEY=VALUE` for each entry, or one object where a key or value does not fit that form.
fn entries(items: Items, map: &Map<String, Value>) -> Vec<String> {
    let pair = |(key, value): (&String, &Value)| {
        let word = match (items, value) {
            (Items::Text | Items::Scalar, Value::String(text)) => text.clone(),
            (Items::Scalar, Value::Number(_) | Value::Bool(_)) | (Items::Json, _) => value.to_string(),
            _ => return None,
        };
        let whole = !key.contains('\0') && !word.contains('\0');
        let fits = whole && !key.is_empty() && !key.contains('=') && !key.starts_with('{');
        fits.then(|| format!("{key}={word}"))
    };
    let pairs: Option<Vec<String>> = map.iter().map(pair).collect();
    pairs.filter(|pairs| !pairs.is_empty()).unwrap_or_else(|| vec![Value::Object(map.clone()).to_string()])
}
