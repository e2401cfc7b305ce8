//! The type language by type: a seed that asks a deserializer for what derived code of such a Rust type asks for.
//!
//! It gives back what the type would hold, as JSON; `None` is an option without value, or a field left out.

use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use serde_json::{Map, Value, json};

/// A type of the language, inside the whole type that recursive names refer to.
#[derive(Clone, Copy)]
pub(crate) struct Typed {
    kind: &'static Value,
    whole: &'static Value,
}

impl Typed {
    /// The seed of a type. It lives as long as the test.
    pub(crate) fn of(kind: &Value) -> Typed {
        let kind: &'static Value = Box::leak(Box::new(kind.clone()));
        Typed { kind, whole: kind }
    }

    fn inner(self, kind: &'static Value) -> Typed {
        Typed { kind, ..self }
    }

    fn name(self) -> &'static str {
        self.kind.as_str().or_else(|| self.kind[0].as_str()).expect("a type has a name")
    }

    fn part(self, i: usize) -> &'static Value {
        &self.kind[i]
    }

    fn parts(self, from: usize) -> &'static [Value] {
        self.kind.as_array().and_then(|parts| parts.get(from..)).unwrap_or_default()
    }

    /// The type that a recursive name stands for.
    fn recursive(self, name: &Value) -> &'static Value {
        fn find(kind: &'static Value, name: &Value) -> Option<&'static Value> {
            match kind {
                Value::Array(parts) if kind[0] == "rec" && kind[1] == *name => parts.get(2),
                Value::Array(parts) => parts.iter().find_map(|part| find(part, name)),
                Value::Object(members) => members.values().find_map(|part| find(part, name)),
                _ => None,
            }
        }
        find(self.whole, name).expect("the recursive type is inside the whole")
    }
}

/// The list of names that derived code passes.
fn names(names: impl Iterator<Item = String>) -> &'static [&'static str] {
    let names: Vec<&'static str> = names.map(|name| &*name.leak()).collect();
    names.leak()
}

fn fields(fields: &Value) -> &'static [&'static str] {
    names(fields.as_object().into_iter().flatten().map(|(name, _)| name.trim_end_matches('?').to_owned()))
}

fn cases(cases: &Value) -> &'static [&'static str] {
    names(cases.as_object().into_iter().flatten().map(|(name, _)| name.clone()))
}

type Outcome<E> = Result<Option<Value>, E>;

macro_rules! numbers {
    ($self:ident $deserializer:ident $($name:literal $type:ident)*) => {
        match $self.name() {
            $($name => return $type::deserialize($deserializer).map(|number| Some(json!(number))),)*
            _ => {}
        }
    };
}

impl<'de> DeserializeSeed<'de> for Typed {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Outcome<D::Error> {
        numbers!(self deserializer "i8" i8 "i16" i16 "i32" i32 "i64" i64 "u8" u8 "u16" u16 "u32" u32 "u64" u64
            "f64" f64 "bool" bool "string" String "char" char "any" Value);
        match self.name() {
            // The shortest text of a single is not that of the double that came.
            "f32" => f32::deserialize(deserializer).map(|number| Some(json!(number))),
            "option" => deserializer.deserialize_option(Optional(self.inner(self.part(1)))),
            "list" | "set" => deserializer.deserialize_seq(Sequence(self)),
            "tuple" => deserializer.deserialize_tuple(self.parts(1).len(), Sequence(self)),
            "array" => {
                let count = self.part(1).as_u64().and_then(|count| usize::try_from(count).ok());
                deserializer.deserialize_tuple(count.expect("a count"), Sequence(self))
            }
            "map" => deserializer.deserialize_map(Entries(self.inner(self.part(1)))),
            "struct" => {
                deserializer.deserialize_struct("S", fields(self.part(1)), Fields(self, self.part(1), None))
            }
            "enum" => {
                let cases = names(self.parts(1).iter().filter_map(|case| case.as_str().map(str::to_owned)));
                deserializer.deserialize_enum("E", cases, Cases(self))
            }
            "enum_doc" | "external" => deserializer.deserialize_enum("E", cases(self.part(1)), Cases(self)),
            "tagged" => self.tagged(Value::deserialize(deserializer)?),
            "untagged" => self.untagged(Value::deserialize(deserializer)?),
            "rec" => self.inner(self.part(2)).deserialize(deserializer),
            "self" => self.inner(self.recursive(self.part(1))).deserialize(deserializer),
            other => panic!("unknown type {other}"),
        }
    }
}

