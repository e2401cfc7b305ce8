//! The panic guard: nothing unwinds past a call.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use super::redact::{KnownSecrets, redact_text};
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::output::ToolResult;

/// Runs a function; a panic becomes `internal`, code `panic`. Its text goes to the log only.
pub(super) fn guard(
    tool: &str,
    secrets: Option<&KnownSecrets>,
    body: impl FnOnce() -> ToolResult,
) -> ToolResult {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(report(tool, secrets, &*payload)))
}

/// A future that does not unwind.
pub(super) struct Guarded<'a> {
    pub(super) tool: &'a str,
    pub(super) secrets: Option<&'a KnownSecrets>,
    pub(super) future: BoxFuture<'a, ToolResult>,
}

impl Future for Guarded<'_> {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ToolResult> {
        let (tool, secrets) = (self.tool, self.secrets);
        catch_unwind(AssertUnwindSafe(|| self.future.as_mut().poll(cx)))
            .unwrap_or_else(|payload| Poll::Ready(Err(report(tool, secrets, &*payload))))
    }
}

/// Makes a future; `None` after a panic.
pub(super) fn quiet<T>(tool: &str, make: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(make)).map_err(|payload| report(tool, None, &*payload)).ok()
}

/// A future that answers `None` when it panics.
pub(super) struct Quiet<'a, T>(pub(super) BoxFuture<'a, T>);

impl<T> Future for Quiet<'_, T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let polled = catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx)));
        match polled {
            Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(_) => Poll::Ready(None),
        }
    }
}

fn report(tool: &str, secrets: Option<&KnownSecrets>, payload: &(dyn Any + Send)) -> ToolError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no text)");
    let none = KnownSecrets::default();
    let text = redact_text(text, secrets.unwrap_or(&none));
    tracing::error!(target: "toolbox::call", tool, panic = text, "a tool panicked");
    ToolError::internal("The tool stopped unexpectedly.").code("panic")
}
