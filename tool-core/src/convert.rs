//! From what a function returns to a [`ToolResult`], chosen by type.
//!
//! The macro cannot know whether `io::Result<T>` is a `Result`; the type checker does. Each choice is a ladder of traits
//! on [`Of`], one reference deeper per preference (autoref specialisation): the call site asks `(&&&of).…()` and method
//! lookup takes the first rung whose bound holds.

use std::any::Any;
use std::borrow::Cow;
use std::convert::Infallible;
use std::error::Error as StdError;
use std::io;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::error::{ErrorKind, ToolError};
use crate::output::{Content, Finish, ToolOutput, ToolResult};

/// A type, to be asked what it is.
pub struct Of<T>(PhantomData<fn() -> T>);

impl<T> Of<T> {
    /// The type itself.
    #[expect(clippy::new_without_default, reason = "generated code names the one way there is")]
    pub const fn new() -> Self {
        Of(PhantomData)
    }

    /// The type of a value.
    pub const fn value(_: &T) -> Self {
        Of(PhantomData)
    }
}

// ---- Result or not ----------------------------------------------------------------------------------------------------

/// Rung 1: a `Result`.
pub trait SplitResult<T, E> {
    /// The success type.
    fn ok(&self) -> Of<T>;
    /// Both sides.
    fn split(&self, value: Result<T, E>) -> Result<T, E>;
}
impl<T, E> SplitResult<T, E> for &Of<Result<T, E>> {
    fn ok(&self) -> Of<T> {
        Of::new()
    }
    fn split(&self, value: Result<T, E>) -> Result<T, E> {
        value
    }
}

/// Rung 2: anything else cannot fail.
pub trait SplitValue<T> {
    /// The type itself.
    fn ok(&self) -> Of<T>;
    /// Always the value.
    fn split(&self, value: T) -> Result<T, Infallible>;
}
impl<T> SplitValue<T> for Of<T> {
    fn ok(&self) -> Of<T> {
        Of::new()
    }
    fn split(&self, value: T) -> Result<T, Infallible> {
        Ok(value)
    }
}

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

impl<T: Serialize + JsonSchema> IntoOutput for Finish<T> {
    fn into_output(self) -> ToolResult {
        let mut output = serialized(self.0)?;
        if let Some(serde_json::Value::String(text)) = &output.structured {
            output = ToolOutput::text(text.clone());
        }
        Ok(ToolOutput { finish: true, ..output })
    }
    fn output_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(T::json_schema(generator))
            .filter(|schema| schema.get("type").is_none_or(|t| t != "string" && t != "null"))
    }
}

fn serialized<T: Serialize>(value: T) -> ToolResult {
    match serde_json::to_value(value) {
        Ok(value) => Ok(ToolOutput::structured(value)),
        Err(error) => Err(ToolError::internal("The result cannot be written as JSON.")
            .code("output_encode")
            .source(error)),
    }
}

/// Rung 1: a type with its own form.
pub trait OutputOwn<T> {
    /// The result.
    fn output(&self, value: T) -> ToolResult;
    /// The schema of its structured value.
    fn schema(&self, generator: &mut SchemaGenerator) -> Option<Schema>;
}
impl<T: IntoOutput> OutputOwn<T> for &&&Of<T> {
    fn output(&self, value: T) -> ToolResult {
        value.into_output()
    }
    fn schema(&self, generator: &mut SchemaGenerator) -> Option<Schema> {
        T::output_schema(generator)
    }
}

/// Rung 2: a value with a schema.
pub trait OutputTyped<T> {
    /// The value as JSON.
    fn output(&self, value: T) -> ToolResult;
    /// Its schema, in the serialize contract.
    fn schema(&self, generator: &mut SchemaGenerator) -> Option<Schema>;
}
impl<T: Serialize + JsonSchema> OutputTyped<T> for &&Of<T> {
    fn output(&self, value: T) -> ToolResult {
        serialized(value)
    }
    fn schema(&self, generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
}

/// Rung 3: a value without a schema.
pub trait OutputUntyped<T> {
    /// The value as JSON.
    fn output(&self, value: T) -> ToolResult;
    /// None.
    fn schema(&self, generator: &mut SchemaGenerator) -> Option<Schema>;
}
impl<T: Serialize> OutputUntyped<T> for &Of<T> {
    fn output(&self, value: T) -> ToolResult {
        serialized(value)
    }
    fn schema(&self, _: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// What a tool may return. Nothing implements it: it only gives the error its words.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "not a result",
    note = "return `ToolOutput`, text, `()`, or a type that implements `serde::Serialize`"
)]
pub trait ToolReturn {}

/// The last rung: an error with the type's name.
pub trait OutputRefused<T> {
    /// Never called.
    fn output(&self, value: T) -> ToolResult
    where
        T: ToolReturn;
    /// None.
    fn schema(&self, generator: &mut SchemaGenerator) -> Option<Schema>;
}
impl<T> OutputRefused<T> for Of<T> {
    fn output(&self, _: T) -> ToolResult
    where
        T: ToolReturn,
    {
        Ok(ToolOutput::default())
    }
    fn schema(&self, _: &mut SchemaGenerator) -> Option<Schema> {
        None
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

/// Rung 1: an error with its own form.
pub trait ErrorOwn<E> {
    /// The error.
    fn error(&self, error: E) -> ToolError;
}
impl<E: IntoToolError> ErrorOwn<E> for &&&Of<E> {
    fn error(&self, error: E) -> ToolError {
        error.into_tool_error()
    }
}

/// Rung 2: a foreign error; its text is for operators.
pub trait ErrorForeign<E> {
    /// Kind `failed`; the kinds of `io::Error` are mapped.
    fn error(&self, error: E) -> ToolError;
}
impl<E: StdError + Send + Sync + 'static> ErrorForeign<E> for &&Of<E> {
    fn error(&self, error: E) -> ToolError {
        let kind = match (&error as &dyn Any).downcast_ref::<io::Error>() {
            Some(io) => io_kind(io.kind()),
            None => ErrorKind::Failed,
        };
        ToolError::foreign(kind, error)
    }
}

/// Rung 3: what turns into a boxed error, such as `anyhow::Error`; its text is for operators.
pub trait ErrorBoxed<E> {
    /// Kind `failed`.
    fn error(&self, error: E) -> ToolError;
}
impl<E: Into<Box<dyn StdError + Send + Sync>>> ErrorBoxed<E> for &Of<E> {
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
pub trait ErrorRefused<E> {
    /// Never called.
    fn error(&self, error: E) -> ToolError
    where
        E: ToolFailure;
}
impl<E> ErrorRefused<E> for Of<E> {
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
        |generator| (&&&&(&&$crate::__private::Of::<$type>::new()).ok()).schema(generator)
    };
}
