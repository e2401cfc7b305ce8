//! What a call gets from its host: capabilities, declared secrets, cancellation, deadline and progress.
//!
//! A [`ToolContext`] is cheap to clone. The host builds one; the executor derives one per call from it.

use std::sync::Arc;

use crate::error::ToolError;
use crate::secret::Secret;

/// The context of a call.
#[derive(Clone, Debug)]
pub struct ToolContext {}

impl ToolContext {
    /// The capability of a type.
    pub fn require<T: ?Sized + Send + Sync + 'static>(&self) -> Result<Arc<T>, ToolError> {
        Err(ToolError::internal("The context has no such capability."))
    }

    /// The capability of a type, if there is one.
    pub fn capability<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        None
    }

    /// A declared secret.
    pub fn secret(&self, key: &str) -> Result<Arc<Secret>, ToolError> {
        Err(ToolError::internal(format!("The secret {key} is not set.")))
    }

    /// A declared secret, if it is set.
    pub fn optional_secret(&self, key: &str) -> Result<Option<Arc<Secret>>, ToolError> {
        let _ = key;
        Ok(None)
    }
}
