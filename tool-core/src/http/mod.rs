//! HTTP as a capability: one request, one answer, both within what the call may do. (feature `http`)
//!
//! [`Http`] is what sends a single request, and knows no rules. A tool never has it bare: [`ContextBuilder::http`] puts the
//! guard of `guard.rs` around it, the one place where the effects of the call, its policy, redirects, limits and its end are
//! held to, whatever sends: the client of `tool-http`, or the fake of a test.

mod fault;
mod guard;
mod method;
mod request;
mod response;

use std::sync::Arc;

pub use fault::Fault;
pub use method::Method;
pub use request::{MAX_REDIRECTS, MAX_RESPONSE_BYTES, Request};
pub use response::{Body, Response};
pub use url::Url;

use crate::context::ContextBuilder;
use crate::def::BoxFuture;
use crate::error::ToolError;
use guard::CallHttp;

/// What the uses of HTTP are told under.
const CAPABILITY: &str = "http";

/// Sends requests, for `#[ctx] http: &dyn Http`.
///
/// A call can send what its tool declares: nothing without `open_world`; without `side_effect` only `GET` and `HEAD`. Each
/// address, that of a redirect too, is judged by the policy of the call.
///
/// ```
/// use tool_core::http::{Http, Request};
/// use tool_core::prelude::*;
///
/// /// Tells the title of an issue.
/// #[tool(register = false, open_world)]
/// async fn issue_title(
///     /// Its number.
///     number: u32,
///     #[ctx] http: &dyn Http,
/// ) -> Result<String, ToolError> {
///     let request = Request::get(format!("https://tracker.example/issues/{number}"))?;
///     let issue: serde_json::Value = http.send(request).await?.success()?.json().await?;
///     Ok(issue["title"].as_str().unwrap_or_default().to_owned())
/// }
/// ```
pub trait Http: Send + Sync {
    /// Sends one request, and gives back the answer once its headers are there. Whoever implements it follows no redirects and
    /// keeps no time: the guard does.
    ///
    /// # Errors
    /// Those of [`Fault`]. In the hands of a call also `denied`, code `effect_not_declared`, for what its tool does not
    /// declare; what the policy refuses; `timeout`; `failed`, code `too_many_redirects`.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ToolError>>;
}

impl<H: Http + ?Sized> Http for Arc<H> {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ToolError>> {
        (**self).send(request)
    }
}

impl ContextBuilder {
    /// Provides HTTP, for `#[ctx] http: &dyn Http`.
    pub fn http(self, http: impl Http + 'static) -> Self {
        let http: Arc<dyn Http> = Arc::new(http);
        self.provide_with::<dyn Http>(move |call| Arc::new(CallHttp::new(Arc::clone(&http), call.clone())))
    }
}
