//! Lists, tuples, maps and structs of the decoder by type.

use std::collections::BTreeSet;
use std::slice;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::key::Key;
use super::{Lenient, Outcome, Refusal, Role, Trace};
use crate::args::bounds::Limits;
use crate::args::coerce::{self, Container, Misfit, Unopened, is_blank};
use crate::args::coercion::Rule;
use crate::args::issue::IssueCode;
use crate::args::place::Place;

impl<'v, 's> Lenient<'v, 's> {
    /// The items of an array that stands at this value's place.
    pub(super) fn items<'x>(self, items: &'x [Value]) -> Items<'x, 's> {
        Items {
            items: items.iter().enumerate(),
            place: self.place,
            limits: self.limits.items(),
            trace: self.trace,
        }
    }

    /// The members of an object that stands at this value's place.
    pub(super) fn members<'x, I>(self, members: I) -> Members<'x, 's, I>
    where
        I: Iterator<Item = (&'x String, &'x Value)>,
    {
        Members {
            members,
            current: None,
            read: BTreeSet::new(),
            role: Role::Other,
            place: self.place,
            trace: self.trace,
        }
    }

    /// An array of any length; a lone value becomes one.
    pub(super) fn list<'de, V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        let (place, value) = (self.place, self.value);
        if let Some(opened) = self.opened(Container::Array)? {
            let items = opened.as_array().map_or(&[][..], Vec::as_slice);
            return self.counted(items, visitor);
        }
        let wraps = match value {
            Value::Array(items) => return self.counted(items, visitor),
            Value::Null => false,
            Value::String(text) => !is_blank(text),
            _ => true,
        };
        if !wraps || self.role == Role::Item || self.limits.fixed() {
            return Err(self.misfit(Misfit::of_type(value), "array"));
        }
        self.trace.apply(Rule::SingleToArray, place).map_err(|misfit| self.misfit(misfit, "array"))?;
        let single = Place::Single(place);
        let item =
            Single { value: Some(value), place: &single, limits: self.limits.items(), trace: self.trace };
        if !self.limits.admit_count(1) {
            return Err(
                Refusal::new(IssueCode::Length, "array of another length".into(), None).at(place, value)
            );
        }
        visitor.visit_seq(item).map_err(|refusal| refusal.at(place, value))
    }

    fn counted<'de, V: Visitor<'de>>(self, items: &[Value], visitor: V) -> Outcome<V::Value> {
        let (place, value) = (self.place, self.value);
        if !self.limits.admit_count(items.len()) {
            return Err(self.refuse(IssueCode::Length, "array of another length"));
        }
        let mut rest = self.items(items);
        let visited = visitor.visit_seq(&mut rest).map_err(|refusal| refusal.at(place, value))?;
        match rest.items.next() {
            None => Ok(visited),
            Some(_) => {
                Err(Refusal::new(IssueCode::Length, "array of fewer items".into(), None).at(place, value))
            }
        }
    }

    /// An array of a fixed number of items.
    pub(super) fn tuple<'de, V: Visitor<'de>>(mut self, count: usize, visitor: V) -> Outcome<V::Value> {
        let opened = self.opened(Container::Array)?;
        match opened.as_ref().unwrap_or(self.value) {
            Value::Array(items) if items.len() == count => self.counted(items, visitor),
            Value::Array(_) => Err(self.refuse(IssueCode::Length, format!("array of {count} items"))),
            other => Err(self.misfit(Misfit::of_type(other), "array")),
        }
    }

    /// An object with any keys.
    pub(super) fn map<'de, V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        let (place, value) = (self.place, self.value);
        let opened = self.opened(Container::Object)?;
        let members = self.object(opened.as_ref().unwrap_or(value))?;
        if !self.limits.admit_count(members.len()) {
            return Err(self.refuse(IssueCode::Length, "object of another size"));
        }
        visitor.visit_map(self.members(members.iter())).map_err(|refusal| refusal.at(place, value))
    }

    /// An object with these fields and no others; they are visited in declaration order.
    pub(super) fn fields<'de, V: Visitor<'de>>(
        mut self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        let (place, value) = (self.place, self.value);
        self.trace.names.fields.learn(fields);
        let opened = self.opened(Container::Object)?;
        let members = self.object(opened.as_ref().unwrap_or(value))?;
        let visited = if in_order(members, fields) {
            let mut access = self.members(members.iter());
            access.role = Role::Field;
            visitor.visit_map(access)
        } else {
            let Some(sorted) = sorted(members, fields) else {
                return Err(self.refuse(IssueCode::Unknown, "one of the fields"));
            };
            self.trace.changed = true;
            let mut access = self.members(sorted.into_iter());
            access.role = Role::Field;
            visitor.visit_map(access)
        };
        visited.map_err(|refusal| refusal.at(place, value))
    }

    fn object<'x>(&self, value: &'x Value) -> Outcome<&'x Map<String, Value>> {
        value.as_object().ok_or_else(|| self.misfit(Misfit::of_type(self.value), "object"))
    }

    /// The array or object inside a text that starts like one.
    pub(super) fn opened(&mut self, container: Container) -> Outcome<Option<Value>> {
        let Value::String(text) = self.value else { return Ok(None) };
        if !container.starts(text) {
            return Ok(None);
        }
        let applied = self.trace.apply(container.rule(), self.place);
        applied.map_err(|misfit| self.misfit(misfit, "JSON"))?;
        match coerce::open(text, container, self.place.level()) {
            Ok(value) => Ok(Some(value)),
            Err(Unopened::Misfit(misfit)) => Err(self.misfit(misfit, "JSON")),
            Err(Unopened::Twice(_)) => Err(self.refuse(IssueCode::Duplicate, "one value")),
        }
    }
}

