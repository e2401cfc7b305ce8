//! The short way from text to values, for a call that has nothing wrong and nothing to coerce.
//!
//! It cuts the text of an object into one slice per parameter ([`super::split`]) and reads each slice as the parameter's
//! type: no tree, no notes, no issues. Whatever it is not sure of, it gives up on; the caller then starts again with
//! [`super::parse`] and the full decoder, which has the say on everything that is not plainly right.

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, SeqAccess, Visitor};

use super::bounds::Limits;
use super::split::{Member, Members, PLAIN_NUMBER, Piece, is_space};
use crate::def::{Bounds, Number, ParamDef, ParamKeys, ParamKind, ToolDef};

/// Tools with more parameters go the whole way: the slices live in the frame of the call.
const MOST_PARAMS: usize = 8;

/// The slices of one call.
#[derive(Debug)]
pub(super) struct Direct<'a> {
    params: &'a [ParamDef<'a>],
    slices: [Option<Piece<'a>>; MOST_PARAMS],
    gave_up: bool,
}

impl<'a> Direct<'a> {
    /// Whether this is the way for a tool.
    #[inline]
    pub(super) fn is_way(tool: &ToolDef<'_>) -> bool {
        *tool.cache.computed().direct.get_or_init(|| is_for(tool))
    }

    /// Nothing yet.
    #[inline]
    pub(super) fn of(tool: &'a ToolDef<'a>) -> Direct<'a> {
        Direct { params: tool.params, slices: [None; MOST_PARAMS], gave_up: false }
    }

    /// Cuts a text into what it gives each parameter; `None` where it is not for this way.
    pub(super) fn cut(&mut self, text: &'a str) -> Option<()> {
        let (mut members, mut next) = (Members::of(text)?, 0);
        loop {
            // Callers that keep the order are matched at the first look.
            let expected = self.params.get(next).map(|param| param.name);
            let Member::Piece(key, value) = members.next(expected)? else { return Some(()) };
            let named = |key| self.params.iter().position(|param| param.names().any(|name| name == key));
            let found = key.map_or(Some(next), named)?;
            let (param, slice) = (self.params.get(found)?, self.slices.get_mut(found)?);
            // A key that comes twice is for the full decoder, like what is not plainly right.
            if slice.is_some() || !is_plain(value, param) {
                return None;
            }
            *slice = Some(value);
            next = found + 1;
        }
    }

    /// Leaves everything to the full decoder.
    pub(super) fn give_up(&mut self) {
        self.gave_up = true;
    }

    /// Whether some parameter was not plainly right.
    pub(super) fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// The value of parameter `i`; `default` where it has one and was left out.
    #[inline]
    pub(super) fn take<T: DeserializeOwned>(&mut self, i: usize, default: Option<fn() -> T>) -> Option<T> {
        let value = match (self.slices.get(i), default) {
            (Some(Some(piece)), _) => T::deserialize(Slice(*piece)).ok(),
            (_, Some(default)) => Some(default()),
            (_, None) => self.left_out(i),
        };
        self.gave_up |= value.is_none();
        value
    }

    /// The value of a parameter that was left out.
    fn left_out<T: DeserializeOwned>(&self, i: usize) -> Option<T> {
        let param = self.params.get(i).filter(|param| !param.is_required() && param.default.is_none())?;
        let piece = match param.kind {
            ParamKind::Flag => Piece::Word("false"),
            ParamKind::List => Piece::List("[]"),
            ParamKind::Required | ParamKind::Optional | ParamKind::Nullable => Piece::Word("null"),
        };
        T::deserialize(Slice(piece)).ok()
    }
}

/// Whether the texts of a tool can go this way.
fn is_for(tool: &ToolDef<'_>) -> bool {
    let few = tool.params.len() <= MOST_PARAMS;
    few && tool.input.is_none() && tool.constraints.is_empty() && tool.params.iter().all(suits)
}

/// Whether a parameter's type alone says what it takes, one key at a time.
fn suits(param: &ParamDef<'_>) -> bool {
    let free = |keys: &ParamKeys<'_>| {
        !keys.flatten
            && keys.bounds.pattern.is_none()
            && keys.conflicts_with.is_empty()
            && keys.requires.is_empty()
    };
    param.simple && (param.is_bare() || free(param.keys))
}

/// Whether a piece means the same to serde_json as to the full decoder, if serde_json takes it at all, and keeps to the
/// parameter's bounds.
#[inline]
fn is_plain(piece: Piece<'_>, param: &ParamDef<'_>) -> bool {
    let bounds = &param.keys.bounds;
    let is_unbounded = || param.is_bare() || bounds.is_none();
    match piece {
        Piece::Text(text) => {
            is_unbounded() || {
                let chosen = bounds.choices.is_empty() || bounds.choices.contains(&text);
                chosen && Limits::of(bounds).admit_text(text)
            }
        }
        Piece::Natural(number) => param.is_bare() || admits(i128::from(number), bounds),
        Piece::Word(text) => match text.as_bytes() {
            number @ [b'-' | b'0'..=b'9', ..] => {
                let admitted = || text.parse().is_ok_and(|integer: i64| admits(integer.into(), bounds));
                is_plain_number(number) && (is_unbounded() || admitted())
            }
            [b't' | b'f', ..] => true,
            _ => false,
        },
        Piece::List(text) | Piece::Escaped(text) => is_unbounded() && is_plain_list(text.as_bytes()),
    }
}

