//! Reading one piece as a type: what is plainly of that type, and nothing else.
//!
//! Each type is read as it asks to be, and what asks for whatever stands there gets nothing: it is the whole way that knows
//! what a key that no field has, a null, or a text instead of a number comes to.
//!
//! A type may ignore that it got nothing, or leave out what it was offered. So every piece that is about to be cut is owed until
//! it was read to its end, and as long as one is owed, nothing was read.

use std::cell::Cell;
use std::fmt;
use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use super::super::split::{Items, Member, Members, PLAIN_NUMBER, Piece, is_key};
use super::super::unescape::unescape;

/// Reads a piece as a type, if it is plainly of it.
#[inline]
pub(super) fn read<T: DeserializeOwned>(piece: Piece<'_>) -> Option<T> {
    let owed = Cell::new(1);
    let value = T::deserialize(Reader { piece, owed: &owed }).ok()?;
    (owed.get() == 0).then_some(value)
}

/// A value is not plainly of its type. It says no more: the whole way tells what is wrong.
#[derive(Debug)]
struct NotPlain;

impl fmt::Display for NotPlain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not plainly of its type")
    }
}

impl std::error::Error for NotPlain {}

impl de::Error for NotPlain {
    fn custom<T: fmt::Display>(_: T) -> NotPlain {
        NotPlain
    }
}

type Outcome<T> = Result<T, NotPlain>;

/// A piece on its way into a type.
struct Reader<'de, 'o> {
    piece: Piece<'de>,
    /// How many pieces have been cut and not been read, this one among them.
    owed: &'o Cell<usize>,
}

impl<'de> Reader<'de, '_> {
    /// What a visitor made of the piece, which is owed no more.
    #[inline]
    fn paid<T>(self, made: Outcome<T>) -> Outcome<T> {
        if made.is_ok() {
            self.owed.set(self.owed.get() - 1);
        }
        made
    }

    #[inline]
    fn text<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let made = match self.piece {
            Piece::Text(text) => visitor.visit_str(text),
            // Who takes a `String` takes a `str`, too (serde's contract of `visit_string`), and a large text is not copied again.
            Piece::Escaped(text) => visitor.visit_string(unescape(text).ok_or(NotPlain)?),
            _ => return Err(NotPlain),
        };
        self.paid(made)
    }

    fn double<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        #[allow(clippy::cast_precision_loss, reason = "the double next to it is what is meant")]
        let double = match self.piece {
            Piece::Natural(natural) => natural as f64,
            Piece::Word(word) => Number::of(word)?.double()?,
            _ => return Err(NotPlain),
        };
        self.paid(visitor.visit_f64(double))
    }

    /// A list of so many items, or of any number.
    fn items<V: Visitor<'de>>(self, count: Option<usize>, visitor: V) -> Outcome<V::Value> {
        let Piece::List(text) = self.piece else { return Err(NotPlain) };
        let mut list = List { items: Items::inside(text), cut: 0, owed: self.owed };
        let value = visitor.visit_seq(&mut list)?;
        match list.items.next() {
            Some(None) if count.is_none_or(|count| count == list.cut) => self.paid(Ok(value)),
            _ => Err(NotPlain),
        }
    }
}

macro_rules! integers {
    ($($deserialize:ident $type:ident)*) => {
        $(#[inline]
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
            let made = match self.piece {
                Piece::Natural(natural) if $type::try_from(natural).is_ok() => visitor.visit_u64(natural),
                Piece::Word(word) => {
                    let integer = Number::of(word)?.integer()?;
                    $type::try_from(integer).map_err(|_| NotPlain)?;
                    visitor.visit_i64(integer)
                }
                _ => return Err(NotPlain),
            };
            self.paid(made)
        })*
    };
}

