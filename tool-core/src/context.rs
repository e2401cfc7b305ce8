//! What a call gets from its host: capabilities, declared secrets, cancellation, deadline and progress.
//!
//! A [`ToolContext`] is cheap to clone. The host builds one; the executor derives one per call from it.

/// The context of a call.
#[derive(Clone, Debug)]
pub struct ToolContext {}
