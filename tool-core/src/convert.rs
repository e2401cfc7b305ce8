//! From what a function returns to a [`ToolResult`], chosen by type.
//!
//! The macro cannot know whether `io::Result<T>` is a `Result`; the type checker does. Each choice is a ladder of impls
//! for [`Of`], one reference deeper per preference (autoref specialisation): method lookup begins at the deepest and takes
//! the first rung whose bound holds. [`Success`] and [`Failure`] are as deep as their ladders; nobody else counts.

use std::borrow::Cow;
use std::convert::Infallible;
use std::error::Error as StdError;
use std::io;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use crate::depth::{self, Unwritable};
use crate::error::{ErrorKind, ToolError};
use crate::output::{Content, Finish, ToolOutput, ToolResult};
use crate::schema::UNTYPED;
use crate::structured::Structured;

/// A type, to be asked what it is.
pub struct Of<T>(PhantomData<fn() -> T>);

impl<T> Of<T> {
    /// The type itself.
    #[expect(clippy::new_without_default, reason = "generated code names the one way there is")]
    pub const fn new() -> Self {
        Of(PhantomData)
    }

    /// The ladder of a type that a function returns.
    pub const fn returns<'r>() -> Success<'r, T> {
        &&&&&&&&Of(PhantomData)
    }

    /// The ladder of a returned value.
    pub const fn returned<'r>(_: &T) -> Success<'r, T> {
        Self::returns()
    }

    /// The ladder of an error.
    pub const fn failed<'r>(_: &T) -> Failure<'r, T> {
        &&&Of(PhantomData)
    }
}

/// Where the search for [`Returned`] begins: one reference above its first rung.
type Success<'r, T> = &'r &'r &'r &'r &'r &'r &'r &'r Of<T>;

/// Where the search for [`Failed`] begins.
type Failure<'r, T> = &'r &'r &'r Of<T>;

// ---- success ----------------------------------------------------------------------------------------------------------

/// A type with its own form as a result.
pub trait IntoOutput: Sized {
    /// The result.
    fn into_output(self) -> ToolResult;
    /// The schema of its structured value.
    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        let _ = generator;
        None
    }
}

impl IntoOutput for ToolOutput {
    fn into_output(self) -> ToolResult {
        Ok(self)
    }
}
impl IntoOutput for () {
    fn into_output(self) -> ToolResult {
        Ok(ToolOutput::default())
    }
}
impl IntoOutput for Content {
    fn into_output(self) -> ToolResult {
        Ok(ToolOutput { content: vec![self], ..ToolOutput::default() })
    }
}
impl IntoOutput for Vec<Content> {
    fn into_output(self) -> ToolResult {
        Ok(ToolOutput { content: self, ..ToolOutput::default() })
    }
}
macro_rules! texts {
    ($($type:ty),*) => {
        $(impl IntoOutput for $type {
            fn into_output(self) -> ToolResult {
                Ok(ToolOutput::text(self))
            }
        })*
    };
}
texts!(String, &str, Cow<'_, str>, Box<str>);

/// Not copied, and so of any depth, until the call looks at it.
impl IntoOutput for Value {
    fn into_output(self) -> ToolResult {
        Ok(ToolOutput::structured(self))
    }
    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        typed::<Self>(generator)
    }
}

fn serialized<T: Serialize>(value: T) -> ToolResult {
    let text = written(value)?;
    Ok(ToolOutput { structured: Some(Structured::written(text)), ..ToolOutput::default() })
}

/// A value as compact JSON.
pub(crate) fn written<T: Serialize>(value: T) -> Result<String, ToolError> {
    match depth::to_text(&value) {
        Ok(text) => Ok(text),
        Err(Unwritable::TooDeep) => {
            // To drop it would recurse as deep as to write it.
            std::mem::forget(value);
            Err(ToolError::internal("The result is nested too deeply to be written as JSON.")
                .code("output_too_deep"))
        }
        Err(Unwritable::Own(error)) => Err(ToolError::internal("The result cannot be written as JSON.")
            .code("output_encode")
            .source(error)),
    }
}

