//! From any type to JSON with bounded recursion: a serializer around serde_json's own that counts levels.

use std::cell::Cell;
use std::fmt::Display;

use serde::Serialize;
use serde::ser::{self, Serializer};

/// The most levels of a type that is written: more than a value may have, since newtypes and options count here.
const LEVELS: usize = 256;

/// How much a small result takes.
const SMALL: usize = 128;

/// Why there is no JSON of a type.
pub(crate) enum Unwritable {
    /// It is nested too deeply.
    TooDeep,
    /// Its own reason.
    Own(serde_json::Error),
}

/// A type as compact JSON.
pub(crate) fn to_text<T: Serialize>(value: &T) -> Result<String, Unwritable> {
    let too_deep = Cell::new(false);
    let count = Count { left: LEVELS, too_deep: &too_deep };
    let mut text = Vec::with_capacity(SMALL);
    let written = value.serialize(Counted { inner: &mut serde_json::Serializer::new(&mut text), count });
    let text = written.and_then(|()| String::from_utf8(text).map_err(ser::Error::custom));
    text.map_err(|error| if too_deep.get() { Unwritable::TooDeep } else { Unwritable::Own(error) })
}

/// How many levels may follow.
#[derive(Clone, Copy)]
struct Count<'c> {
    left: usize,
    too_deep: &'c Cell<bool>,
}

impl Count<'_> {
    fn below<E: ser::Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left, ..self }),
            None => {
                self.too_deep.set(true);
                Err(E::custom("nested too deeply"))
            }
        }
    }
}

/// A serializer, or a part of one, and its count.
struct Counted<'c, S> {
    inner: S,
    count: Count<'c>,
}

/// What is written one level down.
struct Below<'a, 'c, T: ?Sized> {
    value: &'a T,
    count: Count<'c>,
}

impl<T: Serialize + ?Sized> Serialize for Below<'_, '_, T> {
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Counted { inner, count: self.count })
    }
}

macro_rules! scalars {
    ($($name:ident: $type:ty,)*) => {
        $(fn $name(self, value: $type) -> Result<S::Ok, S::Error> {
            self.inner.$name(value)
        })*
    };
}

/// Methods that begin an array or object.
macro_rules! containers {
    ($($name:ident($($arg:ident: $type:ty),*) -> $part:ident;)*) => {
        $(fn $name(self, $($arg: $type),*) -> Result<Self::$part, S::Error> {
            let count = self.count.below()?;
            Ok(Counted { inner: self.inner.$name($($arg),*)?, count })
        })*
    };
}

impl<'c, S: Serializer> Serializer for Counted<'c, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Counted<'c, S::SerializeSeq>;
    type SerializeTuple = Counted<'c, S::SerializeTuple>;
    type SerializeTupleStruct = Counted<'c, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Counted<'c, S::SerializeTupleVariant>;
    type SerializeMap = Counted<'c, S::SerializeMap>;
    type SerializeStruct = Counted<'c, S::SerializeStruct>;
    type SerializeStructVariant = Counted<'c, S::SerializeStructVariant>;

    scalars! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    containers! {
        serialize_seq(len: Option<usize>) -> SerializeSeq;
        serialize_tuple(len: usize) -> SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> SerializeTupleVariant;
        serialize_map(len: Option<usize>) -> SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> SerializeStructVariant;
    }

    /// A JSON number that no reader of ours would round.
    fn serialize_i128(self, value: i128) -> Result<S::Ok, S::Error> {
        match (i64::try_from(value), u64::try_from(value)) {
            (Err(_), Err(_)) => Err(ser::Error::custom("number out of range")),
            _ => self.inner.serialize_i128(value),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<S::Ok, S::Error> {
        match u64::try_from(value) {
            Err(_) => Err(ser::Error::custom("number out of range")),
            Ok(value) => self.inner.serialize_u64(value),
        }
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.serialize_some(&Below { value, count: self.count.below()? })
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_newtype_struct(name, &Below { value, count: self.count.below()? })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let value = Below { value, count: self.count.below()? };
        self.inner.serialize_newtype_variant(name, index, variant, &value)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Parts whose elements have no names.
macro_rules! elements {
    ($($trait:ident::$method:ident),*) => {
        $(impl<S: ser::$trait> ser::$trait for Counted<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                self.inner.$method(&Below { value, count: self.count })
            }
            fn end(self) -> Result<S::Ok, S::Error> {
                self.inner.end()
            }
        })*
    };
}
elements!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// Parts whose fields have names that are known when a program is compiled.
macro_rules! fields {
    ($($trait:ident),*) => {
        $(impl<S: ser::$trait> ser::$trait for Counted<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), S::Error> {
                self.inner.serialize_field(key, &Below { value, count: self.count })
            }
            fn skip_field(&mut self, key: &'static str) -> Result<(), S::Error> {
                self.inner.skip_field(key)
            }
            fn end(self) -> Result<S::Ok, S::Error> {
                self.inner.end()
            }
        })*
    };
}
fields!(SerializeStruct, SerializeStructVariant);

impl<S: ser::SerializeMap> ser::SerializeMap for Counted<'_, S> {
    type Ok = S::Ok;
    type Error = S::Error;

    /// A key is text in the end; only what it wraps could recurse.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.inner.serialize_key(&Below { value: key, count: self.count })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.inner.serialize_value(&Below { value, count: self.count })
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.inner.end()
    }
}
