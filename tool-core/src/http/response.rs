//! An answer: its header, and its body as it comes.

use std::fmt;

use serde::de::DeserializeOwned;
use url::Url;

use super::request::shown;
use crate::def::BoxFuture;
use crate::error::{ErrorKind, ToolError};

/// What an answer brings, piece by piece.
pub trait Body: Send {
    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// Why there is no end.
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ToolError>>;
}

/// A body that is there: nothing where it is empty.
impl Body for Option<Vec<u8>> {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ToolError>> {
        Box::pin(std::future::ready(Ok(self.take())))
    }
}

/// An answer whose body may still be on its way.
pub struct Response {
    status: u16,
    url: Url,
    headers: Vec<(String, String)>,
    pub(super) body: Box<dyn Body>,
}

impl Response {
    /// An answer of an address. Names of headers are compared without regard to case.
    pub fn new(
        url: Url,
        status: u16,
        headers: impl IntoIterator<Item = (String, String)>,
        body: impl Body + 'static,
    ) -> Response {
        Response { status, url, headers: headers.into_iter().collect(), body: Box::new(body) }
    }

    /// The status. (RFC 9110 §15)
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The answer, if its status is one of success.
    ///
    /// # Errors
    /// By the status, code `http_STATUS`: `not_found` for 404 and 410; `denied` for 401 and 403; `rate_limited` for 429;
    /// `timeout` for 408 and 504; `unavailable` for 500 and above; else `failed`.
    pub fn success(self) -> Result<Response, ToolError> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        let kind = match self.status {
            404 | 410 => ErrorKind::NotFound,
            401 | 403 => ErrorKind::Denied,
            429 => ErrorKind::RateLimited,
            408 | 504 => ErrorKind::Timeout,
            500.. => ErrorKind::Unavailable,
            _ => ErrorKind::Failed,
        };
        let text = format!("{} answered with status {}.", shown(self.url.as_str()), self.status);
        Err(ToolError::new(kind, text).code(format!("http_{}", self.status)))
    }

    /// Where it comes from, behind all redirects.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The first header of a name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let own = self.headers.iter().find(|header| header.0.eq_ignore_ascii_case(name));
        own.map(|header| header.1.as_str())
    }

    /// All headers.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|header| (header.0.as_str(), header.1.as_str()))
    }

    /// The next piece of the body, as it comes; `None` at its end.
    ///
    /// # Errors
    /// `failed`, code `response_too_large`, beyond the limit of the request; `unavailable`, code `response_cut`; `timeout`, and
    /// `cancelled` with the call.
    pub async fn piece(&mut self) -> Result<Option<Vec<u8>>, ToolError> {
        self.body.piece().await
    }

    /// The whole body.
    ///
    /// # Errors
    /// As [`piece`](Self::piece).
    pub async fn bytes(mut self) -> Result<Vec<u8>, ToolError> {
        let mut all = Vec::new();
        while let Some(piece) = self.piece().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }

    /// The whole body as text; what is no UTF-8 is replaced.
    ///
    /// # Errors
    /// As [`piece`](Self::piece).
    pub async fn text(self) -> Result<String, ToolError> {
        let bytes = self.bytes().await?;
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// The value that the whole body is as JSON.
    ///
    /// # Errors
    /// As [`piece`](Self::piece); `unavailable`, code `bad_response`, for what is no such value.
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, ToolError> {
        let from = shown(self.url.as_str());
        let bytes = self.bytes().await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let text = format!("{from} did not answer with the JSON that was expected.");
            ToolError::unavailable(text).code("bad_response").retryable(false).source(error)
        })
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("url", &shown(self.url.as_str()))
            .finish_non_exhaustive()
    }
}