/// What becomes of a returned value, by the type it was returned as.
pub trait Returned<R> {
    /// What it fails with; [`Infallible`] where the type is no `Result`.
    type Error;
    /// The result, or the error still in its own form.
    fn output(&self, returned: R) -> Result<ToolResult, Self::Error>;
    /// The schema of the structured value, in the serialize contract.
    fn schema(&self, generator: &mut SchemaGenerator) -> Option<Schema>;
}

macro_rules! returned {
    ($([$($generics:tt)*] $rung:ty => $type:ty, $error:ty: |$value:ident| $output:expr, $schema:expr;)*) => {
        $(impl<$($generics)*> Returned<$type> for $rung {
            type Error = $error;
            fn output(&self, $value: $type) -> Result<ToolResult, $error> {
                $output
            }
            fn schema(&self, generator: &mut SchemaGenerator) -> Option<Schema> {
                $schema(generator)
            }
        })*
    };
}
// `Result` is itself `Serialize`, so it comes before plain values. `Finish<T>` is neither a form of its own nor
// `Serialize`: it stands on the rung of its `T`.
returned! {
    [T: IntoOutput] &&&&&&&Of<T> => T, Infallible: |value| Ok(value.into_output()), T::output_schema;
    [T: IntoOutput, E] &&&&&&Of<Result<T, E>> => Result<T, E>, E: |value| value.map(T::into_output), T::output_schema;
    [T: Serialize + JsonSchema, E] &&&&&Of<Result<T, E>> => Result<T, E>, E: |value| value.map(serialized), typed::<T>;
    [T: Serialize, E] &&&&Of<Result<T, E>> => Result<T, E>, E: |value| value.map(serialized), untyped;
    [T: Serialize + JsonSchema] &&&Of<T> => T, Infallible: |value| Ok(serialized(value)), typed::<T>;
    [T: Serialize] &&Of<T> => T, Infallible: |value| Ok(serialized(value)), untyped;

    [T: IntoOutput] &&&&&&&Of<Finish<T>> => Finish<T>, Infallible: |last| Ok(finishing(last.0.into_output())), T::output_schema;
    [T: IntoOutput, E] &&&&&&Of<Result<Finish<T>, E>> => Result<Finish<T>, E>, E: |value| value.map(|last| finishing(last.0.into_output())), T::output_schema;
    [T: Serialize + JsonSchema, E] &&&&&Of<Result<Finish<T>, E>> => Result<Finish<T>, E>, E: |value| value.map(|last| finishing(serialized(last.0))), typed::<T>;
    [T: Serialize, E] &&&&Of<Result<Finish<T>, E>> => Result<Finish<T>, E>, E: |value| value.map(|last| finishing(serialized(last.0))), untyped;
    [T: Serialize + JsonSchema] &&&Of<Finish<T>> => Finish<T>, Infallible: |last| Ok(finishing(serialized(last.0))), typed::<T>;
    [T: Serialize] &&Of<Finish<T>> => Finish<T>, Infallible: |last| Ok(finishing(serialized(last.0))), untyped;
}

/// The same result as the last of a run.
fn finishing(result: ToolResult) -> ToolResult {
    result.map(|output| ToolOutput { finish: true, ..output })
}

fn typed<T: JsonSchema>(generator: &mut SchemaGenerator) -> Option<Schema> {
    Some(generator.subschema_for::<T>())
}

fn untyped(_: &mut SchemaGenerator) -> Option<Schema> {
    Some(Schema::from(serde_json::Map::from_iter([(UNTYPED.to_owned(), true.into())])))
}

/// What a tool may return. Nothing implements it: it only gives the error its words.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "not a result",
    note = "return `ToolOutput`, text, `()`, or a type that implements `serde::Serialize`"
)]
pub trait ToolReturn {}

