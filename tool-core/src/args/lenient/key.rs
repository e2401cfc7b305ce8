//! Keys of objects as serde asks for them: field names, texts, and the parsed forms of maps with other keys.

use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::Refusal;

/// The key of a member, taken as it is.
pub(super) struct Key<'a> {
    pub(super) text: &'a str,
    /// Its one spelling, where it was read as a number or a boolean: `007` is 7.
    pub(super) read: &'a mut Option<String>,
}

macro_rules! parsed {
    ($($deserialize:ident $visit:ident)*) => {
        $(fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
            match self.text.parse() {
                Ok(value) => {
                    *self.read = Some(ToString::to_string(&value));
                    visitor.$visit(value)
                }
                Err(_) => visitor.visit_str(self.text),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Key<'_> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_str(self.text)
    }

    parsed! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8
        deserialize_i16 visit_i16
        deserialize_i32 visit_i32
        deserialize_i64 visit_i64
        deserialize_i128 visit_i128
        deserialize_u8 visit_u8
        deserialize_u16 visit_u16
        deserialize_u32 visit_u32
        deserialize_u64 visit_u64
        deserialize_u128 visit_u128
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        cases: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let text: StrDeserializer<'_, Refusal> = self.text.into_deserializer();
        text.deserialize_enum(name, cases, visitor)
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}
