//! What generated code makes of the functions that a definition names.

use crate::def::BoxFuture;
use crate::error::ToolError;
pub use crate::journal::Handle;
use crate::journal::{Answers, Reconciled};

pub use crate::journal::RecordedCall as Recorded;

/// The future of what a reconciling function says, now or later.
pub fn reconcile<'a, M>(answer: impl Answers<'a, Reconciled, M>) -> BoxFuture<'a, Reconciled> {
    answer.boxed()
}

/// The future of what an undoing function says, now or later.
pub fn revert<'a, M>(
    answer: impl Answers<'a, Result<(), ToolError>, M>,
) -> BoxFuture<'a, Result<(), ToolError>> {
    answer.boxed()
}
