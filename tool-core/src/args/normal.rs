//! The normal form: the object that a call means, made on demand from what came. (arguments.md §6)

use serde_json::{Map, Value};

use super::coerce;
use super::coercion::Coerce;
use super::names::Names;
use super::place::Place;
use super::shape;
use super::walk::{Around, Role, Walk};
use super::whole::{Slot, Whole};
use crate::def::{ParamDef, ParamKind};

impl<'a> Whole<'a> {
    /// The object that the call means, made on the first use.
    pub(super) fn normal(&self) -> &Map<String, Value> {
        self.normal.get_or_init(|| self.make_normal())
    }

    pub(super) fn make_normal(&self) -> Map<String, Value> {
        let mut normal = Map::with_capacity(self.params.len());
        for (i, (param, slot)) in self.params.iter().zip(&self.slots).enumerate() {
            match self.normal_value(i, param, slot) {
                // At the root an alias is one of a parameter: policy and journal go by names.
                Some(Value::Object(members)) if param.keys.flatten => {
                    normal.extend(
                        members.into_iter().map(|(key, value)| (slot.own_name(&key).to_owned(), value)),
                    );
                }
                Some(value) => {
                    normal.insert(param.name.to_owned(), value);
                }
                None => {}
            }
        }
        normal.extend(self.open.iter().cloned());
        normal
    }

    fn normal_value(&self, i: usize, param: &ParamDef<'a>, slot: &Slot) -> Option<Value> {
        let null_is_absent = !param.is_required() && !param.null_is_value();
        match (&slot.read, &slot.given) {
            (Some(read), _) => Some(Value::clone(read)),
            (None, Some(Value::Null)) if null_is_absent => self.default_value(i),
            (None, Some(given)) => Some(match &slot.changed {
                Some(names) => self.reread(i, param, given, names),
                None => given.clone(),
            }),
            (None, None) => self.default_value(i),
        }
    }

    /// What a parameter is when it is left out, its numbers written as those that are given.
    pub(super) fn default_value(&self, i: usize) -> Option<Value> {
        let param = self.params.get(i)?;
        let mut value = self.declared_default(i, param)?;
        if !param.keys.any {
            write_whole(&mut value);
        }
        Some(value)
    }

    fn declared_default(&self, i: usize, param: &ParamDef<'a>) -> Option<Value> {
        match (param.default, param.kind) {
            (Some(default), _) => Some(default()),
            (None, ParamKind::Flag) => Some(Value::Bool(false)),
            (None, ParamKind::List) => Some(Value::Array(Vec::new())),
            (None, _) if self.tool.input.is_some() => shape::of(self.tool)
                .ok()?
                .param(i, param)
                .get("default")
                .filter(|value| !value.is_null())
                .cloned(),
            (None, _) => None,
        }
    }

    /// The value of a parameter that its type read otherwise than it came.
    fn reread(&self, i: usize, param: &ParamDef<'a>, given: &Value, names: &Names) -> Value {
        let Ok(shape) = shape::of(self.tool) else { return given.clone() };
        let around = Around {
            definitions: shape.definitions(),
            patterns: shape.patterns(),
            mode: Coerce::Lenient,
            secret: param.keys.secret,
        };
        let key = Place::Key(&Place::Top, param.name);
        let place = if param.keys.flatten { &Place::Top } else { &key };
        Walk::new(around).knowing(names.clone(), None).value(shape.param(i, param), given, place, Role::Other)
    }
}

/// Writes whole doubles up to 2⁵³ as integers.
fn write_whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = coerce::whole(number) {
                *number = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(write_whole),
        Value::Object(members) => members.values_mut().for_each(write_whole),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
