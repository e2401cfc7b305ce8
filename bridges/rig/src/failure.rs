//! A failure as rig's: the model reads the one JSON form, with kind, message, hint and every issue; the error itself is the
//! source, for hooks.

use rig_core::tool::{ToolErrorKind, ToolExecutionError, ToolOutput};
use tool_core::{ErrorKind, ToolError, envelope};

/// rig's kind for each of ours.
const KINDS: [(ErrorKind, ToolErrorKind); 11] = [
    (ErrorKind::InvalidArgs, ToolErrorKind::InvalidArgs),
    (ErrorKind::NotFound, ToolErrorKind::NotFound),
    (ErrorKind::Conflict, ToolErrorKind::Other),
    (ErrorKind::Denied, ToolErrorKind::PermissionDenied),
    (ErrorKind::NotConfigured, ToolErrorKind::Other),
    (ErrorKind::Unavailable, ToolErrorKind::Network),
    (ErrorKind::RateLimited, ToolErrorKind::RateLimited),
    (ErrorKind::Timeout, ToolErrorKind::Timeout),
    (ErrorKind::Cancelled, ToolErrorKind::Cancelled),
    (ErrorKind::Failed, ToolErrorKind::Other),
    (ErrorKind::Internal, ToolErrorKind::Other),
];

/// The failure of a call.
pub(crate) fn failure(tool: &str, error: ToolError) -> ToolExecutionError {
    let kind = error.kind();
    let (message, code, retryable) = (error.to_string(), error.code_str().to_owned(), error.is_retryable());
    let result = Err(error);
    let told = ToolOutput::json(envelope(tool, &result));
    let failure = match kind {
        // What gate, policy or a person refuses is no accident.
        ErrorKind::Denied => ToolExecutionError::refused(message),
        _ => {
            let found = KINDS.iter().find(|row| row.0 == kind);
            ToolExecutionError::new(found.map_or(ToolErrorKind::Other, |row| row.1), message)
        }
    };
    let failure = failure.with_model_output(told).with_code(code).with_retryable(retryable);
    match result {
        Err(error) => failure.with_source(error),
        Ok(_) => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_of_rig() {
        for kind in ErrorKind::all() {
            let failure = failure("demo", ToolError::new(kind, "So it is."));
            let row = KINDS.iter().find(|row| row.0 == kind);
            assert_eq!(row.map(|row| row.1), Some(failure.kind()), "{kind:?}");
            assert_eq!(failure.is_refusal(), kind == ErrorKind::Denied);
            assert_eq!(failure.retryable(), Some(kind.retryable()));
            let told = failure.model_output().as_json();
            assert_eq!(told.and_then(|told| told.pointer("/error/kind")?.as_str()), Some(kind.as_str()));
        }
    }
}
