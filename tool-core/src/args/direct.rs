//! The short way from text to values, for a call that has nothing wrong and nothing to coerce.
//!
//! It splits the text of an object into one slice per parameter and lets serde_json read each slice as the parameter's
//! type: no tree, no notes, no issues. Whatever it is not sure of, it gives up on; the caller then starts again with
//! [`super::parse`] and the full decoder, which has the say on everything that is not plainly right.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use super::bounds::Limits;
use super::parse::MAX_ARGS_BYTES;
use crate::def::{ParamDef, ParamKind, ToolDef};

/// Numbers up to this many characters, without an exponent, mean the same to every number type that takes them.
const PLAIN_NUMBER: usize = 18;

/// Tools with more parameters go the whole way: the slices live in the frame of the call.
const MOST_PARAMS: usize = 16;

/// The slices of one call.
#[derive(Debug)]
pub(super) struct Direct<'a> {
    params: &'a [ParamDef<'a>],
    slices: [Option<&'a str>; MOST_PARAMS],
    gave_up: bool,
}

impl<'a> Direct<'a> {
    /// Splits a text; `None` where this is not the way for the tool or the text.
    pub(super) fn split(tool: &'a ToolDef<'a>, text: &'a str) -> Option<Direct<'a>> {
        let few = tool.params.len() <= MOST_PARAMS;
        let suits =
            few && tool.input.is_none() && tool.constraints.is_empty() && tool.params.iter().all(suits);
        if !suits || text.len() > MAX_ARGS_BYTES {
            return None;
        }
        let mut parser = serde_json::Deserializer::from_str(text);
        let mut direct = Direct { params: tool.params, slices: [None; MOST_PARAMS], gave_up: false };
        parser.deserialize_map(Split(&mut direct)).ok()?;
        parser.end().ok()?;
        Some(direct)
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
    slice.parse::<i64>().is_ok_and(|integer| limits.admit_integer(integer.into()))
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
                    visitor.visit_f64(self.0.parse().map_err(de::Error::custom)?)
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
        match self.0.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(items) if !items.as_bytes().contains(&b'\\') => visitor.visit_seq(Items(items)),
            _ => {
                let mut parser = serde_json::Deserializer::from_str(self.0);
                let value = parser.deserialize_any(visitor)?;
                parser.end().map(|()| value)
            }
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// The scalars of a list without escapes, whose syntax has been checked already.
struct Items<'de>(&'de str);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = serde_json::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Self::Error> {
        let is_between = |byte: &u8| matches!(byte, b',' | b' ' | b'\t' | b'\r' | b'\n');
        let start = self.0.as_bytes().iter().position(|byte| !is_between(byte)).unwrap_or(self.0.len());
        let rest = self.0.get(start..).unwrap_or_default();
        let end = match rest.as_bytes() {
            [] => return Ok(None),
            [b'[' | b'{', ..] => return Err(de::Error::custom("a list in a list")),
            [b'"', inner @ ..] => {
                inner.iter().position(|byte| *byte == b'"').map_or(rest.len(), |quote| quote + 2)
            }
            other => other.iter().position(|byte| *byte == b',').unwrap_or(rest.len()),
        };
        let (item, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.0 = rest;
        seed.deserialize(Slice(item.trim_ascii_end())).map(Some)
    }
}

/// Reads an object into one slice per parameter; refuses a key that is no parameter's, or comes twice.
struct Split<'d, 'a>(&'d mut Direct<'a>);

impl<'de> Visitor<'de> for Split<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of known keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Direct { params, slices, .. } = self.0;
        let mut next = 0;
        while let Some(Key(key)) = map.next_key()? {
            let expected = params.get(next).is_some_and(|param| param.name == key);
            let has_name = |param: &ParamDef<'_>| param.names().any(|name| name == key);
            let found = if expected { Some(next) } else { params.iter().position(has_name) };
            let slot = found.and_then(|i| slices.get_mut(i)).filter(|slot| slot.is_none());
            let Some(slot) = slot else { return Err(de::Error::custom("another key")) };
            *slot = Some(map.next_value::<&'de RawValue>()?.get());
            next = found.map_or(0, |i| i + 1);
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Coerce, parse_arguments};
    use crate::def::{Cache, Doc, Handler, Origin, SchemaSource, ToolDef};

    /// A tool with one parameter `x` of a simple type.
    fn tool<T: schemars::JsonSchema>(kind: ParamKind) -> &'static ToolDef<'static> {
        let schema = SchemaSource::Type(|generator| generator.subschema_for::<T>());
        let param = ParamDef { simple: true, ..ParamDef::new("x", Doc::NONE, kind, schema) };
        let cache = Box::leak(Box::new(Cache::new()));
        let base = ToolDef::new(
            "t",
            Doc::NONE,
            Handler::Sync(|args| Err(args.incomplete())),
            Origin::DYNAMIC,
            cache,
        );
        Box::leak(Box::new(ToolDef { params: Box::leak(Box::new([param])), ..base }))
    }

    /// What both ways make of a text; `None` where the short one gives up.
    fn both<T: DeserializeOwned + schemars::JsonSchema + PartialEq + std::fmt::Debug>(
        tool: &'static ToolDef<'static>,
        text: &str,
    ) -> Option<T> {
        let mut short = Args::direct(tool, text)?;
        let value = short.take::<T>(0);
        short.finish().ok()?;
        let mut whole = Args::new(tool, parse_arguments(text).unwrap(), Coerce::Lenient).unwrap();
        assert_eq!(whole.take::<T>(0), value, "{text}");
        whole.finish().unwrap();
        assert!(whole.notes().is_empty(), "{text}: {:?}", whole.notes());
        value
    }

    #[test]
    fn what_the_short_way_takes_is_what_the_whole_one_takes_without_a_note() {
        let text = tool::<String>(ParamKind::Required);
        assert_eq!(both(text, r#"{"x":"a, \u00e9 [b]"}"#), Some("a, é [b]".to_owned()));
        assert_eq!(both::<String>(text, r#"{"x":5}"#), None);
        assert_eq!(both::<String>(text, r#"{"x":"a","y":1}"#), None);
        assert_eq!(both::<String>(text, r#"{"x":"a","x":"b"}"#), None);
        assert_eq!(both::<String>(text, r#"{"x":"\ud800"}"#), None);
        let list = tool::<Vec<String>>(ParamKind::List);
        assert_eq!(
            both(list, r#"{"x":[ "a]", "b,c" , "" ]}"#),
            Some(vec!["a]".to_owned(), "b,c".into(), "".into()])
        );
        assert_eq!(both(list, "{}"), Some(Vec::<String>::new()));
        assert_eq!(both::<Vec<String>>(list, r#"{"x":"a"}"#), None);
        let numbers = tool::<Vec<f32>>(ParamKind::List);
        assert_eq!(both(numbers, r#"{"x":[1, 2.5,-3]}"#), Some(vec![1.0, 2.5, -3.0]));
        assert_eq!(both::<Vec<f32>>(numbers, r#"{"x":[1e39]}"#), None);
        let option = tool::<Option<i8>>(ParamKind::Optional);
        assert_eq!(both(option, r#" {"x" : -7 } "#), Some(Some(-7)));
        assert_eq!(both(option, "{}"), Some(None::<i8>));
        assert_eq!(both::<Option<i8>>(option, r#"{"x":null}"#), None, "leaves a note");
        assert_eq!(both::<Option<i8>>(option, r#"{"x":300}"#), None);
        let flag = tool::<bool>(ParamKind::Flag);
        assert_eq!((both(flag, "{}"), both(flag, r#"{"x":true}"#)), (Some(false), Some(true)));
    }
}
