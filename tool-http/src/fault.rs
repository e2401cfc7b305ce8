//! What a failed request means.

use std::error::Error;
use std::io;

use tool_core::ToolError;
use tool_core::http::Fault;

use crate::reach::Reach;
use crate::resolver::Lost;

/// The error of a request that has no answer, or none to its end.
pub(crate) fn of(error: reqwest::Error, host: &str) -> ToolError {
    // The address may carry what nobody should read.
    let error = error.without_url();
    let told = match (find::<Lost>(&error), find::<rustls::Error>(&error)) {
        (Some(Lost::Refused), _) => return Reach::refusal(host),
        (Some(Lost::Unknown(_)), _) => Fault::Dns.error(host),
        (None, Some(_)) if error.is_connect() => Fault::Tls.error(host),
        _ if error.is_builder() => ToolError::invalid_args("The request has a header that none can have."),
        _ if error.is_connect() => Fault::Connect.error(host),
        _ => Fault::Cut.error(host),
    };
    told.source(error)
}

/// The first cause of a type.
fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // What an error of input and output holds is not its source, but stands for it.
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(held) => Some(held),
            None => error.source(),
        };
    }
    None
}
