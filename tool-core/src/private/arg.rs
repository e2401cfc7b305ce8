//! What the type of a parameter must be.

use schemars::JsonSchema;

/// A type that can be a parameter of a tool: it decodes from JSON and has a schema.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool parameter",
    label = "neither decodes from JSON nor has a schema",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` (schemars 1), or mark it `#[ctx]` if it is supplied by the host"
)]
pub trait ToolArg: serde::de::DeserializeOwned + JsonSchema {}
#[diagnostic::do_not_recommend]
impl<T: serde::de::DeserializeOwned + JsonSchema> ToolArg for T {}

/// A bound like [`ToolArg`] whose refusal names a type as its author wrote it, whatever path the compiler would print.
#[doc(hidden)]
#[macro_export]
macro_rules! __arg {
    ($bound:ident $message:literal) => {
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "neither decodes from JSON nor has a schema",
            note = "derive `serde::Deserialize` and `schemars::JsonSchema` (schemars 1), or mark it `#[ctx]` if it is supplied by the host"
        )]
        trait $bound: $crate::__private::Sized {
            fn take(args: &mut $crate::__private::Args<'_>, i: $crate::__private::usize) -> $crate::__private::Option<Self>;
            fn take_or(
                args: &mut $crate::__private::Args<'_>,
                i: $crate::__private::usize,
                default: fn() -> Self,
            ) -> $crate::__private::Option<Self>;
        }
        #[diagnostic::do_not_recommend]
        impl<T: $crate::__private::ToolArg> $bound for T {
            fn take(args: &mut $crate::__private::Args<'_>, i: $crate::__private::usize) -> $crate::__private::Option<T> {
                args.take(i)
            }
            fn take_or(
                args: &mut $crate::__private::Args<'_>,
                i: $crate::__private::usize,
                default: fn() -> T,
            ) -> $crate::__private::Option<T> {
                args.take_or(i, default)
            }
        }
    };
}
