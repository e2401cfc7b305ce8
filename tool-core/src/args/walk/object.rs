//! Objects: structs with their fields, maps with their values.

use serde_json::{Map, Value};

use super::scalar::within;
use super::{Role, Walk};
use crate::args::asked::Strangers;
use crate::args::coerce::{Container, Misfit};
use crate::args::coercion::Rule;
use crate::args::issue::{IssueCode, MAX_ISSUES};
use crate::args::names::Meaning;
use crate::args::place::Place;
use crate::args::pointer::push_key;
use crate::args::{suggest, texts};

impl Walk<'_> {
    pub(super) fn object(&mut self, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        match value {
            Value::Object(members) => self.members(schema, members, value, place, None),
            Value::String(text) if Container::Object.starts(text) => {
                match self.open(Container::Object, text, schema, value, place) {
                    Some(opened) => match opened.as_object() {
                        Some(members) => self.members(schema, members, value, place, None),
                        None => value.clone(),
                    },
                    None => value.clone(),
                }
            }
            _ => self.misfit(Misfit::of_type(value), schema, value, place),
        }
    }

    /// The members of an object: fields in declaration order, then the others in input order. A tag is taken as it is
    /// given here, because the union has read it.
    pub(super) fn members(
        &mut self,
        schema: &Value,
        members: &Map<String, Value>,
        value: &Value,
        place: &Place<'_>,
        tag: Option<(&str, &str)>,
    ) -> Value {
        if !within(schema, "minProperties", "maxProperties", || members.len()) {
            self.refuse(IssueCode::Length, schema, value, place);
        }
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let aliases = self.aliases(schema, properties, members, place, tag);
        let mut taken = Map::with_capacity(members.len());
        for (name, field) in properties {
            let first = match aliases.is_empty() {
                true => members.get_key_value(name),
                false => members.iter().find(|(key, _)| means(&aliases, key, name)),
            };
            match (first, tag) {
                (_, Some((tag, case))) if tag == name => {
                    taken.insert(name.clone(), Value::from(case));
                }
                (Some((key, given)), _) => {
                    let required = is_required(schema, name);
                    self.field(field, required, key, given, place, &mut taken);
                }
                (None, _) if is_required(schema, name) => self.missing(field, &place.pointer_to(name)),
                (None, _) => {}
            }
            if let Some((first, _)) = first.filter(|_| !aliases.is_empty()) {
                self.given_again(name, first, members, &aliases, place);
            }
        }
        self.changed |= !same_order(&taken, members);
        let known = |key: &str| properties.contains_key(key) || aliases.iter().any(|alias| alias.key == key);
        for (name, given) in members.iter().filter(|(name, _)| !known(name)) {
            if let Some(given) = self.other(schema, properties, name, given, place, tag) {
                taken.insert(name.clone(), given);
            }
        }
        Value::Object(taken)
    }

    /// A field that came. Null means the same as leaving it out, unless it must be given or null is a value of it.
    fn field(
        &mut self,
        schema: &Value,
        required: bool,
        key: &str,
        given: &Value,
        place: &Place<'_>,
        taken: &mut Map<String, Value>,
    ) {
        let at = Place::Key(place, key);
        if given.is_null() && !required && schema.get("x-keep-null").is_none() {
            if let Err(misfit) = self.apply(Rule::NullToAbsent, &at) {
                self.misfit(misfit, schema, given, &at);
            }
            return;
        }
        let decoded = self.value(schema, given, &at, Role::Other);
        taken.insert(key.to_owned(), decoded);
    }

    /// The keys that are aliases of fields. What only the type could tell is noted, to be asked about.
    fn aliases<'m>(
        &mut self,
        schema: &Value,
        properties: &Map<String, Value>,
        members: &'m Map<String, Value>,
        place: &Place<'_>,
        tag: Option<(&str, &str)>,
    ) -> Vec<Alias<'m>> {
        let mut aliases: Vec<Alias<'m>> = Vec::new();
        let mut strangers = Vec::new();
        for (key, value) in members.iter().filter(|(key, _)| !properties.contains_key(*key)) {
            let own = properties.keys().map(String::as_str);
            let path = || {
                let mut path = place.pointer();
                push_key(&mut path, key);
                path
            };
            let meaning = self.names.meaning(own, key, path);
            if matches!(meaning, Meaning::Either(..) | Meaning::Unknown) && strangers.len() < MAX_ISSUES {
                strangers.push((key, value));
            }
            let free = |field: &&str| {
                !members.contains_key(*field) && aliases.iter().all(|alias| alias.field != *field)
            };
            let field = match meaning {
                Meaning::Field(field) => field,
                Meaning::Either(before, after) => {
                    [before, after].into_iter().find(free).unwrap_or(before).to_owned()
                }
                Meaning::Unknown => continue,
            };
            aliases.push(Alias { key, field });
        }
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        if closed && !strangers.is_empty() && !self.found.is_quiet() && self.strangers.len() < MAX_ISSUES {
            self.strangers.push(Strangers {
                object: place.pointer(),
                tag: tag.map(|(tag, case)| (tag.to_owned(), case.to_owned())),
                schema: schema.clone(),
                keys: strangers.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
            });
        }
        aliases
    }

    /// Reports the keys that mean a field which came before them under another one.
    fn given_again(
        &mut self,
        field: &str,
        first: &str,
        members: &Map<String, Value>,
        aliases: &[Alias<'_>],
        place: &Place<'_>,
    ) {
        for key in members.keys().filter(|key| *key != first && means(aliases, key, field)) {
            self.found.issue(IssueCode::Duplicate, || {
                let (expected, got) = twice(field, first);
                (place.pointer_to(key), expected, got, None)
            });
        }
    }

    /// Reports a required field that did not come.
    pub(super) fn missing(&mut self, schema: &Value, path: &str) {
        let definitions = self.around.definitions;
        self.found.issue(IssueCode::Missing, || {
            (path.to_owned(), texts::expected(schema, definitions), "nothing".to_owned(), None)
        });
    }

    /// A member that no property describes.
    fn other(
        &mut self,
        schema: &Value,
        properties: &Map<String, Value>,
        name: &str,
        given: &Value,
        place: &Place<'_>,
        tag: Option<(&str, &str)>,
    ) -> Option<Value> {
        let at = Place::Key(place, name);
        let by_pattern = schema.get("patternProperties").and_then(Value::as_object);
        let values = self.around.patterns.values_of(schema, name);
        match values.or_else(|| schema.get("additionalProperties")) {
            None | Some(Value::Bool(true)) => Some(given.clone()),
            Some(Value::Bool(false)) => {
                let fields = || {
                    properties
                        .keys()
                        .map(String::as_str)
                        .filter(move |name| tag.is_none_or(|tag| tag.0 != *name))
                };
                let got = self.got(given);
                self.found.issue(IssueCode::Unknown, || {
                    let spelt = self.names.fields.aliases(properties.keys().map(String::as_str));
                    let spelt = spelt.into_iter().filter(|(field, _)| fields().any(|name| name == *field));
                    let nearest = suggest::suggest(name, fields().map(|field| (field, field)).chain(spelt));
                    let expected = match by_pattern.filter(|_| properties.is_empty()) {
                        Some(patterns) => keys_matching(patterns),
                        None => one_of("fields", fields()),
                    };
                    (at.pointer(), expected, got(), suggest::did_you_mean(&nearest))
                });
                None
            }
            Some(values) => Some(self.value(values, given, &at, Role::Other)),
        }
    }
}

