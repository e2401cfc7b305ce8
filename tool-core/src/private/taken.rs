//! What a call took of its parameters, and how it goes on once every one of them is there.

use std::future::Future;

use crate::args::Args;
use crate::context::ToolContext;
use crate::def::Run;
use crate::error::ToolError;
use crate::output::ToolResult;

/// One option per parameter: nothing where an issue was recorded.
pub trait Taken {
    /// Every value.
    type Values;
    /// Every value, or nothing if one of them is missing.
    fn values(self) -> Option<Self::Values>;
}

macro_rules! taken {
    ($($name:ident)*) => {
        #[expect(non_snake_case, reason = "a parameter's type and value share a letter")]
        impl<$($name),*> Taken for ($(Option<$name>,)*) {
            type Values = ($($name,)*);
            #[inline]
            fn values(self) -> Option<Self::Values> {
                let ($($name,)*) = self;
                Some(($($name?,)*))
            }
        }
    };
    ($($name:ident)* + $next:ident $($rest:ident)*) => {
        taken!($($name)*);
        taken!($($name)* $next + $($rest)*);
    };
    ($($name:ident)* +) => {
        taken!($($name)*);
    };
}
// Up to the greatest number of parameters (`check/names.rs` of the macros).
taken!(A + B C D E F G H I J K L M N O P Q R S T U V W X Y Z AA AB AC AD AE AF);

impl Taken for () {
    type Values = ();
    fn values(self) -> Option<()> {
        Some(())
    }
}

#[inline]
fn values<T: Taken>(args: &mut Args<'_>, taken: T) -> Result<T::Values, ToolError> {
    args.finish()?;
    taken.values().ok_or_else(|| args.incomplete())
}

/// The run of a plain function, or every issue of the call. Where the call is to run at once it has run afterwards.
#[inline]
pub fn blocking<T: Taken>(
    args: &mut Args<'_>,
    taken: T,
    body: fn(T::Values, ToolContext) -> ToolResult,
) -> Result<Run, ToolError>
where
    T::Values: Send + 'static,
{
    let values = values(args, taken)?;
    let tool = args.tool();
    if let Some(call) = args.at_once() {
        call.run(tool, |ctx| body(values, ctx));
        return Ok(Run::blocking(has_run));
    }
    Ok(Run::blocking(move |ctx| body(values, ctx)))
}

/// What is left to do of a call that ran at once; whoever let it has the result.
fn has_run(_: ToolContext) -> ToolResult {
    Err(ToolError::internal("The tool has run already."))
}

/// The run of an `async` function, or every issue of the call.
#[inline]
pub fn future<T: Taken, F>(
    args: &mut Args<'_>,
    taken: T,
    body: fn(T::Values, ToolContext) -> F,
) -> Result<Run, ToolError>
where
    T::Values: Send + 'static,
    F: Future<Output = ToolResult> + Send + 'static,
{
    let values = values(args, taken)?;
    Ok(Run::future(move |ctx| body(values, ctx)))
}
