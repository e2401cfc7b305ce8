//! The short way from text to values, for a call that has nothing wrong and nothing to coerce.
//!
//! It splits the text of an object into one slice per parameter and lets serde_json read each slice as the parameter's
//! type: no tree, no notes, no issues. Whatever it is not sure of, it gives up on; the caller then starts again with
//! [`super::parse`] and the full decoder, which has the say on everything that is not plainly right.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::bounds::Limits;
use super::parse::MAX_ARGS_BYTES;
use crate::def::{ParamDef, ParamKind, ToolDef};

/// Numbers up to this many characters, without an exponent, mean the same to every number type that takes them.
const PLAIN_NUMBER: usize = 18;

/// The slices of one call.
#[derive(Debug)]
pub(super) struct Direct<'a> {
    params: &'a [ParamDef<'a>],
    slices: Vec<Option<&'a str>>,
    gave_up: bool,
}

impl<'a> Direct<'a> {
    /// Splits a text; `None` where this is not the way for the tool or the text.
    pub(super) fn split(tool: &'a ToolDef<'a>, text: &'a str) -> Option<Direct<'a>> {
        let suits = tool.input.is_none() && tool.constraints.is_empty() && tool.params.iter().all(suits);
        if !suits || text.len() > MAX_ARGS_BYTES {
            return None;
        }
        let mut parser = serde_json::Deserializer::from_str(text);
        let slices = parser.deserialize_map(Split(tool.params)).ok()?;
        parser.end().ok()?;
        Some(Direct { params: tool.params, slices, gave_up: false })
    }

    /// Whether some parameter was not plainly right.
    pub(super) fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// The value of parameter `i`; `default` where it has one and was left out.
    pub(super) fn take<T: DeserializeOwned>(&mut self, i: usize, default: Option<fn() -> T>) -> Option<T> {
        let value = self.read(i, default);
        self.gave_up |= value.is_none();
        value
    }

    fn read<T: DeserializeOwned>(&self, i: usize, default: Option<fn() -> T>) -> Option<T> {
        let (param, slice) = (self.params.get(i)?, *self.slices.get(i)?);
        match (slice, default) {
            (Some(slice), _) if is_plain(slice, param) => T::deserialize(Slice(slice)).ok(),
            (Some(_), _) => None,
            (None, Some(default)) => Some(default()),
            (None, None) if param.is_required() || param.default.is_some() => None,
            (None, None) => T::deserialize(Slice(left_out(param.kind))).ok(),
        }
    }
}

/// Whether a parameter's type alone says what it takes, one key at a time.
fn suits(param: &ParamDef<'_>) -> bool {
    param.simple
        && !param.flatten
        && param.bounds.pattern.is_none()
        && param.conflicts_with.is_empty()
        && param.requires.is_empty()
}

/// What a parameter that was left out is, as text.
fn left_out(kind: ParamKind) -> &'static str {
    match kind {
        ParamKind::Flag => "false",
        ParamKind::List => "[]",
        ParamKind::Required | ParamKind::Optional | ParamKind::Nullable => "null",
    }
}

/// Whether a slice means the same to serde_json as to the full decoder, if serde_json takes it at all, and keeps to the
/// parameter's bounds.
fn is_plain(slice: &str, param: &ParamDef<'_>) -> bool {
    let limits = Limits::of(&param.bounds);
    match slice.as_bytes() {
        [b'"', .., b'"'] if param.bounds.is_none() => true,
        [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => {
            let text = slice.get(1..slice.len() - 1).unwrap_or_default();
            let chosen = param.bounds.choices.is_empty() || param.bounds.choices.contains(&text);
            chosen && limits.admit_text(text)
        }
        [b'-' | b'0'..=b'9', ..] => {
            is_plain_number(slice) && (param.bounds.is_none() || admits_number(slice, limits))
        }
        [b'[', b'"' | b']', ..] => param.bounds.is_none(),
        [b'[', inner @ .., b']'] => {
            param.bounds.is_none()
                && !inner.contains(&b'{')
                && inner.split(|byte| *byte == b',').all(|item| {
                    std::str::from_utf8(item).is_ok_and(is_plain_number)
                        || !item.iter().any(u8::is_ascii_digit)
                })
        }
        [b't' | b'f', ..] => true,
        _ => false,
    }
}

/// Whether no number type reads it otherwise than it is written: few digits and no exponent.
fn is_plain_number(slice: &str) -> bool {
    slice.len() <= PLAIN_NUMBER && slice != "-0" && !slice.contains(['e', 'E'])
}

fn admits_number(slice: &str, limits: Limits<'_>) -> bool {
    slice.parse().is_ok_and(|integer| limits.admit_integer(integer))
}

/// Reads one slice: scalars as they stand, everything else through serde_json.
struct Slice<'de>(&'de str);

impl<'de> Deserializer<'de> for Slice<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0.as_bytes() {
            b"true" => visitor.visit_bool(true),
            b"false" => visitor.visit_bool(false),
            b"null" => visitor.visit_unit(),
            [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => {
                visitor.visit_borrowed_str(self.0.get(1..self.0.len() - 1).unwrap_or_default())
            }
            [b'-' | b'0'..=b'9', ..] => {
                if let Ok(natural) = self.0.parse() {
                    visitor.visit_u64(natural)
                } else if let Ok(integer) = self.0.parse() {
                    visitor.visit_i64(integer)
                } else {
                    visitor.visit_f64(self.0.parse().map_err(serde::de::Error::custom)?)
                }
            }
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.0 == "null" { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let mut parser = serde_json::Deserializer::from_str(self.0);
        let value = parser.deserialize_any(visitor)?;
        parser.end().map(|()| value)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// Reads an object into one slice per parameter; refuses a key that is no parameter's, or comes twice.
struct Split<'a>(&'a [ParamDef<'a>]);

impl<'de> Visitor<'de> for Split<'_> {
    type Value = Vec<Option<&'de str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of known keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut slices = vec![None; self.0.len()];
        let mut next = 0;
        while let Some(Key(key)) = map.next_key()? {
            let expected = self.0.get(next).is_some_and(|param| param.name == key);
            let found = if expected {
                Some(next)
            } else {
                self.0.iter().position(|param| param.names().any(|name| name == key))
            };
            let slot =
                found.and_then(|i| slices.get_mut(i)).filter(|slot: &&mut Option<&str>| slot.is_none());
            let Some(slot) = slot else { return Err(serde::de::Error::custom("another key")) };
            *slot = Some(map.next_value::<&'de RawValue>()?.get());
            next = found.map_or(0, |i| i + 1);
        }
        Ok(slices)
    }
}

/// A key without escapes.
struct Key<'de>(&'de str);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowed<'de>(PhantomData<&'de str>);
        impl<'de> Visitor<'de> for Borrowed<'de> {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key without escapes")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(key))
            }
        }
        deserializer.deserialize_str(Borrowed(PhantomData))
    }
}
