//! Defaults and example values.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::convert::Of;

/// A type that a text literal can be the default of.
#[diagnostic::on_unimplemented(
    message = "a text cannot be the default of `{Self}`",
    label = "a text",
    note = "write the value as Rust, as in `default = 10` or `default = Level::Low`"
)]
pub trait TextDefault: Sized {
    /// The value.
    fn text(text: &'static str) -> Self;
}
macro_rules! text_defaults {
    ($($type:ty),*) => {
        $(impl TextDefault for $type {
            fn text(text: &'static str) -> Self {
                text.into()
            }
        })*
    };
}
text_defaults!(String, PathBuf, Box<str>, Arc<str>, Cow<'static, str>, Value);
impl TextDefault for Cow<'static, Path> {
    fn text(text: &'static str) -> Self {
        Cow::Borrowed(Path::new(text))
    }
}
/// Only so that an optional parameter with a default is one error.
#[diagnostic::do_not_recommend]
impl<T> TextDefault for Option<T> {
    fn text(_: &'static str) -> Self {
        None
    }
}

/// Rung 1: any default of an optional parameter is taken, since [`super::param_with`] refuses it.
pub trait DefaultOfOption<T> {
    /// Nothing.
    fn default<X>(&self, value: X) -> Option<T>;
}
impl<T> DefaultOfOption<T> for &Of<Option<T>> {
    fn default<X>(&self, _: X) -> Option<T> {
        None
    }
}

/// Rung 2: the default has the parameter's own type.
pub trait DefaultOfType<T> {
    /// The value.
    fn default(&self, value: T) -> T;
}
impl<T> DefaultOfType<T> for Of<T> {
    fn default(&self, value: T) -> T {
        value
    }
}

/// The JSON form of a default.
pub fn json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// The JSON form of example values.
pub fn array<const N: usize>(values: [Value; N]) -> Value {
    values.into_iter().collect()
}

/// What a serde module wrote.
pub fn written(value: Result<Value, serde_json::Error>) -> Value {
    value.unwrap_or(Value::Null)
}
