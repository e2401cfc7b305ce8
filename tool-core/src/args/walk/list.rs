//! Arrays: lists, sets, tuples and arrays of a fixed length.

use std::collections::HashSet;

use serde_json::Value;

use super::scalar::within;
use super::{Role, Walk};
use crate::args::coerce::{self, Container, Misfit};
use crate::args::coercion::Rule;
use crate::args::compare::key_of;
use crate::args::issue::IssueCode;
use crate::args::place::Place;
use crate::args::texts;

impl Walk<'_> {
    pub(super) fn array(&mut self, schema: &Value, value: &Value, place: &Place<'_>, role: Role) -> Value {
        match value {
            Value::Array(items) => self.items(schema, items, value, place),
            Value::String(text) if Container::Array.starts(text) => {
                match self.open(Container::Array, text, schema, value, place) {
                    Some(opened) => {
                        self.items(schema, opened.as_array().map_or(&[], Vec::as_slice), value, place)
                    }
                    None => value.clone(),
                }
            }
            Value::Null => self.misfit(Misfit::TYPE, schema, value, place),
            Value::String(text) if coerce::is_blank(text) => {
                self.misfit(Misfit::of_type(value), schema, value, place)
            }
            _ if role == Role::Item || is_fixed(schema) => self.misfit(Misfit::TYPE, schema, value, place),
            _ => self.single(schema, value, place),
        }
    }

    /// The items of an array by their position.
    fn items(&mut self, schema: &Value, items: &[Value], value: &Value, place: &Place<'_>) -> Value {
        let prefix = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if !within(schema, "minItems", "maxItems", || items.len()) {
            self.refuse(IssueCode::Length, schema, value, place);
            if !prefix.is_empty() {
                return value.clone();
            }
        }
        let rest = schema.get("items");
        let distinct = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let mut seen = HashSet::new();
        let mut taken = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = Place::Item(place, index);
            let issues = self.found.count();
            let decoded = match prefix.get(index).or(rest) {
                Some(schema) => self.value(schema, item, &at, Role::Item),
                None => item.clone(),
            };
            if distinct && self.found.count() == issues && !seen.insert(key_of(&decoded)) {
                let got = self.got(item);
                self.found
                    .issue(IssueCode::Duplicate, || (at.pointer(), "each item once".to_owned(), got(), None));
            }
            taken.push(decoded);
        }
        Value::Array(taken)
    }

    /// An array of one, from a value that is none. Its issues keep the path that the caller wrote.
    fn single(&mut self, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        if let Err(misfit) = self.apply(Rule::SingleToArray, place) {
            return self.misfit(misfit, schema, value, place);
        }
        if !within(schema, "minItems", "maxItems", || 1) {
            return self.refuse(IssueCode::Length, schema, value, place);
        }
        let known = self.found.issues.len();
        let at = Place::Single(place);
        let item = match schema.get("prefixItems").and_then(|prefix| prefix.get(0)).or(schema.get("items")) {
            Some(schema) => self.value(schema, value, &at, Role::Item),
            None => value.clone(),
        };
        let definitions = self.around.definitions;
        for issue in self.found.issues.iter_mut().skip(known) {
            if issue.code == IssueCode::Type && issue.path == place.pointer() {
                issue.expected = texts::expected(schema, definitions);
            }
        }
        Value::Array(vec![item])
    }
}

/// Whether every array of a schema has the same number of items.
fn is_fixed(schema: &Value) -> bool {
    let least = schema.get("minItems").and_then(Value::as_u64);
    least.is_some() && least == schema.get("maxItems").and_then(Value::as_u64)
}
