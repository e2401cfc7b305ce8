//! Arguments that nobody may choose from: with a key given twice. Who reads a message as a tree keeps the last value, and another
//! reader, such as one that a person was shown, may have kept the first. So the text is looked at before it becomes one.

use std::sync::Arc;

use rmcp::model::Extensions;
use serde::Deserialize;
use serde_json::value::RawValue;
use tool_core::ToolError;
use tool_core::args::parse_object;

/// The text of such arguments: an extension of the request, on whichever transport it comes.
#[derive(Clone, Debug)]
pub(crate) struct Unfit(Arc<str>);

impl Unfit {
    /// The arguments in a message; `None` where nothing is that the tree would not tell.
    pub(crate) fn of(message: &[u8]) -> Option<Unfit> {
        #[derive(Deserialize)]
        struct Message<'m> {
            #[serde(borrow)]
            params: Params<'m>,
        }
        #[derive(Deserialize)]
        struct Params<'m> {
            #[serde(borrow)]
            arguments: &'m RawValue,
        }
        let Message { params } = serde_json::from_slice(message).ok()?;
        let text = params.arguments.get();
        let error = parse_object(text, usize::MAX).err()?;
        (error.code_str() == "duplicate_key").then(|| Unfit(text.into()))
    }

    /// What was found in the message of a request.
    pub(crate) fn found(extensions: &Extensions) -> Option<&Unfit> {
        let over_http = || extensions.get::<axum::http::request::Parts>()?.extensions.get();
        extensions.get().or_else(over_http)
    }

    /// The error of the call.
    pub(crate) fn error(&self) -> Option<ToolError> {
        parse_object(&self.0, usize::MAX).err()
    }
}
