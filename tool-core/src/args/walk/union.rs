//! Unions: tagged, external and untagged alternatives, and lists of types.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{Found, Role, Walk};
use crate::args::coerce::{self, Container, Misfit, Read};
use crate::args::coercion::Notes;
use crate::args::issue::IssueCode;
use crate::args::place::Place;

use crate::schema::form::{self, Union};

/// How an alternative takes a value; `None` when it does not.
type Attempt = Option<Taken>;

#[derive(Clone)]
pub(super) struct Taken {
    value: Value,
    notes: Notes,
    changed: bool,
}

/// Schema and value by address, and which alternative.
type Key = (*const Value, *const Value, Role, usize);

/// Alternatives that were tried: unions inside unions would try them again and again.
pub(super) type Tried = HashMap<Key, Attempt>;

/// The alternatives that take a value.
#[derive(Default)]
struct Fits {
    plain: Vec<Taken>,
    noted: Vec<Taken>,
}

impl Fits {
    fn add(&mut self, attempt: Attempt) {
        match attempt {
            Some(taken) if taken.notes.is_empty() => self.plain.push(taken),
            Some(taken) => self.noted.push(taken),
            None => {}
        }
    }
}

impl Walk<'_> {
    pub(super) fn union(
        &mut self,
        schema: &Value,
        union: &Union<'_>,
        value: &Value,
        place: &Place<'_>,
        role: Role,
    ) -> Value {
        match union {
            Union::Tagged { tag, cases } => self.tagged(schema, tag, cases, value, place),
            Union::External { cases } => self.external(schema, cases, value, place),
            Union::Untagged { cases } => {
                let exclusive = schema.get("oneOf").is_some();
                self.untagged(schema, cases, exclusive, value, place, role)
            }
        }
    }

    // ---- tagged -----------------------------------------------------------------------------------------------------

    fn tagged(
        &mut self,
        schema: &Value,
        tag: &str,
        cases: &[(&str, &Value)],
        value: &Value,
        place: &Place<'_>,
    ) -> Value {
        match value {
            Value::Object(members) => self.tagged_members(tag, cases, members, value, place),
            Value::String(text) if Container::Object.starts(text) => {
                let opened = self.open(Container::Object, text, schema, value, place);
                match opened.as_deref().and_then(Value::as_object) {
                    Some(members) => self.tagged_members(tag, cases, members, value, place),
                    None => value.clone(),
                }
            }
            _ => self.misfit(Misfit::of_type(value), schema, value, place),
        }
    }

    fn tagged_members(
        &mut self,
        tag: &str,
        cases: &[(&str, &Value)],
        members: &Map<String, Value>,
        value: &Value,
        place: &Place<'_>,
    ) -> Value {
        match self.tag(tag, cases, members, place) {
            Some((name, case)) => self.members(case, members, value, place, Some((tag, name))),
            None => value.clone(),
        }
    }

    /// The case that a tag names; `None` where the tag is reported.
    fn tag<'c>(
        &mut self,
        tag: &str,
        cases: &[(&'c str, &'c Value)],
        members: &Map<String, Value>,
        place: &Place<'_>,
    ) -> Option<(&'c str, &'c Value)> {
        let at = Place::Key(place, tag);
        let names = serde_json::json!({"enum": cases.iter().map(|case| case.0).collect::<Vec<_>>()});
        let Some(given) = members.get(tag) else {
            self.missing(&names, &at.pointer());
            return None;
        };
        let Value::String(text) = given else {
            self.misfit(Misfit::of_type(given), &names, given, &at);
            return None;
        };
        let found = coerce::choice(text, cases.iter().map(|case| case.0));
        let name = match found {
            Some(Read { value, rule: None }) => Some(value),
            Some(Read { value, rule: Some(rule) }) => self.apply(rule, &at).ok().map(|()| value),
            None => None,
        };
        if name.is_none() {
            if coerce::is_blank(text) {
                self.misfit(Misfit::of_type(given), &names, given, &at);
            } else {
                self.not_a_choice(&names, cases.iter().map(|case| case.0), text, given, &at);
            }
        }
        cases.iter().find(|case| Some(case.0) == name).copied()
    }

    // ---- external ---------------------------------------------------------------------------------------------------

    fn external(
        &mut self,
        schema: &Value,
        cases: &[(&str, Option<&Value>)],
        value: &Value,
        place: &Place<'_>,
    ) -> Value {
        let names = || cases.iter().map(|case| case.0);
        match value {
            Value::String(text) => {
                let units = cases.iter().filter(|case| case.1.is_none()).map(|case| case.0);
                if self.names.cases.has_alias(names(), text) {
                    return value.clone();
                }
                match coerce::choice(text, units) {
                    Some(Read { value: name, rule: None }) => Value::from(name),
                    Some(Read { value: name, rule: Some(rule) }) if self.apply(rule, place).is_ok() => {
                        Value::from(name)
                    }
                    None if Container::Object.starts(text) => {
                        match self.open(Container::Object, text, schema, value, place) {
                            Some(opened) => match opened.as_object() {
                                Some(members) => self.data_case(schema, cases, members, &opened, place),
                                None => value.clone(),
                            },
                            None => value.clone(),
                        }
                    }
                    None if coerce::is_blank(text) => {
                        self.misfit(Misfit::of_type(value), schema, value, place)
                    }
                    _ => self.not_a_choice(schema, names(), text, value, place),
                }
            }
            Value::Object(members) => self.data_case(schema, cases, members, value, place),
            _ => self.misfit(Misfit::TYPE, schema, value, place),
        }
    }

    /// An object of one key, which names a case with data.
    fn data_case(
        &mut self,
        schema: &Value,
        cases: &[(&str, Option<&Value>)],
        members: &Map<String, Value>,
        value: &Value,
        place: &Place<'_>,
    ) -> Value {
        let names = || cases.iter().map(|case| case.0);
        let mut members = members.iter();
        let (Some((key, given)), None) = (members.next(), members.next()) else {
            return self.misfit(Misfit::TYPE, schema, value, place);
        };
        let at = Place::Key(place, key);
        let content = |name: &str| cases.iter().find(|case| case.0 == name).and_then(|case| case.1);
        let aliased = self.names.cases.aliased(names(), key);
        let (name, spelt) = match (coerce::choice(key, names()), aliased.as_slice()) {
            (Some(Read { value: name, rule: None }), _) => (name, name),
            // A word between two cases names the one that takes what came with it.
            (_, [first, ..]) => {
                let takes = |name: &&&str| content(name).is_some_and(|case| self.takes(case, given, &at));
                (*aliased.iter().find(takes).unwrap_or(first), key.as_str())
            }
            (Some(Read { value: name, rule: Some(rule) }), _) if self.apply(rule, &at).is_ok() => {
                (name, name)
            }
            _ => return self.not_a_choice(schema, names(), key, value, place),
        };
        let Some(content) = content(name) else { return self.misfit(Misfit::TYPE, schema, value, place) };
        let decoded = self.value(content, given, &at, Role::Other);
        Value::Object(Map::from_iter([(spelt.to_owned(), decoded)]))
    }

    /// Whether a schema takes a value, coerced or not.
    fn takes(&mut self, schema: &Value, value: &Value, place: &Place<'_>) -> bool {
        let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value), Role::Other, 0);
        self.attempt(key, |walk| walk.value(schema, value, place, Role::Other)).is_some()
    }

    // ---- untagged ---------------------------------------------------------------------------------------------------

    /// The first alternative without a note, else the only one with notes. (arguments.md §5)
    fn untagged(
        &mut self,
        schema: &Value,
        cases: &[&Value],
        exclusive: bool,
        value: &Value,
        place: &Place<'_>,
        role: Role,
    ) -> Value {
        let mut fits = Fits::default();
        for (index, case) in cases.iter().enumerate() {
            let key = (std::ptr::from_ref(*case), std::ptr::from_ref(value), role, index);
            fits.add(self.attempt(key, |walk| walk.value(case, value, place, role)));
            if !exclusive && !fits.plain.is_empty() {
                break;
            }
        }
        self.fitting(fits, schema, value, place)
    }

    /// A schema that names several types is a union of them.
    pub(super) fn any_of_types(
        &mut self,
        schema: &Value,
        value: &Value,
        place: &Place<'_>,
        role: Role,
    ) -> Value {
        let mut fits = Fits::default();
        for (index, name) in form::types(schema).enumerate() {
            let key = (std::ptr::from_ref(schema), std::ptr::from_ref(value), role, index);
            fits.add(self.attempt(key, |walk| walk.typed(name, schema, value, place, role)));
            if !fits.plain.is_empty() {
                break;
            }
        }
        self.fitting(fits, schema, value, place)
    }

    fn fitting(&mut self, mut fits: Fits, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        let several = fits.plain.len() > 1 || (fits.plain.is_empty() && fits.noted.len() > 1);
        match fits.plain.pop().or_else(|| fits.noted.pop()) {
            Some(_) if several => self.refuse(IssueCode::Ambiguous, schema, value, place),
            Some(taken) => {
                self.changed |= taken.changed;
                self.found.notes.extend(taken.notes);
                taken.value
            }
            None => self.misfit(Misfit::of_type(value), schema, value, place),
        }
    }

    /// How one alternative takes a value, if it does.
    fn attempt(&mut self, key: Key, decode: impl FnOnce(&mut Self) -> Value) -> Attempt {
        if let Some(known) = self.tried.get(&key) {
            return known.clone();
        }
        let outer = std::mem::replace(&mut self.found, Found::quiet());
        let changed = std::mem::take(&mut self.changed);
        let value = decode(self);
        let found = std::mem::replace(&mut self.found, outer);
        let changed = std::mem::replace(&mut self.changed, changed);
        let attempt = found.is_clean().then(|| Taken { value, notes: found.notes, changed });
        self.tried.insert(key, attempt.clone());
        attempt
    }
}