macro_rules! as_they_ask {
    ($($deserialize:ident)* => $read:ident) => {
        $(#[inline]
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
            self.$read(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'de, '_> {
    type Error = NotPlain;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Outcome<V::Value> {
        Err(NotPlain)
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

    as_they_ask! { deserialize_f32 deserialize_f64 => double }

    as_they_ask! { deserialize_str deserialize_string deserialize_identifier => text }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let made = match self.piece {
            Piece::Word("true") => visitor.visit_bool(true),
            Piece::Word("false") => visitor.visit_bool(false),
            _ => return Err(NotPlain),
        };
        self.paid(made)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        let Piece::Text(text) = self.piece else { return Err(NotPlain) };
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => self.paid(visitor.visit_char(character)),
            _ => Err(NotPlain),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        if self.piece == Piece::Word("null") {
            self.paid(visitor.visit_none())
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Outcome<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Outcome<V::Value> {
        self.items(None, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, count: usize, visitor: V) -> Outcome<V::Value> {
        self.items(Some(count), visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        count: usize,
        visitor: V,
    ) -> Outcome<V::Value> {
        self.items(Some(count), visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        let Piece::Object(text) = self.piece else { return Err(NotPlain) };
        let members = Members::inside(text);
        let mut fields = Fields { members, rest: fields.iter(), value: None, owed: self.owed };
        let value = visitor.visit_map(&mut fields)?;
        match fields.members.next(None) {
            Some(Member::End) => self.paid(Ok(value)),
            _ => Err(NotPlain),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        cases: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        match self.piece {
            Piece::Text(text) if cases.contains(&text) => {
                let case: StrDeserializer<'_, NotPlain> = text.into_deserializer();
                self.paid(visitor.visit_enum(case))
            }
            _ => Err(NotPlain),
        }
    }

    serde::forward_to_deserialize_any! { i128 u128 bytes byte_buf unit unit_struct map ignored_any }
}

/// The items of a list.
struct List<'de, 'o> {
    items: Items<'de>,
    /// How many of them have been cut.
    cut: usize,
    owed: &'o Cell<usize>,
}

impl<'de> SeqAccess<'de> for List<'de, '_> {
    type Error = NotPlain;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<Option<S::Value>> {
        let owed = self.owed.get();
        self.owed.set(owed + 1);
        let Some(piece) = self.items.next().ok_or(NotPlain)? else {
            self.owed.set(owed);
            return Ok(None);
        };
        self.cut += 1;
        seed.deserialize(Reader { piece, owed: self.owed }).map(Some)
    }
}

/// The fields of a struct, in the order in which they are declared. In another order the whole way sorts them.
struct Fields<'de, 'o> {
    members: Members<'de>,
    /// The fields behind the last one that came.
    rest: slice::Iter<'static, &'static str>,
    /// The value of that one, until it is taken.
    value: Option<Piece<'de>>,
    owed: &'o Cell<usize>,
}

impl<'de> MapAccess<'de> for Fields<'de, '_> {
    type Error = NotPlain;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Outcome<Option<K::Value>> {
        let expected = self.rest.as_slice().first().copied().filter(|field| is_key(field));
        let owed = self.owed.get();
        self.owed.set(owed + 1);
        let Member::Piece(key, value) = self.members.next(expected).ok_or(NotPlain)? else {
            self.owed.set(owed);
            return Ok(None);
        };
        self.value = Some(value);
        let field = match key {
            None => self.rest.next(),
            Some(key) => self.rest.find(|field| **field == key),
        };
        let field: StrDeserializer<'_, NotPlain> = (*field.ok_or(NotPlain)?).into_deserializer();
        seed.deserialize(field).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<S::Value> {
        // A null may mean that the field is left out, which is told.
        let value = self.value.take().filter(|value| *value != Piece::Word("null"));
        seed.deserialize(Reader { piece: value.ok_or(NotPlain)?, owed: self.owed })
    }
}

/// A number that is no plain natural one: of few characters and without an exponent.
struct Number<'t> {
    text: &'t str,
    /// All of its digits, with its sign.
    digits: i64,
    /// How many of them stand behind the point, if there is one.
    fraction: Option<usize>,
}

impl Number<'_> {
    /// Reads a number as JSON has it (RFC 8259 §6), but for an exponent and a minus before a zero, which some types read
    /// otherwise than they are written.
    fn of(text: &str) -> Outcome<Number<'_>> {
        if text.len() > PLAIN_NUMBER || text.starts_with("-0") {
            return Err(NotPlain);
        }
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mut digits, mut point) = (0, None);
        for (at, byte) in unsigned.bytes().enumerate() {
            match byte {
                b'0'..=b'9' => digits = digits * 10 + i64::from(byte - b'0'),
                b'.' if point.is_none() => point = Some(at),
                _ => return Err(NotPlain),
            }
        }
        let whole = point.unwrap_or(unsigned.len());
        let is_led_by_zero = whole > 1 && unsigned.starts_with('0');
        let fraction = point.map(|point| unsigned.len() - point - 1);
        if whole == 0 || is_led_by_zero || fraction == Some(0) {
            return Err(NotPlain);
        }
        let digits = if unsigned.len() < text.len() { -digits } else { digits };
        Ok(Number { text, digits, fraction })
    }

    fn integer(&self) -> Outcome<i64> {
        if self.fraction.is_none() { Ok(self.digits) } else { Err(NotPlain) }
    }

    fn double(&self) -> Outcome<f64> {
        match exact(self.digits, self.fraction.unwrap_or(0)) {
            Some(double) => Ok(double),
            None => self.text.parse().map_err(|_| NotPlain),
        }
    }
}

/// The double next to `digits` / 10^`places`, where one division finds it: both are doubles themselves, and it rounds once
/// (IEEE 754 §4.3).
fn exact(digits: i64, places: usize) -> Option<f64> {
    const POWERS: [f64; PLAIN_NUMBER] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17];
    let power = POWERS.get(places)?;
    #[allow(clippy::cast_precision_loss, reason = "so small integers are doubles")]
    (digits.abs() <= 1 << f64::MANTISSA_DIGITS).then(|| digits as f64 / power)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the standard library says, on numbers around each limit.
    #[test]
    fn a_number_with_a_fraction_is_the_double_next_to_it() {
        let wholes =
            ["0", "1", "9", "12", "4503599627370497", "9007199254740991", "9007199254740993", "99999999999"];
        let fractions =
            ["0", "1", "5", "05", "10", "3333", "000000001", "9999999999999999", "00000000000000001"];
        let mut compared = 0;
        for whole in wholes {
            for fraction in fractions {
                for sign in ["", "-"] {
                    let text = format!("{sign}{whole}.{fraction}");
                    let found = read::<f64>(Piece::Word(&text));
                    if text.len() > PLAIN_NUMBER || text.starts_with("-0") {
                        assert_eq!(found, None, "{text}");
                        continue;
                    }
                    compared += 1;
                    assert_eq!(found.unwrap().to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
                }
            }
        }
        assert!(compared > 50, "{compared}");
    }

    #[test]
    fn why_something_is_not_plain_is_not_told() {
        assert_eq!(<NotPlain as de::Error>::custom("secret").to_string(), "not plainly of its type");
    }
}
