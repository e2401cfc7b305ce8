//! Arguments given back: every one that is there.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The arguments given back: every one that is there.
pub(super) fn echo<const N: usize>(args: [(&str, Option<Value>); N]) -> Value {
    args.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<Map<_, _>>().into()
}

pub(super) fn of(value: &(impl Serialize + ?Sized)) -> Option<Value> {
    Some(json!(value))
}

pub(super) fn opt(value: &Option<impl Serialize>) -> Option<Value> {
    value.as_ref().map(|value| json!(value))
}
