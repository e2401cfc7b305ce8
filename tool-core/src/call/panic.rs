//! The panic guard: nothing unwinds past a call, neither what decodes its arguments nor what is left when it ends.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use super::redact::{KnownSecrets, redact_text};
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::output::ToolResult;

/// Runs a function; a panic becomes `internal`, code `panic`. Its text goes to the log only, without the `secrets` that are
/// known by then.
pub(super) fn guard<'s, T>(
    tool: &str,
    secrets: impl FnOnce() -> Option<&'s KnownSecrets>,
    body: impl FnOnce() -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(report(tool, secrets(), payload)))
}

/// A future that does not unwind, not even when it is dropped half way.
pub(super) struct Guarded<'a> {
    tool: &'a str,
    secrets: Option<&'a KnownSecrets>,
    /// There until it is dropped.
    future: Option<BoxFuture<'a, ToolResult>>,
}

impl<'a> Guarded<'a> {
    /// Guards a future of a tool's call.
    pub(super) fn new(
        tool: &'a str,
        secrets: Option<&'a KnownSecrets>,
        future: BoxFuture<'a, ToolResult>,
    ) -> Guarded<'a> {
        Guarded { tool, secrets, future: Some(future) }
    }
}

impl Future for Guarded<'_> {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ToolResult> {
        let (tool, secrets) = (self.tool, self.secrets);
        let Some(future) = &mut self.future else { return Poll::Pending };
        catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx)))
            .unwrap_or_else(|payload| Poll::Ready(Err(report(tool, secrets, payload))))
    }
}

impl Drop for Guarded<'_> {
    fn drop(&mut self) {
        let future = self.future.take();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(future))) {
            report(self.tool, self.secrets, payload);
        }
    }
}

/// Makes a future; `None` after a panic.
pub(crate) fn quiet<T>(tool: &str, make: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(make)).map_err(|payload| report(tool, None, payload)).ok()
}

/// A future that answers `None` when it panics.
pub(crate) struct Quiet<'a, T>(pub(crate) BoxFuture<'a, T>);

impl<T> Future for Quiet<'_, T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let polled = catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx)));
        match polled {
            Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(payload) => {
                forget(payload);
                Poll::Ready(None)
            }
        }
    }
}

fn report(tool: &str, secrets: Option<&KnownSecrets>, payload: Box<dyn Any + Send>) -> ToolError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no text)");
    let none = KnownSecrets::default();
    let text = redact_text(text, secrets.unwrap_or(&none));
    tracing::error!(target: "toolbox::call", tool, panic = text, "a tool panicked");
    forget(payload);
    ToolError::internal("The tool stopped unexpectedly.").code("panic")
}

/// Drops what was panicked with, whose own end may panic once more.
fn forget(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}