impl Typed {
    /// Internally tagged: serde buffers the value and then reads the case out of the buffer, strictly.
    fn tagged<E: Error>(self, buffered: Value) -> Outcome<E> {
        let tag = self.part(1).as_str().expect("a tag");
        let Value::Object(mut members) = buffered else { return Err(E::custom("expected a map")) };
        let case = members.shift_remove(tag).ok_or_else(|| E::custom(format!("missing field `{tag}`")))?;
        let case = case.as_str().ok_or_else(|| E::custom("expected a case"))?.to_owned();
        let kinds = self.part(2).get(&case).ok_or_else(|| E::custom(format!("unknown variant `{case}`")))?;
        let content = Value::Object(members);
        let visitor = Fields(self, kinds, Some((tag, case)));
        content.deserialize_struct("S", fields(kinds), visitor).map_err(E::custom)
    }

    /// Untagged: the first alternative that reads the buffer strictly.
    fn untagged<E: Error>(self, buffered: Value) -> Outcome<E> {
        let mut alternatives = self.parts(1).iter();
        let first = alternatives.find_map(|kind| self.inner(kind).deserialize(buffered.clone()).ok());
        first.ok_or_else(|| E::custom("data did not match any variant of untagged enum E"))
    }
}

struct Optional(Typed);

impl<'de> Visitor<'de> for Optional {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("option")
    }

    fn visit_none<E>(self) -> Outcome<E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Outcome<E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Outcome<D::Error> {
        // The null of an option inside an option is a value.
        self.0.deserialize(deserializer).map(|value| Some(value.unwrap_or(Value::Null)))
    }
}

struct Sequence(Typed);

impl<'de> Visitor<'de> for Sequence {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Outcome<A::Error> {
        let Sequence(kind) = self;
        let fixed = match kind.name() {
            "tuple" => Some(kind.parts(1).len()),
            "array" => kind.part(1).as_u64().and_then(|count| usize::try_from(count).ok()),
            _ => None,
        };
        let mut array = Vec::new();
        while fixed.is_none_or(|count| array.len() < count) {
            let inner = match kind.name() {
                "tuple" => kind.part(1 + array.len()),
                "array" => kind.part(2),
                _ => kind.part(1),
            };
            match items.next_element_seed(kind.inner(inner))? {
                Some(item) => array.push(item.unwrap_or(Value::Null)),
                None if fixed.is_some() => return Err(A::Error::invalid_length(array.len(), &self)),
                None => break,
            }
        }
        Ok(Some(Value::Array(array)))
    }
}

struct Entries(Typed);

impl<'de> Visitor<'de> for Entries {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Outcome<A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(self.0)?;
            map.insert(key, value.unwrap_or(Value::Null));
        }
        Ok(Some(Value::Object(map)))
    }
}

/// The fields of a struct or case, and for a tagged case its tag.
struct Fields(Typed, &'static Value, Option<(&'static str, String)>);

impl<'de> Visitor<'de> for Fields {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct S")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Outcome<A::Error> {
        let Fields(kind, fields, tag) = self;
        let fields = fields.as_object().expect("fields");
        let mut given = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let defaulted = format!("{key}?");
            let Some(field) = fields.get(&key).or_else(|| fields.get(&defaulted)) else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            if let Some(value) = members.next_value_seed(kind.inner(field))? {
                given.insert(key, value);
            }
        }
        let mut object = Map::new();
        object.extend(tag.map(|(tag, case)| (tag.to_owned(), Value::from(case))));
        for (field, kind) in fields {
            let name = field.trim_end_matches('?');
            match given.shift_remove(name) {
                Some(value) => {
                    object.insert(name.to_owned(), value);
                }
                None if name == field && kind[0] != "option" => {
                    return Err(A::Error::custom(format!("missing field `{name}`")));
                }
                None => {}
            }
        }
        Ok(Some(Value::Object(object)))
    }
}

struct Cases(Typed);

impl<'de> Visitor<'de> for Cases {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("enum E")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Outcome<A::Error> {
        let (name, content) = access.variant::<String>()?;
        let kind = if self.0.name() == "external" { &self.0.part(1)[&name] } else { &Value::Null };
        let value = match kind {
            Value::Null => {
                content.unit_variant()?;
                return Ok(Some(Value::from(name)));
            }
            Value::Object(_) => content.struct_variant(fields(kind), Fields(self.0, kind, None))?,
            _ => content.newtype_variant_seed(self.0.inner(kind))?,
        };
        Ok(Some(json!({name: value})))
    }
}