/// A key that serde takes for a field of another name.
struct Alias<'m> {
    key: &'m str,
    field: String,
}

/// Whether a key is the name of a field or one of its aliases.
fn means(aliases: &[Alias<'_>], key: &str, field: &str) -> bool {
    key == field || aliases.iter().any(|alias| alias.key == key && alias.field == field)
}

/// What is expected and what came where a second key means the same field: `` `path` once ``, `` also given as `file` ``.
pub(in crate::args) fn twice(name: &str, first: &str) -> (String, String) {
    (format!("`{name}` once"), format!("also given as `{first}`"))
}

/// Whether an object must have a property.
pub(in crate::args) fn is_required(object: &Value, name: &str) -> bool {
    let required = object.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|one| one == name))
}

/// The most names that are listed.
const LISTED: usize = 12;

/// `one of the fields a, b`; at most twelve, then `…`; `no fields`.
pub fn one_of<'n>(what: &str, names: impl Iterator<Item = &'n str>) -> String {
    let mut names = names.peekable();
    if names.peek().is_none() {
        return format!("no {what}");
    }
    let mut listed: Vec<&str> = names.by_ref().take(LISTED).collect();
    if names.next().is_some() {
        listed.push("…");
    }
    format!("one of the {what} {}", listed.join(", "))
}

/// `a key matching A or B`: what a map takes whose keys are no names.
fn keys_matching(patterns: &Map<String, Value>) -> String {
    let patterns: Vec<&str> = patterns.keys().map(String::as_str).collect();
    format!("a key matching {}", patterns.join(" or "))
}

/// Whether the keys that were taken came in the order in which they were taken.
fn same_order(taken: &Map<String, Value>, members: &Map<String, Value>) -> bool {
    taken.keys().eq(members.keys().take(taken.len()))
}
