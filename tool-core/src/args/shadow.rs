//! Alternatives of an untagged enum that hide later ones. (arguments.md §5)
//!
//! The schema closes every alternative, so that `{id, name}` is one of `{id, name}` and none of `{id}`. Serde tries the
//! alternatives in order and drops what one does not know: an earlier `{id}` would take it, and the name be lost. It also
//! takes arrays for structs, by position. Whether it does only the type can say: it is asked again with a value that the
//! earlier alternative alone could read.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::coercion::Coerce;
use super::place::Place;
use super::pointer::push_key;
use super::walk::{Around, Role, Walk, is_required};
use crate::schema::form::{self, Union};

/// A value that an earlier alternative may take than the schema says, to be asked about.
pub(super) struct Shadow<'s> {
    /// The union.
    pub(super) schema: &'s Value,
    /// The alternative that may take it.
    earlier: usize,
    /// The pointer to the value.
    pub(super) pointer: String,
    /// What could stand there if it does, and could not if it does not.
    pub(super) telling: Value,
}

/// Values of all kinds, of which hardly any type reads every one.
static SAMPLES: LazyLock<[Value; 8]> = LazyLock::new(|| {
    [json!(true), json!("\0"), json!(-0.5), json!(0), json!(-1), json!([[]]), json!({}), json!({"\0": null})]
});

/// The values below one that an earlier alternative may take; of each union and alternative only the first.
pub(super) fn shadows<'s>(around: Around<'s>, schema: &'s Value, value: &Value) -> Vec<Shadow<'s>> {
    let around = Around { mode: Coerce::Strict, ..around };
    let mut search = Search { around, pointer: String::new(), found: Vec::new() };
    search.value(schema, value);
    search.found
}

/// Whether a schema has a union in which a struct could hide a later alternative.
pub(super) fn may_hide(schema: &Value, definitions: &Map<String, Value>) -> bool {
    let is_object = |case: &&Value| form::resolve(case, definitions).get("properties").is_some();
    let hides = match form::union(schema, definitions) {
        Some(Union::Untagged { cases }) => {
            cases.split_last().is_some_and(|(_, earlier)| earlier.iter().any(is_object))
        }
        _ => false,
    };
    hides
        || match schema {
            Value::Object(parts) => parts.values().any(|part| may_hide(part, definitions)),
            Value::Array(parts) => parts.iter().any(|part| may_hide(part, definitions)),
            _ => false,
        }
}

struct Search<'s> {
    around: Around<'s>,
    pointer: String,
    found: Vec<Shadow<'s>>,
}

impl<'s> Search<'s> {
    fn value(&mut self, schema: &'s Value, value: &Value) {
        let schema = form::resolve(schema, self.around.definitions);
        let schema = form::resolve(form::without_null(schema), self.around.definitions);
        match (form::union(schema, self.around.definitions), value) {
            (Some(Union::Tagged { tag, cases }), Value::Object(members)) => {
                let name = members.get(tag).and_then(Value::as_str);
                if let Some(case) = cases.iter().find(|case| Some(case.0) == name) {
                    self.members(case.1, members);
                }
            }
            (Some(Union::External { cases }), Value::Object(members)) => {
                for (name, content) in members {
                    if let Some((_, Some(schema))) = cases.iter().find(|case| case.0 == name) {
                        self.below(name, schema, content);
                    }
                }
            }
            (Some(Union::Untagged { cases }), _) => self.untagged(schema, &cases, value),
            (None, Value::Object(members)) => self.members(schema, members),
            (None, Value::Array(items)) => self.items(schema, items),
            _ => {}
        }
    }

