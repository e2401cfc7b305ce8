//! Options for single members of an object (`--owner.age`): they win over the object that JSON or `--input` gives.
//!
//! Null is an object without members here, and a text that holds an object is opened, as the decoder would open it. Anything
//! else goes on as it is: the decoder tells that it is no object.

use serde_json::{Map, Value};
use tool_core::args;

use super::{Found, Gatherer, Noted, Use};
use crate::fault::pointer;
use crate::flags::Param;
use crate::lex::Given;

impl Gatherer<'_, '_, '_> {
    /// The value that options give; `base` is what `--input` holds.
    pub(super) fn explicit(&mut self, param: &Param, own: &[&Given], base: Option<Value>) -> Found<Value> {
        let path = pointer([param.name.as_str()]);
        let (members, whole): (Vec<&Given>, Vec<&Given>) =
            own.iter().copied().partition(|given| given.member.is_some());
        let whole: Vec<Use<'_>> = whole.into_iter().map(Use::from).collect();
        let value =
            if whole.is_empty() { Ok(base.unwrap_or_default()) } else { self.value(param, &whole, &path) };
        if members.is_empty() {
            return value;
        }
        let (value, mut sound) = value.map_or((Value::Null, Err(Noted)), |value| (value, Ok(())));
        let mut whole = Whole::from(value);
        for (index, member) in param.members.iter().enumerate() {
            let uses: Vec<Use<'_>> = members
                .iter()
                .filter(|given| given.member == Some(index))
                .map(|given| Use::from(*given))
                .collect();
            if uses.is_empty() {
                continue;
            }
            match self.value(member, &uses, &format!("{path}{}", pointer([member.name.as_str()]))) {
                Ok(found) => whole.insert(&member.name, found),
                Err(Noted) => sound = Err(Noted),
            }
        }
        sound.map(|()| whole.into())
    }
}

/// What members are put into.
pub(super) enum Whole {
    /// An object; whether it came as a text that holds it.
    Object(Map<String, Value>, bool),
    /// No object.
    Other(Value),
}

impl Whole {
    /// Puts a member in, in place of one that is there.
    pub(super) fn insert(&mut self, member: &str, value: Value) {
        if let Whole::Object(object, _) = self {
            object.insert(member.to_owned(), value);
        }
    }
}

impl From<Value> for Whole {
    fn from(value: Value) -> Whole {
        match value {
            Value::Object(object) => Whole::Object(object, false),
            Value::Null => Whole::Object(Map::new(), false),
            Value::String(text) => match args::parse(&text) {
                Ok(Value::Object(object)) => Whole::Object(object, true),
                Ok(Value::Null) => Whole::Object(Map::new(), true),
                _ => Whole::Other(Value::String(text)),
            },
            other => Whole::Other(other),
        }
    }
}

impl From<Whole> for Value {
    fn from(whole: Whole) -> Value {
        match whole {
            // What came as a text goes on as one: opening it is the decoder's, who tells of it.
            Whole::Object(object, true) => Value::String(Value::Object(object).to_string()),
            Whole::Object(object, false) => Value::Object(object),
            Whole::Other(value) => value,
        }
    }
}
