//! Arguments on their way: from canonical to what a model that obeys the wire schema sends, and back.
//!
//! Back is only what was done on the way out: everything else a model sends amiss is the argument decoder's, which judges
//! it alike on every surface.

use serde_json::{Map, Value, json};

use super::schema::{WRAPPER, is_of};
use super::wire::Wire;
use crate::args::pointer::push_key;
use crate::args::{self, ArgIssue, IssueCode, got, parse};
use crate::error::ToolError;
use crate::schema::{required_names, resolve};

/// A canonical schema and the form its arguments travel in.
pub(super) struct Encoding<'a> {
    canonical: &'a Value,
    definitions: &'a Map<String, Value>,
    wire: Wire,
    wrapped: bool,
}

static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

impl<'a> Encoding<'a> {
    pub(super) fn new(canonical: &'a Value, wire: Wire, wrapped: bool) -> Self {
        let definitions = canonical.get("$defs").and_then(Value::as_object).unwrap_or_else(|| &*NONE);
        Self { canonical, definitions, wire, wrapped }
    }

    /// Canonical arguments as they travel.
    pub(super) fn encode(&self, args: &Value) -> Value {
        let args = if self.wire.is_strict() { self.out(self.canonical, args) } else { args.clone() };
        if self.wrapped { json!({WRAPPER: args}) } else { args }
    }

    /// What came, as canonical arguments.
    ///
    /// # Errors
    /// `invalid_args`, code `bad_entries`, for lists of entries that are no map.
    pub(super) fn decode(&self, args: Value) -> Result<Value, ToolError> {
        let args = if self.wrapped { unwrap(args) } else { args };
        if !self.wire.is_strict() {
            return Ok(args);
        }
        let mut issues = Vec::new();
        let args = self.back(self.canonical, args, String::new(), &mut issues);
        if issues.is_empty() { Ok(args) } else { Err(bad_entries(issues)) }
    }

    // ---- out ------------------------------------------------------------------------------------------------------------