/// The same of the items of a list; any string passes.
fn is_plain_list(text: &[u8]) -> bool {
    match text {
        [b'"', ..] | [b'[', b'"' | b']', ..] => true,
        [b'[', inner @ .., b']'] => {
            !inner.contains(&b'{')
                && inner
                    .split(|byte| *byte == b',')
                    .all(|item| is_plain_number(item) || !item.iter().any(u8::is_ascii_digit))
        }
        _ => false,
    }
}

/// Whether no number type reads it otherwise than it is written, if it is one: few digits and no minus before a zero. One
/// with an exponent is not read at all.
fn is_plain_number(slice: &[u8]) -> bool {
    slice.len() <= PLAIN_NUMBER && !slice.trim_ascii_start().starts_with(b"-0")
}

/// Whether an integer keeps to bounds that are integers too; anything else is for the full decoder.
fn admits(integer: i128, bounds: &Bounds<'_>) -> bool {
    let least = bounds.min.is_none_or(|min| matches!(min, Number::Int(min) if integer >= min));
    let greatest = bounds.max.is_none_or(|max| matches!(max, Number::Int(max) if integer <= max));
    least && greatest && !bounds.max_exclusive
}

/// Reads one piece: scalars as they stand, everything else through serde_json.
struct Slice<'de>(Piece<'de>);

impl<'de> Deserializer<'de> for Slice<'de> {
    type Error = serde_json::Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Piece::Text(text) => visitor.visit_borrowed_str(text),
            Piece::Natural(natural) => visitor.visit_u64(natural),
            Piece::Word(word) => match word.as_bytes() {
                b"true" => visitor.visit_bool(true),
                b"false" => visitor.visit_bool(false),
                b"null" => visitor.visit_unit(),
                _ => number(word, visitor),
            },
            Piece::List(text) => match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(items) => visitor.visit_seq(Items { rest: items, begun: false }),
                None => Err(de::Error::custom("no list")),
            },
            Piece::Escaped(text) => {
                let mut parser = serde_json::Deserializer::from_str(text);
                let value = parser.deserialize_any(visitor)?;
                parser.end().map(|()| value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.0 == Piece::Word("null") { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// Reads any other number without an exponent.
fn number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, serde_json::Error> {
    let is_whole = match form(text.as_bytes()) {
        Some(Form::Whole) => true,
        Some(Form::Fraction) => false,
        None => return Err(de::Error::custom("no number")),
    };
    if is_whole && let Ok(natural) = text.parse() {
        visitor.visit_u64(natural)
    } else if is_whole && let Ok(integer) = text.parse() {
        visitor.visit_i64(integer)
    } else {
        visitor.visit_f64(text.parse().map_err(de::Error::custom)?)
    }
}

/// How a number is written.
enum Form {
    Whole,
    Fraction,
}

/// How a text without an exponent is written, if it is a number of JSON (RFC 8259 §6).
fn form(text: &[u8]) -> Option<Form> {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let point = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
    let (whole, fraction) = text.split_at(point);
    let is_led_by_zero = matches!(whole, [b'0', _, ..]);
    match fraction {
        _ if !digits(whole) || is_led_by_zero => None,
        [] => Some(Form::Whole),
        [_, behind @ ..] => digits(behind).then_some(Form::Fraction),
    }
}

/// The scalars of a list without escapes, between its brackets.
struct Items<'de> {
    rest: &'de str,
    /// Whether an item has been read already.
    begun: bool,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = serde_json::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Self::Error> {
        let space = |text: &'de str| match text.as_bytes() {
            [first, ..] if is_space(*first) => text.trim_start_matches([' ', '\t', '\r', '\n']),
            _ => text,
        };
        self.rest = space(self.rest);
        if self.rest.is_empty() {
            return Ok(None);
        }
        if self.begun {
            let rest = self.rest.strip_prefix(',').ok_or_else(|| de::Error::custom("no comma"))?;
            self.rest = space(rest);
        }
        self.begun = true;
        let end = match self.rest.as_bytes() {
            [b'"', inner @ ..] => inner.iter().position(|byte| *byte == b'"').map(|quote| quote + 2),
            other => other.iter().position(|byte| *byte == b',' || is_space(*byte)),
        };
        let (item, rest) =
            self.rest.split_at_checked(end.unwrap_or(self.rest.len())).unwrap_or((self.rest, ""));
        self.rest = rest;
        seed.deserialize(Slice(Piece::scalar(item))).map(Some)
    }
}

#[cfg(test)]
mod tests;
