//! The decoder by type: a [`serde::Deserializer`] over a value that coerces when the target type asks for it.
//!
//! It looks at no schema. It knows where it is, notes what it coerced and refuses what arguments.md §4 refuses; when it
//! refuses, [`super::walk`] finds every issue, and the [`Refusal`] stands only where the schema has nothing to say.

mod containers;
mod enums;
mod key;
mod refusal;

use serde::de::{Deserializer, Visitor};
use serde_json::Value;

use super::bounds::Limits;
use super::coerce::{self, Misfit, Read};
use super::coercion::{Coerce, Notes, Rule, Verdict};
use super::issue::IssueCode;
use super::names::Names;
use super::place::Place;
use crate::def::ParamKind;
pub(crate) use refusal::Refusal;

/// What one run of the decoder has to tell besides the value.
#[derive(Debug)]
pub(crate) struct Trace {
    mode: Coerce,
    /// What was coerced, in declaration order.
    pub(crate) notes: Notes,
    /// Whether the normal form differs from what came.
    pub(crate) changed: bool,
    /// Whether serde took a value without saying as what.
    pub(crate) untyped: bool,
    /// The names of fields and cases that were asked for.
    pub(crate) names: Names,
}

impl Trace {
    pub(crate) fn new(mode: Coerce) -> Trace {
        Trace { mode, notes: Notes::default(), changed: false, untyped: false, names: Names::default() }
    }

    /// Notes that the value at a place was read under a rule, where the mode allows it.
    fn apply(&mut self, rule: Rule, place: &Place<'_>) -> Result<(), Misfit> {
        match self.mode.verdict(rule) {
            Verdict::Accept => {}
            Verdict::Note => self.notes.add(|| place.pointer(), rule),
            Verdict::Refuse => return Err(Misfit::TYPE),
        }
        self.changed = true;
        Ok(())
    }
}

/// What a value is part of: null and lone values mean different things there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A parameter of an optional type whose null is a value.
    Nullable,
    /// A field of a struct: null is the same as leaving it out.
    Field,
    /// An item of an array; a lone value is not wrapped there.
    Item,
    /// Anything else.
    Other,
}

impl Role {
    /// The role of a parameter's value.
    pub(crate) fn of(kind: ParamKind) -> Role {
        match kind {
            ParamKind::Nullable => Role::Nullable,
            _ => Role::Other,
        }
    }
}

/// One value on its way into a type.
pub(crate) struct Lenient<'v, 's> {
    pub(crate) value: &'v Value,
    pub(crate) place: &'s Place<'s>,
    pub(crate) role: Role,
    pub(crate) limits: Limits<'s>,
    pub(crate) trace: &'s mut Trace,
}

/// Keys under which `serde_json::Value` reads the text that stands there, instead of the object that was sent: a function
/// would get what no schema, policy or approval has seen.
const RESERVED: [&str; 2] = ["$serde_json::private::RawValue", "$serde_json::private::Number"];

type Outcome<T> = Result<T, Refusal>;

impl Lenient<'_, '_> {
    fn misfit(&self, misfit: Misfit, expected: impl Into<String>) -> Refusal {
        Refusal::new(misfit.code, expected.into(), misfit.hint).at(self.place, self.value)
    }

    fn refuse(&self, code: IssueCode, expected: impl Into<String>) -> Refusal {
        self.misfit(Misfit { code, hint: None }, expected)
    }

    /// The value that was read, once its rule is noted.
    fn accept<T>(&mut self, read: Result<Read<T>, Misfit>, expected: &str) -> Outcome<T> {
        let read = match read {
            Ok(Read { value, rule: None }) => return Ok(value),
            Ok(Read { value, rule: Some(rule) }) => self.trace.apply(rule, self.place).map(|()| value),
            Err(misfit) => Err(misfit),
        };
        read.map_err(|misfit| self.misfit(misfit, expected))
    }

    fn integer(&mut self, least: i128, greatest: i128) -> Outcome<i128> {
        self.trace.changed |= self.value.is_f64();
        let outside = || Refusal::outside(least, greatest).at(self.place, self.value);
        let integer = match coerce::integer(self.value) {
            Ok(Read { value, rule: None }) => value,
            Err(Misfit { code: IssueCode::Range, .. }) => return Err(outside()),
            read => self.accept(read, &format!("integer {least}..={greatest}"))?,
        };
        if integer < least || integer > greatest || !self.limits.admit_integer(integer) {
            return Err(Refusal::outside(least, greatest).at(self.place, self.value));
        }
        Ok(integer)
    }

    fn number(&mut self, greatest: f64) -> Outcome<f64> {
        let read = coerce::number(self.value);
        self.trace.changed |= self.value.is_f64() && read.as_ref().is_ok_and(|read| !read.value.is_f64());
        let number = self.accept(read, "number")?;
        let double = number.as_f64().unwrap_or(f64::NAN);
        if double.abs() > greatest || !self.limits.admit_number(&number) {
            return Err(self.refuse(IssueCode::Range, format!("number -{greatest}..={greatest}")));
        }
        Ok(double)
    }

