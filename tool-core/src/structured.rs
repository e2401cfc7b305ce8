//! The structured value of a result: written when the tool ends, read as a tree by whoever looks into it.
//!
//! Most surfaces only pass it on: as the text of a model's message, as a part of an answer. A tool's own type is therefore
//! written at once, without a tree of it between; the tree is made from the text, once, when it is asked for.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::depth;

/// A JSON value that a tool gave back; reads like a [`Value`], which it dereferences to.
#[derive(Clone)]
pub struct Structured(Form);

#[derive(Clone)]
enum Form {
    // A result is moved often: what it is made of is small.
    Value(Box<Value>),
    Text { text: String, value: OnceLock<Box<Value>> },
}

impl Structured {
    /// What was written as JSON already.
    pub(crate) fn written(text: String) -> Structured {
        Structured(Form::Text { text, value: OnceLock::new() })
    }

    /// The value. What serde_json cannot read though a tool has written it, such as a raw number beyond `f64`, is its text.
    pub fn as_value(&self) -> &Value {
        match &self.0 {
            Form::Value(value) => value,
            Form::Text { text, value } => value.get_or_init(|| Box::new(read(text))),
        }
    }

    /// The value, to have.
    pub fn into_value(self) -> Value {
        match self.0 {
            Form::Value(value) => *value,
            Form::Text { text, value } => match value.into_inner() {
                Some(value) => *value,
                None => read(&text),
            },
        }
    }

    /// A copy of the value.
    pub fn to_value(&self) -> Value {
        match &self.0 {
            Form::Value(value) => (**value).clone(),
            Form::Text { text, value } => value.get().map_or_else(|| read(text), |value| (**value).clone()),
        }
    }

    /// As compact JSON.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            Form::Value(value) => Cow::Owned(value.to_string()),
            Form::Text { text, .. } => Cow::Borrowed(text),
        }
    }

    /// As compact JSON, to have.
    pub fn into_text(self) -> String {
        match self.0 {
            Form::Value(value) => value.to_string(),
            Form::Text { text, .. } => text,
        }
    }

    /// Whether arrays and objects in it are nested deeper than that.
    #[inline]
    pub(crate) fn exceeds(&self, levels: usize) -> bool {
        match &self.0 {
            Form::Value(value) => depth::exceeds(value, levels),
            Form::Text { text, .. } => depth::text_exceeds(text, levels),
        }
    }

    /// Forgets what is of any depth.
    pub(crate) fn dismantle(&mut self) {
        if let Form::Value(value) = &mut std::mem::take(self).0 {
            depth::dismantle(value.take());
        }
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// `null`.
impl Default for Structured {
    fn default() -> Self {
        Value::Null.into()
    }
}

impl From<Value> for Structured {
    fn from(value: Value) -> Self {
        Structured(Form::Value(Box::new(value)))
    }
}

impl From<Structured> for Value {
    fn from(structured: Structured) -> Self {
        structured.into_value()
    }
}

impl Deref for Structured {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.as_value()
    }
}

impl PartialEq for Structured {
    fn eq(&self, other: &Structured) -> bool {
        self.as_value() == other.as_value()
    }
}

impl PartialEq<Value> for Structured {
    fn eq(&self, other: &Value) -> bool {
        self.as_value() == other
    }
}

impl fmt::Debug for Structured {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_value().fmt(out)
    }
}

/// Compact JSON.
impl fmt::Display for Structured {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text())
    }
}

/// As its value, in any format.
impl Serialize for Structured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_value().serialize(serializer)
    }
}

/// A structured value as it was written, for the serializers of serde_json alone.
#[derive(Debug)]
pub(crate) struct Verbatim<'s>(pub(crate) &'s Structured);

impl Serialize for Verbatim<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Form::Text { text, .. } = &self.0.0
            && let Ok(raw) = serde_json::from_str::<&RawValue>(text)
        {
            return raw.serialize(serializer);
        }
        self.0.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_written_reads_as_what_was_given() {
        let value = json!({"b": [1, 2.5, "é"], "a": null});
        let (given, written) = (Structured::from(value.clone()), Structured::written(value.to_string()));
        assert_eq!(given, written);
        for each in [given, written] {
            assert_eq!(each, value);
            assert_eq!(each["b"][2], "é");
            assert_eq!(each.text(), value.to_string());
            assert_eq!(json!(each), value);
            assert_eq!(json!(Verbatim(&each)), value);
            assert_eq!(serde_json::to_string(&Verbatim(&each)).unwrap(), value.to_string());
            assert_eq!((each.to_value(), each.clone().into_value()), (value.clone(), value.clone()));
            assert_eq!(each.into_text(), value.to_string());
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_lost() {
        let beyond = Structured::written("1e999".to_owned());
        assert_eq!(beyond, json!("1e999"));
        assert_eq!(beyond.text(), "1e999");
    }
}
