//! Flattened parameters: whose keys stand at the root beside the other parameters. (arguments.md §3, definition.md §7)
//!
//! Keys go to the parameter that has them as a name when a call begins. Aliases of serde are known once the type is, that
//! is when the parameter is taken; what no name claimed is then looked through. A name thus wins over an alias, whichever
//! parameter has it, and of two parameters with one alias the one that is declared first.

use serde_json::{Map, Value};

use super::asked::{Asking, Strangers};
use super::coerce;
use super::decode::Given;
use super::issue::MAX_ISSUES;
use super::names::Names;
use super::place::Place;
use super::typed::Typed;
use super::whole::{Whole, given_twice};
use crate::schema::form::{self, Union};

/// Other words for the fields of a flattened parameter.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Keys that came, each with the field it means.
    came: Vec<(String, String)>,
    /// Words that may come, each behind its field.
    known: Vec<(&'static str, &'static str)>,
}

impl Words {
    /// The own name of the field that a key means.
    pub(super) fn own_name<'k>(&'k self, key: &'k str) -> &'k str {
        self.came.iter().find(|(came, _)| came == key).map_or(key, |(_, field)| field)
    }

    /// What else a field is called, as far as the type tells.
    pub(super) fn aliases<'k>(&'k self, name: &'k str) -> impl Iterator<Item = &'k str> {
        self.known.iter().filter(move |(field, _)| *field == name).map(|(_, word)| *word)
    }
}

impl Whole<'_> {
    /// Gives a flattened parameter the keys that are aliases of its fields, from those that no name claimed.
    pub(super) fn adopt(&mut self, i: usize, reading: &mut dyn Typed) {
        if self.unknown.is_empty() {
            return;
        }
        let Some(param) = self.params.get(i).filter(|param| param.keys.flatten).copied() else { return };
        let Some(shape) = self.shape() else { return };
        let Some(slot) = self.slots.get_mut(i).filter(|slot| !slot.withheld) else { return };
        let Some(Value::Object(mut members)) = slot.given.take() else { return };
        let value = Value::Object(members.clone());
        let given = Given { i, param, value: &value, place: &Place::Top, mode: self.mode };
        let names = given.by_type(reading).1.names;
        let mut words = Words::default();
        let mut asking = Asking::new(&given, shape, reading);
        let flat = Flat::new(shape.param(i, &param), shape.definitions());
        for (tag, case) in flat.cases_of(&value) {
            words.known.extend(names.fields.aliases(fields_of(case).map(|(name, _)| name.as_str())));
            words.came.extend(asked(&mut asking, tag, case, &self.unknown, &names));
        }
        for (key, field) in &words.came {
            let Some(at) = self.unknown.iter().position(|(unknown, _)| unknown == key) else { continue };
            let (key, value) = self.unknown.remove(at);
            match members.keys().find(|given| words.own_name(given) == field) {
                Some(first) => self.issues.push((i, given_twice(field, first, &key))),
                None => {
                    members.insert(key, value);
                }
            }
        }
        if let Some(slot) = self.slots.get_mut(i) {
            slot.given = Some(Value::Object(members));
            slot.words = Some(Box::new(words));
        }
    }
}

/// The keys that mean a field of one case, each with that field.
fn asked(
    asking: &mut Asking<'_, '_, '_>,
    tag: Option<(&str, &str)>,
    case: &Value,
    unknown: &[(String, Value)],
    names: &Names,
) -> Vec<(String, String)> {
    let strangers = Strangers {
        object: String::new(),
        tag: tag.map(|(tag, case)| (tag.to_owned(), case.to_owned())),
        schema: case.clone(),
        keys: unknown.iter().take(MAX_ISSUES).cloned().collect(),
    };
    let told = asking.told(&strangers, names);
    let key_of = |path: &str| strangers.keys.iter().find(|(key, _)| strangers.path(key) == path);
    told.into_iter().filter_map(|told| Some((key_of(&told.path)?.0.clone(), told.field))).collect()
}

/// The keys of a flattened struct or internally tagged enum.
pub(super) struct Flat<'s> {
    tag: Option<&'s str>,
    /// Name of the case (a struct has one without) and its object.
    cases: Vec<(&'s str, &'s Value)>,
    /// Every key at the root belongs to it: a union whose cases nothing tells apart.
    open: bool,
}

impl<'s> Flat<'s> {
    pub(super) fn new(schema: &'s Value, definitions: &'s Map<String, Value>) -> Flat<'s> {
        let schema = form::resolve(schema, definitions);
        match form::union(schema, definitions) {
            Some(Union::Tagged { tag, cases }) => Flat { tag: Some(tag), cases, open: false },
            Some(_) => Flat { tag: None, cases: Vec::new(), open: true },
            None => Flat { tag: None, cases: vec![("", schema)], open: false },
        }
    }

    /// Takes the members that belong to it out of those that are left.
    ///
    /// With a usable tag these are the fields of its case; without one those of any case, because only the tag is
    /// reported then.
    pub(super) fn collect(&self, rest: &mut Vec<(String, Value)>) -> Map<String, Value> {
        if self.open {
            return rest.drain(..).collect();
        }
        let case = self.case(rest);
        let keys: Vec<&str> = self.keys_of(case).collect();
        let belongs = |(key, _): &mut (String, Value)| keys.contains(&key.as_str());
        rest.extract_if(.., belongs).collect()
    }

    /// Every key that may be given: those of the case that the members name, else of all cases.
    pub(super) fn keys<'k>(&'k self, object: &Value) -> Vec<&'s str> {
        let case = self.tag.and_then(|tag| object.get(tag)).and_then(|given| self.named(given));
        let mut keys: Vec<&str> = Vec::new();
        for key in self.keys_of(case) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// The case that the members name, else every case, each with its tag.
    fn cases_of<'k>(
        &'k self,
        object: &Value,
    ) -> impl Iterator<Item = (Option<(&'s str, &'s str)>, &'s Value)> + use<'k, 's> {
        let named = self.tag.and_then(|tag| object.get(tag)).and_then(|given| self.named(given));
        let cases =
            self.cases.iter().filter(move |case| named.is_none_or(|named| std::ptr::eq(named, case.1)));
        cases.map(|(name, case)| (self.tag.map(|tag| (tag, *name)), *case))
    }

    fn case(&self, members: &[(String, Value)]) -> Option<&'s Value> {
        let tag = self.tag?;
        let given = members.iter().find(|(key, _)| key == tag)?;
        self.named(&given.1)
    }

    fn named(&self, given: &Value) -> Option<&'s Value> {
        let name = coerce::choice(given.as_str()?, self.cases.iter().map(|case| case.0))?.value;
        self.cases.iter().find(|case| case.0 == name).map(|case| case.1)
    }

    fn keys_of<'k>(&'k self, case: Option<&'s Value>) -> impl Iterator<Item = &'s str> + use<'k, 's> {
        let cases = self
            .cases
            .iter()
            .map(|case| case.1)
            .filter(move |one| case.is_none_or(|case| std::ptr::eq(*one, case)));
        cases.flat_map(fields_of).map(|(name, _)| name.as_str())
    }
}

/// The fields of an object, by its schema.
fn fields_of(schema: &Value) -> impl Iterator<Item = (&String, &Value)> + Clone {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}