/// Whether the keys of an object are fields in declaration order.
fn in_order(members: &Map<String, Value>, fields: &[&str]) -> bool {
    let mut rest = fields.iter();
    members.keys().all(|key| rest.any(|field| field == key))
}

/// The members in the order of the fields; `None` when there are others.
fn sorted<'v>(members: &'v Map<String, Value>, fields: &[&str]) -> Option<Vec<(&'v String, &'v Value)>> {
    let position = |key: &String| fields.iter().position(|field| field == key);
    let mut sorted = Vec::with_capacity(members.len());
    for (key, value) in members {
        sorted.push((position(key)?, (key, value)));
    }
    sorted.sort_by_key(|member| member.0);
    Some(sorted.into_iter().map(|member| member.1).collect())
}

/// The items of an array.
pub(crate) struct Items<'x, 's> {
    items: std::iter::Enumerate<slice::Iter<'x, Value>>,
    place: &'s Place<'s>,
    limits: Limits<'s>,
    trace: &'s mut Trace,
}

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Outcome<Option<T::Value>> {
        let Some((index, value)) = self.items.next() else { return Ok(None) };
        let place = Place::Item(self.place, index);
        let item =
            Lenient { value, place: &place, role: Role::Item, limits: self.limits, trace: &mut *self.trace };
        seed.deserialize(item).map(Some).map_err(|refusal| refusal.at(&place, value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The one item of an array that the caller did not write.
struct Single<'x, 's> {
    value: Option<&'x Value>,
    place: &'s Place<'s>,
    limits: Limits<'s>,
    trace: &'s mut Trace,
}

impl<'de> SeqAccess<'de> for Single<'_, '_> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Outcome<Option<T::Value>> {
        let Some(value) = self.value.take() else { return Ok(None) };
        let item = Lenient {
            value,
            place: self.place,
            role: Role::Item,
            limits: self.limits,
            trace: &mut *self.trace,
        };
        seed.deserialize(item).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(usize::from(self.value.is_some()))
    }
}

/// The members of an object.
pub(crate) struct Members<'x, 's, I> {
    members: I,
    current: Option<(&'x String, &'x Value)>,
    /// The keys that were read as numbers or booleans, each in its one spelling.
    read: BTreeSet<String>,
    role: Role,
    place: &'s Place<'s>,
    trace: &'s mut Trace,
}

impl<'x, 'de, I: Iterator<Item = (&'x String, &'x Value)>> MapAccess<'de> for Members<'x, '_, I> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Outcome<Option<K::Value>> {
        let Some((key, value)) = self.members.next() else { return Ok(None) };
        self.current = Some((key, value));
        let place = Place::Key(self.place, key);
        let mut read = None;
        let taken = seed
            .deserialize(Key { text: key, read: &mut read })
            .map_err(|refusal| refusal.at(&place, value))?;
        // Under another spelling the key would take the place of the first, and that one's value would be lost.
        if read.is_some_and(|read| !self.read.insert(read)) {
            return Err(Refusal::twice(&place));
        }
        Ok(Some(taken))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Outcome<T::Value> {
        let (key, value) =
            self.current.take().ok_or_else(|| <Refusal as de::Error>::custom("a value without a key"))?;
        let place = Place::Key(self.place, key);
        let member =
            Lenient { value, place: &place, role: self.role, limits: Limits::NONE, trace: &mut *self.trace };
        seed.deserialize(member).map_err(|refusal| refusal.at(&place, value))
    }

    fn size_hint(&self) -> Option<usize> {
        match self.members.size_hint() {
            (lower, Some(upper)) if lower == upper => Some(upper),
            _ => None,
        }
    }
}
