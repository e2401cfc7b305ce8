//! HTTP in the hands of one call: what it may send, where it may go, how much may come back, and until when. (calls.md §4, §8)

use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::request::{Request, judged, shown};
use super::response::{Body, Response};
use super::{CAPABILITY, Http, Method};
use crate::clock::Clock;
use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::error::{Effect, ToolError};

/// Headers that go to nobody but the host that they were written for, whoever wrote them.
const CREDENTIALS: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// The guard around what sends.
pub(super) struct CallHttp {
    http: Arc<dyn Http>,
    call: ToolContext,
}

impl CallHttp {
    pub(super) fn new(http: Arc<dyn Http>, call: ToolContext) -> CallHttp {
        CallHttp { http, call }
    }

    async fn exchange(&self, mut request: Request) -> Result<Response, ToolError> {
        let time = Time::of(&self.call, request.timeout);
        let mut left = request.redirects;
        loop {
            self.judge(&request)?;
            self.call.accesses(CAPABILITY, format_args!("{} {}", request.method, request.url));
            if !request.method.is_read() {
                self.call.acts();
            }
            let response = time.limit(self.http.send(request.clone())).await?;
            let location = redirect(response.status()).then(|| response.header("location")).flatten();
            match location {
                Some(location) if request.redirects > 0 => {
                    left = left.checked_sub(1).ok_or_else(|| too_many(&request))?;
                    request = redirected(&request, response.status(), location)?;
                }
                _ => return bounded(response, &request, time),
            }
        }
    }

    /// What the tool does not declare is not sent, nor what the policy keeps it from.
    fn judge(&self, request: &Request) -> Result<(), ToolError> {
        let Some(running) = self.call.running() else { return Ok(()) };
        let (tool, behavior) = (running.tool(), running.behavior());
        let undeclared = |text| Err(ToolError::denied(text).code("effect_not_declared").effect(Effect::None));
        if !behavior.open_world {
            return undeclared(format!("{tool} does not declare that it reaches outside (open_world)."));
        }
        if !behavior.side_effect && !request.method.is_read() {
            return undeclared(format!(
                "{tool} declares no side effect, and {} may have one: it sends only GET and HEAD.",
                request.method
            ));
        }
        self.call.judge_url(request.url.as_str())
    }
}

impl Http for CallHttp {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ToolError>> {
        Box::pin(self.exchange(request))
    }
}

/// Until when an exchange may go on.
struct Time {
    call: ToolContext,
    clock: Arc<dyn Clock>,
    /// By the clock.
    end: Option<Duration>,
}

impl Time {
    fn of(call: &ToolContext, timeout: Option<Duration>) -> Time {
        let clock = call.clock();
        let end = timeout.map(|timeout| clock.now().saturating_add(timeout));
        Time { call: call.clone(), clock, end }
    }

    async fn limit<T>(&self, future: impl Future<Output = Result<T, ToolError>>) -> Result<T, ToolError> {
        let Some(end) = self.end else { return self.call.unless_ended(future).await };
        let late = async {
            self.clock.sleep(end.saturating_sub(self.clock.now())).await?;
            Err(ToolError::timeout("The other side did not answer in time."))
        };
        self.call
            .unless_ended(async {
                tokio::select! { biased; done = future => done, late = late => late }
            })
            .await
    }
}

/// An answer of which no more comes than was asked for.
fn bounded(mut response: Response, request: &Request, time: Time) -> Result<Response, ToolError> {
    let length = response.header("content-length").and_then(|length| length.parse::<u64>().ok());
    if request.method != Method::Head && length.is_some_and(|length| length > request.limit) {
        return Err(too_large(request.limit));
    }
    let none: Box<dyn Body> = Box::new(None);
    let body = std::mem::replace(&mut response.body, none);
    response.body = Box::new(Bounded { body, limit: request.limit, read: 0, time });
    Ok(response)
}

/// A body that ends with its limit, its time or its call.
struct Bounded {
    body: Box<dyn Body>,
    limit: u64,
    read: u64,
    time: Time,
}

impl Body for Bounded {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ToolError>> {
        Box::pin(async move {
            let Some(piece) = self.time.limit(self.body.piece()).await? else { return Ok(None) };
            self.read = self.read.saturating_add(piece.len() as u64);
            if self.read > self.limit { Err(too_large(self.limit)) } else { Ok(Some(piece)) }
        })
    }
}

fn too_large(limit: u64) -> ToolError {
    ToolError::failed(format!("The answer is larger than {limit} bytes.")).code("response_too_large")
}

fn redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

fn too_many(request: &Request) -> ToolError {
    let text = format!("More than {} redirects led to {}.", request.redirects, shown(request.url.as_str()));
    ToolError::failed(text).code("too_many_redirects")
}

/// The request that an answer sends its own on to. (RFC 9110 §15.4; Fetch standard, HTTP-redirect fetch)
fn redirected(request: &Request, status: u16, location: &str) -> Result<Request, ToolError> {
    let url = request.url.join(location).map_err(|error| {
        let text = format!("{} leads to what is no URL: {error}.", shown(request.url.as_str()));
        ToolError::failed(text).code("bad_redirect")
    })?;
    let url = judged(url)?;
    if request.url.scheme() == "https" && url.scheme() != "https" {
        let text = format!("{} leads to where nothing is encrypted.", shown(request.url.as_str()));
        return Err(ToolError::denied(text).code("redirect_downgrade"));
    }
    let mut next = request.clone();
    let asks_anew = status == 303 || (matches!(status, 301 | 302) && request.method == Method::Post);
    if asks_anew && request.method != Method::Head {
        next.method = Method::Get;
        next.body.clear();
        next.headers.retain(|header| !header.name.to_ascii_lowercase().starts_with("content-"));
    }
    if !same_origin(&request.url, &url) {
        let is_credential = |name: &str| CREDENTIALS.iter().any(|own| name.eq_ignore_ascii_case(own));
        next.headers.retain(|header| !header.is_secret && !is_credential(&header.name));
    }
    next.url = url;
    Ok(next)
}

fn same_origin(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}