    fn text<'de, V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        let text = self.accept(coerce::text(self.value), "string")?;
        let text = match self.limits.choice(&text) {
            Ok(None) => text.as_ref(),
            Ok(Some(Read { value, rule: None })) => value,
            Ok(Some(Read { value, rule: Some(rule) })) => {
                let applied = self.trace.apply(rule, self.place);
                applied.map_err(|_| self.refuse(IssueCode::Choice, "one of the choices"))?;
                value
            }
            Err(code) => return Err(self.refuse(code, "one of the choices")),
        };
        if !self.limits.admit_text(text) {
            return Err(self.refuse(IssueCode::Length, "string of another length"));
        }
        visitor.visit_str(text).map_err(|refusal: Refusal| refusal.at(self.place, self.value))
    }

    fn null<'de, V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            other => Err(self.misfit(Misfit::of_type(other), "null")),
        }
    }
}

macro_rules! integers {
    ($($deserialize:ident $type:ident)*) => {
        $(fn $deserialize<V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
            let integer = self.integer(i128::from($type::MIN), i128::from($type::MAX))?;
            let visited = match (u64::try_from(integer), i64::try_from(integer)) {
                (Ok(unsigned), _) => visitor.visit_u64(unsigned),
                (_, Ok(signed)) => visitor.visit_i64(signed),
                _ => visitor.visit_i128(integer),
            };
            visited.map_err(|refusal: Refusal| refusal.at(self.place, self.value))
        })*
    };
}

/// It never borrows from the value, so that it can also read what was opened on the way.
impl<'de> Deserializer<'de> for Lenient<'_, '_> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.trace.untyped = true;
        let (place, value) = (self.place, self.value);
        if let Some(key) = RESERVED.iter().find(|key| value.get(key).is_some()) {
            return Err(self.refuse(IssueCode::Invalid, format!("an object without the key `{key}`")));
        }
        let visited = match value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(boolean) => visitor.visit_bool(*boolean),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(unsigned), ..) => visitor.visit_u64(unsigned),
                (_, Some(signed), _) => visitor.visit_i64(signed),
                (.., double) => visitor.visit_f64(double.unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_str(text),
            Value::Array(items) => visitor.visit_seq(self.items(items)),
            Value::Object(members) => visitor.visit_map(self.members(members.iter())),
        };
        visited.map_err(|refusal| refusal.at(place, value))
    }

    integers! {
        deserialize_i8 i8
        deserialize_i16 i16
        deserialize_i32 i32
        deserialize_i64 i64
        deserialize_u8 u8
        deserialize_u16 u16
        deserialize_u32 u32
        deserialize_u64 u64
    }

    fn deserialize_i128<V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        // What no JSON value holds cannot come: the limits of a caller are those of 64 bits.
        let (least, greatest) = coerce::JSON_INTEGERS;
        let integer = self.integer(least, greatest)?;
        visitor.visit_i128(integer).map_err(|refusal: Refusal| refusal.at(self.place, self.value))
    }

    fn deserialize_u128<V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        let integer = self.integer(0, coerce::JSON_INTEGERS.1)?;
        let visited = visitor.visit_u128(integer.unsigned_abs());
        visited.map_err(|refusal: Refusal| refusal.at(self.place, self.value))
    }

    fn deserialize_f32<V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        let double = self.number(f64::from(f32::MAX))?;
        visitor.visit_f64(double).map_err(|refusal: Refusal| refusal.at(self.place, self.value))
    }

    fn deserialize_f64<V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        let double = self.number(f64::MAX)?;
        visitor.visit_f64(double).map_err(|refusal: Refusal| refusal.at(self.place, self.value))
    }

    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        let boolean = self.accept(coerce::boolean(self.value), "boolean")?;
        visitor.visit_bool(boolean).map_err(|refusal: Refusal| refusal.at(self.place, self.value))
    }

    fn deserialize_char<V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        let text = self.accept(coerce::text(self.value), "string of 1 character")?;
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => {
                visitor.visit_char(character).map_err(|refusal: Refusal| refusal.at(self.place, self.value))
            }
            _ => Err(self.refuse(IssueCode::Length, "string of 1 character")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.text(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        match self.value {
            Value::Array(_) => self.list(visitor),
            _ => self.text(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Outcome<V::Value> {
        match (self.role, self.value) {
            (Role::Nullable, _) => {
                self.role = Role::Other;
                visitor.visit_some(self)
            }
            (Role::Field, Value::Null) => {
                let applied = self.trace.apply(Rule::NullToAbsent, self.place);
                applied.map_err(|misfit| self.misfit(misfit, "a value"))?;
                visitor.visit_none()
            }
            (_, Value::Null) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.null(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Outcome<V::Value> {
        self.null(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Outcome<V::Value> {
        let (place, value) = (self.place, self.value);
        visitor.visit_newtype_struct(self).map_err(|refusal| refusal.at(place, value))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, items: usize, visitor: V) -> Outcome<V::Value> {
        self.tuple(items, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        items: usize,
        visitor: V,
    ) -> Outcome<V::Value> {
        self.tuple(items, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.trace.untyped = true;
        self.map(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        self.fields(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        cases: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        self.case(cases, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.trace.untyped = true;
        visitor.visit_unit()
    }
}