/// The last rungs: an error with the type's name.
pub trait ReturnedRefused<T, R, E> {
    /// Never called.
    fn output(&self, returned: R) -> Result<ToolResult, E>
    where
        T: ToolReturn;
    /// None.
    fn schema(&self, _: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}
impl<T, E> ReturnedRefused<T, Result<T, E>, E> for &Of<Result<T, E>> {
    fn output(&self, returned: Result<T, E>) -> Result<ToolResult, E>
    where
        T: ToolReturn,
    {
        returned.map(|_| Ok(ToolOutput::default()))
    }
}
impl<T> ReturnedRefused<T, T, Infallible> for Of<T> {
    fn output(&self, _: T) -> Result<ToolResult, Infallible>
    where
        T: ToolReturn,
    {
        Ok(Ok(ToolOutput::default()))
    }
}

// ---- failure ----------------------------------------------------------------------------------------------------------

/// A type with its own form as an error.
pub trait IntoToolError {
    /// The error.
    fn into_tool_error(self) -> ToolError;
}
impl IntoToolError for ToolError {
    fn into_tool_error(self) -> ToolError {
        self
    }
}
impl IntoToolError for Infallible {
    fn into_tool_error(self) -> ToolError {
        match self {}
    }
}
macro_rules! messages {
    ($($type:ty),*) => {
        $(impl IntoToolError for $type {
            /// The author's own message, shown to the model.
            fn into_tool_error(self) -> ToolError {
                ToolError::failed(String::from(self))
            }
        })*
    };
}
messages!(String, &str, Cow<'_, str>, Box<str>);

/// What becomes of an error.
pub trait Failed<E> {
    /// The error in the one form.
    fn error(&self, error: E) -> ToolError;
}
impl<E: IntoToolError> Failed<E> for &&Of<E> {
    fn error(&self, error: E) -> ToolError {
        error.into_tool_error()
    }
}
/// A foreign error, or what turns into one, such as `anyhow::Error`: its text is for operators, the kinds of `io::Error`
/// are mapped.
impl<E: Into<Box<dyn StdError + Send + Sync>>> Failed<E> for &Of<E> {
    fn error(&self, error: E) -> ToolError {
        let error: Box<dyn StdError + Send + Sync> = error.into();
        match error.downcast::<ToolError>() {
            Ok(own) => *own,
            Err(error) => {
                let kind =
                    error.downcast_ref::<io::Error>().map_or(ErrorKind::Failed, |io| io_kind(io.kind()));
                ToolError::foreign(kind, error)
            }
        }
    }
}

/// What a tool may fail with. Nothing implements it: it only gives the error its words.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "not an error",
    note = "use `ToolError`, a type that implements `std::error::Error + Send + Sync`, or `String`"
)]
pub trait ToolFailure {}

/// The last rung: an error with the type's name.
pub trait FailedRefused<E> {
    /// Never called.
    fn error(&self, error: E) -> ToolError
    where
        E: ToolFailure;
}
impl<E> FailedRefused<E> for Of<E> {
    fn error(&self, _: E) -> ToolError
    where
        E: ToolFailure,
    {
        ToolError::internal("The tool failed.")
    }
}

fn io_kind(kind: io::ErrorKind) -> ErrorKind {
    use io::ErrorKind as Io;
    match kind {
        Io::NotFound => ErrorKind::NotFound,
        Io::AlreadyExists => ErrorKind::Conflict,
        Io::PermissionDenied => ErrorKind::Denied,
        Io::TimedOut => ErrorKind::Timeout,
        Io::ConnectionRefused
        | Io::ConnectionReset
        | Io::ConnectionAborted
        | Io::HostUnreachable
        | Io::NetworkUnreachable
        | Io::NotConnected => ErrorKind::Unavailable,
        _ => ErrorKind::Failed,
    }
}

/// The [`crate::def::OutputFn`] of a return type.
#[doc(hidden)]
#[macro_export]
macro_rules! __output {
    ($type:ty) => {
        |generator| $crate::__private::Of::<$type>::returns().schema(generator)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_refuses_has_a_kind_of_its_own() {
        let rows = [
            (io::ErrorKind::NotFound, ErrorKind::NotFound),
            (io::ErrorKind::AlreadyExists, ErrorKind::Conflict),
            (io::ErrorKind::PermissionDenied, ErrorKind::Denied),
            (io::ErrorKind::TimedOut, ErrorKind::Timeout),
            (io::ErrorKind::ConnectionRefused, ErrorKind::Unavailable),
            (io::ErrorKind::NetworkUnreachable, ErrorKind::Unavailable),
            (io::ErrorKind::BrokenPipe, ErrorKind::Failed),
        ];
        for (of_system, kind) in rows {
            assert_eq!(io_kind(of_system), kind, "{of_system}");
        }
    }
}
