//! Reading one piece as a type: what is plainly of that type, and nothing else.
//!
//! Each type is read as it asks to be, and what asks for whatever stands there gets nothing: it is the whole way that knows
//! what a key that no field has, a null, or a text instead of a number comes to.

use std::fmt;
use std::slice;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::super::split::{Items, Member, Members, PLAIN_NUMBER, Piece};
use super::super::unescape::unescape;

/// A value is not plainly of its type. It says no more: the whole way tells what is wrong.
#[derive(Debug)]
pub(super) struct NotPlain;

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

/// A piece on its way into a type.
pub(super) struct Reader<'de>(pub(super) Piece<'de>);

impl<'de> Reader<'de> {
    fn text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotPlain> {
        match self.0 {
            Piece::Text(text) => visitor.visit_borrowed_str(text),
            Piece::Escaped(text) => visitor.visit_string(unescape(text).ok_or(NotPlain)?),
            _ => Err(NotPlain),
        }
    }

    #[inline]
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotPlain> {
        match self.0 {
            Piece::Natural(natural) => visitor.visit_u64(natural),
            Piece::Word(word) => number(word, visitor),
            _ => Err(NotPlain),
        }
    }

    fn items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotPlain> {
        let Piece::List(text) = self.0 else { return Err(NotPlain) };
        let mut items = List(Items::inside(text));
        let value = visitor.visit_seq(&mut items)?;
        // What a type leaves may be no JSON, or more than it takes.
        match items.0.next() {
            Some(None) => Ok(value),
            _ => Err(NotPlain),
        }
    }
}

