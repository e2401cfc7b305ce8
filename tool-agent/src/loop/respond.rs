//! Asking the model: again where it could not be reached, and never beyond the run's own end.

use std::time::Duration;

use tool_core::dialect::{Decoded, Dialect as _};
use tool_core::{ErrorKind, ToolContext, ToolError};

use crate::model::{Model, ModelRequest};

/// How long to wait before each further try, where the model does not say.
const WAITS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];

/// The reply to a request. What is unavailable or limited is tried three times, and so is an answer that is none.
pub(super) async fn respond(
    model: &dyn Model,
    request: &ModelRequest<'_>,
    cx: &ToolContext,
) -> Result<Decoded, ToolError> {
    let mut waits = WAITS.into_iter();
    loop {
        let answer = until_the_end(model.respond(request, cx), cx).await?;
        let decoded = answer.and_then(|body| model.dialect().decode(request.plan, &body, request.turn));
        let error = match decoded {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        let again = matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::RateLimited);
        match waits.next().filter(|_| again) {
            None => return Err(error),
            Some(wait) => {
                let wait = error.retry_after_value().unwrap_or(wait);
                until_the_end(tokio::time::sleep(wait), cx).await?;
            }
        }
    }
}

/// What a future comes to, unless the run ends first.
async fn until_the_end<T>(work: impl Future<Output = T>, cx: &ToolContext) -> Result<T, ToolError> {
    cx.check()?;
    tokio::select! {
        done = work => Ok(done),
        () = cx.cancelled() => Err(ToolError::cancelled("The run was cancelled.")),
        () = cx.late() => Err(ToolError::timeout("The run did not finish in time.")),
    }
}
