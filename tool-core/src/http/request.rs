//! A request, as a tool writes it.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use url::Url;

use super::method::Method;
use crate::call::redact;
use crate::error::{Effect, ToolError};

/// The most bytes of an answer's body where a request does not say otherwise.
pub const MAX_RESPONSE_BYTES: u64 = 10 * 1024 * 1024;

/// The most redirects that are followed where a request does not say otherwise.
pub const MAX_REDIRECTS: u32 = 10;

/// Characters of an address that a message shows.
const SHOWN_CHARACTERS: usize = 80;

/// The schemes of addresses.
const SCHEMES: [&str; 2] = ["http", "https"];

/// A request.
///
/// ```
/// use std::time::Duration;
/// use serde_json::json;
/// use tool_core::http::Request;
///
/// let request = Request::post("https://api.example/notes")?
///     .header("accept", "application/json")
///     .json(&json!({"text": "milk"}))?
///     .limit(64 * 1024)
///     .timeout(Duration::from_secs(10));
/// assert_eq!(request.body(), br#"{"text":"milk"}"#);
/// assert_eq!(Request::get("file:///etc/passwd").unwrap_err().code_str(), "scheme_not_allowed");
/// # Ok::<(), tool_core::ToolError>(())
/// ```
#[derive(Clone, PartialEq)]
#[must_use]
pub struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: Vec<Header>,
    pub(super) body: Vec<u8>,
    pub(super) limit: u64,
    pub(super) timeout: Option<Duration>,
    pub(super) redirects: u32,
}

/// A line of the header.
#[derive(Clone, PartialEq)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) value: String,
    /// Whether it goes to nobody but the host that it was written for.
    pub(super) is_secret: bool,
}

impl Request {
    /// A request.
    ///
    /// # Errors
    /// `invalid_args`, code `bad_url`, for what is no address or names a user; `denied`, code `scheme_not_allowed`, for what is
    /// neither `http` nor `https`.
    pub fn new(method: Method, url: impl AsRef<str>) -> Result<Request, ToolError> {
        Ok(Request {
            method,
            url: judged(parsed(url.as_ref())?)?,
            headers: Vec::new(),
            body: Vec::new(),
            limit: MAX_RESPONSE_BYTES,
            timeout: None,
            redirects: MAX_REDIRECTS,
        })
    }

    /// A request for a resource.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn get(url: impl AsRef<str>) -> Result<Request, ToolError> {
        Request::new(Method::Get, url)
    }

    /// A request that a resource does something.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn post(url: impl AsRef<str>) -> Result<Request, ToolError> {
        Request::new(Method::Post, url)
    }

    /// Adds a header.
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.with(name.into(), value.into(), false)
    }

    /// Adds a header that holds a secret: it is shown nowhere, and no redirect takes it to another host.
    pub fn secret_header(self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.with(name.into(), value.into(), true)
    }

    fn with(mut self, name: String, value: String, is_secret: bool) -> Request {
        self.headers.push(Header { name, value, is_secret });
        self
    }

    /// What is sent with it.
    pub fn bytes(mut self, body: impl Into<Vec<u8>>) -> Request {
        self.body = body.into();
        self
    }

    /// Sends a value as JSON, and says so in the header.
    ///
    /// # Errors
    /// `internal` for a value without a JSON form.
    pub fn json(self, value: &impl Serialize) -> Result<Request, ToolError> {
        let body = serde_json::to_vec(value)
            .map_err(|error| ToolError::internal("The body of the request is no JSON.").source(error))?;
        Ok(self.header("content-type", "application/json").bytes(body))
    }

    /// The most bytes of the answer's body; [`MAX_RESPONSE_BYTES`] where nothing is said.
    pub fn limit(mut self, bytes: u64) -> Request {
        self.limit = bytes;
        self
    }

    /// How long all of it may take, to the end of the answer's body. The end of the call ends it in any case.
    pub fn timeout(mut self, timeout: Duration) -> Request {
        self.timeout = Some(timeout);
        self
    }

    /// How many redirects are followed; [`MAX_REDIRECTS`] where nothing is said, and with 0 a redirect is the answer.
    pub fn redirects(mut self, most: u32) -> Request {
        self.redirects = most;
        self
    }

    /// What it wants.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Where it goes.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The host that it goes to.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Its headers, each with whether it holds a secret.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.headers.iter().map(|header| (header.name.as_str(), header.value.as_str(), header.is_secret))
    }

    /// What is sent with it.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

impl fmt::Debug for Request {
    /// Without the values of headers, the body, and what an address carries besides its place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|header| &header.name).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &shown(self.url.as_str()))
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

/// An address in a message: without user, query and fragment, and not too long.
pub(super) fn shown(url: &str) -> String {
    redact::place_of(url).chars().take(SHOWN_CHARACTERS).collect()
}

fn parsed(text: &str) -> Result<Url, ToolError> {
    Url::parse(text).map_err(|error| {
        let text = format!("`{}` is no URL: {error}.", shown(text));
        ToolError::invalid_args(text).code("bad_url").effect(Effect::None)
    })
}

/// An address that a request may go to.
pub(super) fn judged(url: Url) -> Result<Url, ToolError> {
    let refused = |error: ToolError| Err(error.effect(Effect::None));
    if !SCHEMES.contains(&url.scheme()) {
        let text = format!("The scheme {} is not allowed: only http and https are.", shown(url.scheme()));
        return refused(ToolError::denied(text).code("scheme_not_allowed"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let text = format!("`{}` names a user.", shown(url.as_str()));
        let hint = "credentials are sent in a header";
        return refused(ToolError::invalid_args(text).code("bad_url").hint(hint));
    }
    Ok(url)
}