macro_rules! as_they_ask {
    ($($deserialize:ident)* => $read:ident) => {
        $(#[inline]
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotPlain> {
            self.$read(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = NotPlain;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NotPlain> {
        Err(NotPlain)
    }

    as_they_ask! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64 => number
    }

    as_they_ask! { deserialize_char deserialize_str deserialize_string deserialize_identifier => text }

    as_they_ask! { deserialize_seq => items }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotPlain> {
        match self.0 {
            Piece::Word("true") => visitor.visit_bool(true),
            Piece::Word("false") => visitor.visit_bool(false),
            _ => Err(NotPlain),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotPlain> {
        if self.0 == Piece::Word("null") { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, NotPlain> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, NotPlain> {
        self.items(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, NotPlain> {
        self.items(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotPlain> {
        let Piece::Object(text) = self.0 else { return Err(NotPlain) };
        let mut members = Fields { members: Members::inside(text), rest: fields.iter(), value: None };
        let value = visitor.visit_map(&mut members)?;
        match members.members.next(None) {
            Some(Member::End) => Ok(value),
            _ => Err(NotPlain),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        cases: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotPlain> {
        match self.0 {
            Piece::Text(text) if cases.contains(&text) => {
                visitor.visit_enum(BorrowedStrDeserializer::new(text))
            }
            _ => Err(NotPlain),
        }
    }

    serde::forward_to_deserialize_any! { bytes byte_buf unit unit_struct map ignored_any }
}

/// The items of a list.
struct List<'de>(Items<'de>);

impl<'de> SeqAccess<'de> for List<'de> {
    type Error = NotPlain;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, NotPlain> {
        let item = self.0.next().ok_or(NotPlain)?;
        item.map(|piece| seed.deserialize(Reader(piece))).transpose()
    }
}

/// The fields of a struct, in the order in which they are declared. In another order the whole way sorts them.
struct Fields<'de> {
    members: Members<'de>,
    /// The fields behind the last one that came.
    rest: slice::Iter<'static, &'static str>,
    value: Option<Piece<'de>>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = NotPlain;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, NotPlain> {
        let expected = self.rest.as_slice().first().copied();
        let Member::Piece(key, value) = self.members.next(expected).ok_or(NotPlain)? else {
            return Ok(None);
        };
        let field = match key {
            None => self.rest.next(),
            Some(key) => self.rest.find(|field| **field == key),
        };
        // A null may mean that the field is left out, which is told.
        self.value = Some(value).filter(|value| *value != Piece::Word("null"));
        seed.deserialize(BorrowedStrDeserializer::new(field.ok_or(NotPlain)?)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, NotPlain> {
        seed.deserialize(Reader(self.value.take().ok_or(NotPlain)?))
    }
}

/// Reads a number that is no plain natural one: few characters, no exponent, and no minus before a zero, which some types
/// read otherwise than it is written.
fn number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, NotPlain> {
    if text.len() > PLAIN_NUMBER || text.starts_with("-0") {
        return Err(NotPlain);
    }
    let (digits, is_negative) = text.strip_prefix('-').map_or((text, false), |digits| (digits, true));
    let Decimal { number, fraction } = Decimal::of(digits.as_bytes()).ok_or(NotPlain)?;
    match fraction {
        None => visitor.visit_i64(if is_negative { -number } else { number }),
        Some(places) => match exact(number, places) {
            Some(double) => visitor.visit_f64(if is_negative { -double } else { double }),
            None => visitor.visit_f64(text.parse().map_err(|_| NotPlain)?),
        },
    }
}

/// A number of few digits, without a sign.
struct Decimal {
    /// All of its digits.
    number: i64,
    /// How many of them stand behind the point, if there is one.
    fraction: Option<usize>,
}

impl Decimal {
    /// Reads a number as JSON has it (RFC 8259 §6), without sign and exponent, of at most [`PLAIN_NUMBER`] characters.
    fn of(text: &[u8]) -> Option<Decimal> {
        let (mut number, mut point) = (0, None);
        for (at, byte) in text.iter().enumerate() {
            match byte {
                b'0'..=b'9' => number = number * 10 + i64::from(byte - b'0'),
                b'.' if point.is_none() => point = Some(at),
                _ => return None,
            }
        }
        let whole = point.unwrap_or(text.len());
        let is_led_by_zero = whole > 1 && text.starts_with(b"0");
        let fraction = point.map(|point| text.len() - point - 1);
        (whole > 0 && !is_led_by_zero && fraction != Some(0)).then_some(Decimal { number, fraction })
    }
}

/// The double next to `number` / 10^`places`, where one division finds it: both are doubles themselves, and it rounds once
/// (IEEE 754 §4.3).
fn exact(number: i64, places: usize) -> Option<f64> {
    const POWERS: [f64; PLAIN_NUMBER] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17];
    let power = POWERS.get(places)?;
    #[allow(clippy::cast_precision_loss, reason = "so small integers are doubles")]
    (number <= 1 << f64::MANTISSA_DIGITS).then(|| number as f64 / power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize as _;

    /// What the standard library says, on numbers around each limit.
    #[test]
    fn a_number_with_a_fraction_is_the_double_next_to_it() {
        let wholes =
            ["0", "1", "9", "12", "4503599627370497", "9007199254740991", "9007199254740993", "99999999999"];
        let fractions =
            ["0", "1", "5", "05", "10", "3333", "000000001", "9999999999999999", "00000000000000001"];
        let mut read = 0;
        for whole in wholes {
            for fraction in fractions {
                for sign in ["", "-"] {
                    let text = format!("{sign}{whole}.{fraction}");
                    let found = f64::deserialize(Reader(Piece::Word(&text)));
                    if text.len() > PLAIN_NUMBER || text.starts_with("-0") {
                        assert!(found.is_err(), "{text}");
                        continue;
                    }
                    read += 1;
                    assert_eq!(found.unwrap().to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
                }
            }
        }
        assert!(read > 50, "{read}");
    }

    #[test]
    fn why_something_is_not_plain_is_not_told() {
        assert_eq!(<NotPlain as de::Error>::custom("secret").to_string(), "not plainly of its type");
    }
}
