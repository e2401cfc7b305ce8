//! Models over HTTP: the APIs of Anthropic, OpenAI and Gemini, and the servers that speak them. (dialects.md §13)
//!
//! One request per turn; no provider's SDK, no redirect. Keys come from the context's secrets and are in no error.

mod failure;
mod key;
mod provider;
mod reply;

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde_json::Value;
use tool_core::dialect::DialectId;
use tool_core::{BoxFuture, ToolContext, ToolError};

use super::{Model, ModelRequest};
use key::Key;
use provider::Provider;

/// The most bytes of a response.
pub const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;

/// How long a request may take where nothing else is said.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// The most tokens of a reply where nothing else is said.
pub const DEFAULT_MAX_OUTPUT: u32 = 8192;

/// A model behind the API of a provider.
#[derive(Debug)]
#[must_use]
pub struct HttpModel {
    provider: &'static Provider,
    model: String,
    base: Url,
    client: Client,
    stream: bool,
    max_output: u32,
    timeout: Duration,
}

impl HttpModel {
    /// A model of a provider, by the provider's name for it.
    ///
    /// # Errors
    /// `invalid_args` for a dialect that is no model's; `internal` where no client can be made.
    pub fn new(dialect: DialectId, model: impl Into<String>) -> Result<Self, ToolError> {
        let provider = Provider::of(dialect)
            .ok_or_else(|| ToolError::invalid_args(format!("{dialect} is no API of a model.")))?;
        let base = url(provider.base)?;
        let client = client(&base)?;
        Ok(Self {
            provider,
            model: model.into(),
            base,
            client,
            stream: false,
            max_output: DEFAULT_MAX_OUTPUT,
            timeout: DEFAULT_TIMEOUT,
        })
    }

    /// Another server that speaks the same API: what stands in braces in the table of dialects.md §13.
    ///
    /// # Errors
    /// `invalid_args` for what is no HTTP address.
    pub fn base_url(mut self, address: &str) -> Result<Self, ToolError> {
        self.base = url(address)?;
        self.client = client(&self.base)?;
        Ok(self)
    }

    /// Whether replies come in pieces.
    pub fn stream(mut self, stream: bool) -> Self {
        self.stream = stream;
        self
    }

    /// The most tokens of a reply.
    pub fn max_output(mut self, tokens: u32) -> Self {
        self.max_output = tokens;
        self
    }

    /// How long a request may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The secret that holds the key.
    pub fn secret(&self) -> &'static str {
        self.provider.secret
    }

    async fn ask(&self, request: &ModelRequest<'_>, cx: &ToolContext) -> Result<Value, ToolError> {
        let key = Key::of(self.provider, cx, is_loopback(&self.base))?;
        self.send(request, &key).await.map_err(|error| key.hide(error))
    }

    async fn send(&self, request: &ModelRequest<'_>, key: &Key) -> Result<Value, ToolError> {
        let body = self.provider.body(request, &self.model, self.max_output, self.stream);
        let mut sent =
            self.client.post(self.address()).timeout(self.timeout).header(CONTENT_TYPE, "application/json");
        for (name, value) in self.provider.headers {
            sent = sent.header(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let (name, value) = key.header()?;
        let sent =
            sent.header(name, value).body(body.to_string()).send().await.map_err(failure::of_transport)?;
        if !sent.status().is_success() {
            return Err(failure::of_status(sent).await);
        }
        match self.stream && reply::is_events(&sent) {
            true => reply::streamed(sent, self.provider.dialect, request, key).await,
            false => reply::whole(sent, key).await,
        }
    }

    /// The address of a request: what is odd in a model's name is escaped.
    fn address(&self) -> Url {
        let (path, query) = self.provider.path(&self.model, self.stream);
        let mut address = self.base.clone();
        address.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        if query.is_some() {
            address.set_query(query);
        }
        address
    }
}

impl Model for HttpModel {
    fn dialect(&self) -> DialectId {
        self.provider.dialect
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest<'a>,
        cx: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(self.ask(request, cx))
    }
}

/// A client for a server. What is on this machine is not behind a proxy.
fn client(base: &Url) -> Result<Client, ToolError> {
    // Another part of the program may have chosen a provider of cryptography already: that one is used then.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder().redirect(Policy::none());
    let builder = if is_loopback(base) { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| ToolError::internal("No HTTP client could be made.").source(error))
}

fn url(text: &str) -> Result<Url, ToolError> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match url {
        Some(url) if url.username().is_empty() && url.password().is_none() => Ok(url),
        Some(_) => Err(ToolError::invalid_args("The address of a model has no user and no password.")
            .hint("Keys are secrets of the context.")),
        None => {
            let shown: String = text.chars().take(80).collect();
            Err(ToolError::invalid_args(format!("`{shown}` is no HTTP address."))
                .hint("Give one such as http://127.0.0.1:8080."))
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or("");
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
