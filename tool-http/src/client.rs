//! The client: one request, one answer.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use tool_core::http::{Body, Http, Request, Response, Url};
use tool_core::{BoxFuture, ToolError};

use crate::fault;
use crate::reach::Reach;
use crate::resolver::{LookUp, Resolver, system};

/// What the client calls itself where a request does not.
const USER_AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// Sends requests. Clones share their connections; nothing is set up before the first request.
#[derive(Clone)]
#[must_use]
pub struct Client {
    reach: Reach,
    look_up: Arc<LookUp>,
    made: Arc<OnceLock<Result<Made, Arc<reqwest::Error>>>>,
}

/// What sends.
struct Made {
    direct: reqwest::Client,
    /// Through the proxies of the environment; only where everything may be reached, since they look names up themselves.
    proxied: Option<reqwest::Client>,
}

impl Default for Client {
    fn default() -> Client {
        Client::new()
    }
}

impl Client {
    /// A client that reaches the public Internet.
    pub fn new() -> Client {
        Client { reach: Reach::default(), look_up: system(), made: Arc::default() }
    }

    /// The same with another reach.
    pub fn reach(self, reach: Reach) -> Client {
        Client { reach, made: Arc::default(), ..self }
    }

    /// The same with names that are looked up otherwise than by the system.
    pub fn look_up<F>(self, look_up: F) -> Client
    where
        F: Fn(String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> + Send + Sync + 'static,
    {
        Client { look_up: Arc::new(look_up), made: Arc::default(), ..self }
    }

    fn make(&self) -> Result<Made, Arc<reqwest::Error>> {
        // Another part of the program may have chosen a provider of cryptography already: that one is used then.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            let resolver = Resolver { reach: self.reach.clone(), look_up: Arc::clone(&self.look_up) };
            reqwest::Client::builder().redirect(Policy::none()).user_agent(USER_AGENT).dns_resolver(resolver)
        };
        let direct = builder().no_proxy().build()?;
        let proxied = (self.reach == Reach::Anywhere).then(|| builder().build()).transpose()?;
        Ok(Made { direct, proxied })
    }

    /// The client for an address.
    fn client(&self, url: &Url) -> Result<&reqwest::Client, ToolError> {
        match self.made.get_or_init(|| self.make()) {
            Ok(Made { direct, proxied }) => Ok(proxied.as_ref().filter(|_| !is_here(url)).unwrap_or(direct)),
            Err(error) => Err(ToolError::internal("No HTTP client could be made.").source(Arc::clone(error))),
        }
    }

    async fn exchange(&self, request: Request) -> Result<Response, ToolError> {
        let host = request.host().to_owned();
        // An address is never looked up.
        if address(request.url()).is_some_and(|address| !self.reach.allows(address)) {
            return Err(Reach::refusal(&host));
        }
        let method = reqwest::Method::from_bytes(request.method().as_str().as_bytes())
            .map_err(|error| ToolError::internal("The method of the request is none.").source(error))?;
        let mut sent = self.client(request.url())?.request(method, request.url().clone());
        for (name, value, is_secret) in request.headers() {
            let mut value = HeaderValue::from_str(value).map_err(|_| unfit(name))?;
            value.set_sensitive(is_secret);
            sent = sent.header(HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit(name))?, value);
        }
        if !request.body().is_empty() || !request.method().is_read() {
            sent = sent.body(request.body().to_vec());
        }
        let answer = sent.send().await.map_err(|error| fault::of(error, &host))?;
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers: Vec<(String, String)> =
            answer.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let (status, url) = (answer.status().as_u16(), request.url().clone());
        Ok(Response::new(url, status, headers, Coming { answer, host }))
    }
}

impl Http for Client {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ToolError>> {
        Box::pin(self.exchange(request))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("reach", &self.reach).finish_non_exhaustive()
    }
}

/// A body on its way.
struct Coming {
    answer: reqwest::Response,
    host: String,
}

impl Body for Coming {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ToolError>> {
        Box::pin(async move {
            let piece = self.answer.chunk().await.map_err(|error| fault::of(error, &self.host))?;
            Ok(piece.map(Vec::from))
        })
    }
}

/// The address that a URL names.
fn address(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether a URL leads to this machine.
fn is_here(url: &Url) -> bool {
    address(url).map_or_else(|| url.host_str() == Some("localhost"), |address| address.is_loopback())
}

fn unfit(name: &str) -> ToolError {
    let shown: String = name.chars().take(80).collect();
    ToolError::invalid_args(format!("`{shown}` is no header, or its value has characters that none takes."))
        .code("bad_header")
}