    fn out(&self, schema: &Value, value: &Value) -> Value {
        let schema = resolve(schema, self.definitions);
        if let Some(branch) = self.branch(schema, value) {
            return self.out(branch, value);
        }
        match value {
            Value::Object(members) if has_entries(schema) => {
                let values = schema.get("additionalProperties").unwrap_or(&Value::Null);
                let entry = |(key, value)| json!({"key": key, "value": self.out(values, value)});
                members.iter().map(entry).collect()
            }
            Value::Object(members) => {
                let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&NONE);
                let mut sent = Map::with_capacity(properties.len());
                for (name, schema) in properties {
                    match members.get(name) {
                        Some(value) => {
                            sent.insert(name.clone(), self.out(schema, value));
                        }
                        None if self.wire == Wire::OpenAiStrict => {
                            sent.insert(name.clone(), Value::Null);
                        }
                        None => {}
                    }
                }
                let others = members.iter().filter(|(name, _)| !properties.contains_key(*name));
                sent.extend(others.map(|(name, value)| (name.clone(), value.clone())));
                Value::Object(sent)
            }
            Value::Array(items) => match schema.get("items") {
                Some(schema) => items.iter().map(|item| self.out(schema, item)).collect(),
                None => value.clone(),
            },
            other => other.clone(),
        }
    }

    // ---- back -----------------------------------------------------------------------------------------------------------

    fn back(&self, schema: &Value, value: Value, at: String, issues: &mut Vec<ArgIssue>) -> Value {
        let schema = resolve(schema, self.definitions);
        if let Some(branch) = self.branch(schema, &value) {
            return self.back(branch, value, at, issues);
        }
        match value {
            Value::Array(entries) if has_entries(schema) => self.map(schema, entries, &at, issues),
            Value::Array(items) => match schema.get("items") {
                Some(schema) => {
                    let items = items.into_iter().enumerate();
                    items.map(|(i, item)| self.back(schema, item, format!("{at}/{i}"), issues)).collect()
                }
                None => Value::Array(items),
            },
            Value::Object(members) => self.object(schema, members, &at, issues),
            other => other,
        }
    }

    fn object(
        &self,
        schema: &Value,
        members: Map<String, Value>,
        at: &str,
        issues: &mut Vec<ArgIssue>,
    ) -> Value {
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&NONE);
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        let required = schema.as_object().map(required_names).unwrap_or_default();
        let mut read = Map::with_capacity(members.len());
        for (name, value) in members {
            let Some(schema) = properties.get(&name).or(others) else {
                read.insert(name, value);
                continue;
            };
            let may_be_left_out = properties.contains_key(&name) && !required.contains(&name);
            if value.is_null() && may_be_left_out && self.wire == Wire::OpenAiStrict {
                continue;
            }
            let mut pointer = at.to_owned();
            push_key(&mut pointer, &name);
            let value = self.back(schema, value, pointer, issues);
            read.insert(name, value);
        }
        Value::Object(read)
    }

    /// A list of entries as the map that it stands for.
    fn map(&self, schema: &Value, entries: Vec<Value>, at: &str, issues: &mut Vec<ArgIssue>) -> Value {
        let values = schema.get("additionalProperties").unwrap_or(&Value::Null);
        let mut map = Map::with_capacity(entries.len());
        for (i, entry) in entries.into_iter().enumerate() {
            let Some((key, value)) = key_and_value(&entry) else {
                issues.push(ArgIssue {
                    path: format!("{at}/{i}"),
                    code: IssueCode::Type,
                    expected: "object with \"key\", \"value\"".to_owned(),
                    got: got(&entry),
                    hint: None,
                });
                continue;
            };
            if map.contains_key(&key) {
                issues.push(ArgIssue {
                    path: format!("{at}/{i}/key"),
                    code: IssueCode::Duplicate,
                    expected: "one value".to_owned(),
                    got: "the key twice".to_owned(),
                    hint: None,
                });
                continue;
            }
            let value = self.back(values, value, format!("{at}/{i}/value"), issues);
            map.insert(key, value);
        }
        Value::Object(map)
    }

    // ---- unions ---------------------------------------------------------------------------------------------------------

    /// The one branch of a union that a value is meant for: by type, then by tag, then by required keys.
    fn branch<'s>(&'s self, schema: &'s Value, value: &Value) -> Option<&'s Value> {
        let branches = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
        let mut fitting: Vec<&Value> =
            branches.iter().map(|branch| resolve(branch, self.definitions)).collect();
        fitting.retain(|branch| fits_type(branch, value));
        for fits in [fits_tag as fn(&Value, &Value) -> bool, has_required] {
            if fitting.len() > 1 {
                fitting.retain(|branch| fits(branch, value));
            }
        }
        match fitting.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// The value under the wrapper, which may be JSON text; without the wrapper, what came.
fn unwrap(mut args: Value) -> Value {
    let inner = match &mut args {
        Value::Object(members) if members.len() == 1 => members.get_mut(WRAPPER).map(Value::take),
        _ => None,
    };
    match inner {
        Some(Value::String(text)) => parse(&text).unwrap_or(Value::String(text)),
        Some(inner) => inner,
        None => args,
    }
}

fn has_entries(schema: &Value) -> bool {
    schema.get("x-entries") == Some(&Value::Bool(true))
}

/// An entry, which has nothing but a text as key, and a value.
fn key_and_value(entry: &Value) -> Option<(String, Value)> {
    let members = entry.as_object().filter(|members| members.len() == 2)?;
    Some((members.get("key")?.as_str()?.to_owned(), members.get("value")?.clone()))
}

fn fits_type(schema: &Value, value: &Value) -> bool {
    let entries = has_entries(schema) && value.is_array();
    let is_of_listed = match (schema.get("type"), schema.get("enum").or_else(|| schema.get("const"))) {
        (Some(Value::String(name)), _) => is_of(value, name),
        (Some(Value::Array(names)), _) => {
            names.iter().filter_map(Value::as_str).any(|name| is_of(value, name))
        }
        (_, Some(Value::Array(values))) => values.contains(value),
        (_, Some(constant)) => constant == value,
        (_, None) => schema.get("properties").is_none() || value.is_object(),
    };
    entries || is_of_listed
}

/// Whether every constant of an object is the value's, in any case.
fn fits_tag(schema: &Value, value: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&NONE);
    let constants = properties.iter().filter_map(|(name, property)| {
        let only = property.get("enum").and_then(Value::as_array).filter(|values| values.len() == 1);
        Some((name, property.get("const").or_else(|| only?.first())?))
    });
    constants.into_iter().all(|(name, constant)| {
        match (constant.as_str(), value.get(name).and_then(Value::as_str)) {
            (Some(tag), Some(given)) => tag.to_lowercase() == given.to_lowercase(),
            _ => value.get(name) == Some(constant),
        }
    })
}

fn has_required(schema: &Value, value: &Value) -> bool {
    schema
        .as_object()
        .is_none_or(|schema| required_names(schema).iter().all(|name| value.get(name).is_some()))
}

fn bad_entries(issues: Vec<ArgIssue>) -> ToolError {
    let total = issues.len();
    args::refused(issues, total).code("bad_entries")
}