    fn untagged(&mut self, union: &'s Value, cases: &[&'s Value], value: &Value) {
        let Some(right) = cases.iter().position(|case| self.takes(case, value)) else { return };
        let Some(case) = cases.get(right).map(|case| form::resolve(case, self.around.definitions)) else {
            return;
        };
        for (earlier, other) in cases.iter().take(right).enumerate() {
            if self.found.iter().any(|known| std::ptr::eq(known.schema, union) && known.earlier == earlier) {
                continue;
            }
            let other = form::resolve(other, self.around.definitions);
            let telling = match value {
                Value::Object(members) => self.told_by_member(other, case, members),
                Value::Array(items) => {
                    let later = cases.get(right..).unwrap_or_default();
                    self.told_by_position(union, other, later, items)
                }
                _ => None,
            };
            let pointer = self.pointer.clone();
            self.found.extend(telling.map(|telling| Shadow { schema: union, earlier, pointer, telling }));
        }
        if !std::ptr::eq(case, union) {
            self.value(case, value);
        }
    }

    /// Where an earlier alternative takes a part of the members: all of them, with one of the others as the right
    /// alternative could not read it.
    fn told_by_member(&self, other: &Value, right: &Value, members: &Map<String, Value>) -> Option<Value> {
        let own = other.get("properties")?.as_object()?;
        let (kept, dropped): (Map<String, Value>, Map<String, Value>) =
            members.clone().into_iter().partition(|(key, _)| own.contains_key(key));
        if dropped.is_empty() || !self.takes(other, &Value::Object(kept)) {
            return None;
        }
        let schema = |key| {
            let property = right.get("properties").and_then(|properties| properties.get(key));
            property.or_else(|| right.get("additionalProperties")).filter(|schema| schema.is_object())
        };
        let unreadable = |key| Some(self.samples(schema(key)?, false).next()?.clone());
        let (key, strange) = dropped.keys().find_map(|key| Some((key, unreadable(key)?)))?;
        let mut telling = members.clone();
        telling.insert(key.clone(), strange);
        Some(Value::Object(telling))
    }

    /// Where an earlier alternative takes the items as its fields: other items that only it could read.
    fn told_by_position(
        &self,
        union: &Value,
        other: &Value,
        later: &[&Value],
        items: &[Value],
    ) -> Option<Value> {
        if !self.takes_by_position(other, items) {
            return None;
        }
        let samples = |field| self.samples(field, true).cloned().collect::<Vec<_>>();
        let fields = other.get("properties")?.as_object()?.values();
        let kinds: Vec<Vec<Value>> = fields.take(items.len()).map(samples).collect();
        let first: Vec<Value> = kinds.iter().map(|kinds| kinds.first().cloned()).collect::<Option<_>>()?;
        let others = kinds.iter().enumerate().flat_map(|(i, kinds)| kinds.iter().map(move |kind| (i, kind)));
        let mut varied = others.map(|(i, kind)| {
            let mut varied = first.clone();
            varied.get_mut(i).into_iter().for_each(|item| item.clone_from(kind));
            varied
        });
        let tells = |varied: &Vec<Value>| {
            !self.takes(union, &Value::Array(varied.clone()))
                && later
                    .iter()
                    .all(|case| !self.takes_by_position(form::resolve(case, self.around.definitions), varied))
        };
        varied.find(tells).map(Value::Array)
    }

    /// Whether the items could be the fields of a struct, one after the other. Null is a value there of a field that may
    /// be left out.
    fn takes_by_position(&self, case: &Value, items: &[Value]) -> bool {
        let Some(fields) = case.get("properties").and_then(Value::as_object) else { return false };
        let fits = |((name, field), item): ((&String, &Value), &Value)| {
            self.takes(field, item) || item.is_null() && !is_required(case, name)
        };
        items.len() <= fields.len() && fields.iter().zip(items).all(fits)
    }

    /// The samples that a schema takes, or those that it does not take.
    fn samples(&self, schema: &Value, taken: bool) -> impl Iterator<Item = &'static Value> {
        SAMPLES.iter().filter(move |sample| self.takes(schema, sample) == taken)
    }

    fn members(&mut self, schema: &'s Value, members: &Map<String, Value>) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        for (name, value) in members {
            if let Some(schema) = properties.and_then(|properties| properties.get(name)).or(others) {
                self.below(name, schema, value);
            }
        }
    }

    fn items(&mut self, schema: &'s Value, items: &[Value]) {
        let first = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (i, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(i).or_else(|| schema.get("items")) {
                self.below(&i.to_string(), schema, item);
            }
        }
    }

    fn below(&mut self, key: &str, schema: &'s Value, value: &Value) {
        let length = self.pointer.len();
        push_key(&mut self.pointer, key);
        self.value(schema, value);
        self.pointer.truncate(length);
    }

    /// Whether a schema takes a value as it is.
    fn takes(&self, schema: &Value, value: &Value) -> bool {
        let mut walk = Walk::new(self.around);
        walk.value(schema, value, &Place::Top, Role::Other);
        walk.found.is_clean()
    }
}
