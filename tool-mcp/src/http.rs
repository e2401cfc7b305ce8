//! The server over streamable HTTP: who may connect is checked before anything of the protocol is read. (mcp.md §9)

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, VARY, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::any;
use axum::serve::ListenerExt as _;
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tool_core::{Secret, ToolError};

use crate::cursor;
use crate::malformed::{error, refused};
use crate::origin::Origin;
use crate::server::{Handler, LOCAL, McpServer, Pages};
use crate::unfit::Unfit;

mod sessions;

use sessions::Sessions;

/// The path of the endpoint.
pub const ENDPOINT: &str = "/mcp";

/// The longest body of a request.
pub const BODY_BYTES: usize = 4 * 1024 * 1024;

/// How many sessions of the legacy era may be open.
pub const SESSIONS_MAX: usize = 256;

/// How long a session may be idle.
pub const SESSION_IDLE: Duration = Duration::from_secs(30 * 60);

/// How often an event stream says that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

const SESSION_ID: &str = "mcp-session-id";

/// Origins that pages of this machine have.
const LOOPBACK_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// Names that this machine has for itself.
pub(crate) const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Where to listen and who may connect.
#[derive(Clone)]
pub struct HttpOptions {
    /// The address; port 0 picks one.
    pub address: SocketAddr,
    /// Hosts besides this machine's own names.
    pub allow_hosts: Vec<String>,
    /// Origins of pages besides those of this machine.
    pub allow_origins: Vec<String>,
    /// What clients must show as `Authorization: Bearer`.
    pub token: Option<Arc<Secret>>,
    /// What whoever shows it is called; `local` without a name.
    pub principal: Option<String>,
}

impl std::fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpOptions")
            .field("address", &self.address)
            .field("allow_hosts", &self.allow_hosts)
            .field("allow_origins", &self.allow_origins)
            .field("token", &self.token.is_some())
            .finish()
    }
}

impl HttpOptions {
    /// Listens at `ADDR:PORT`, or at a port of 127.0.0.1, and lets this machine's programs and pages in.
    ///
    /// # Errors
    /// `invalid_args`, code `bad_address`, for another text.
    pub fn at(address: &str) -> Result<HttpOptions, ToolError> {
        let port = address.parse().map(|port: u16| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
        let address = port.or_else(|_| address.parse()).map_err(|_| {
            let shown: String = address.chars().take(80).collect();
            ToolError::invalid_args(format!("`{shown}` is no address to listen at."))
                .code("bad_address")
                .hint("use ADDR:PORT such as 127.0.0.1:8000, or a port alone")
        })?;
        Ok(HttpOptions {
            address,
            allow_hosts: Vec::new(),
            allow_origins: Vec::new(),
            token: None,
            principal: None,
        })
    }

    /// Refuses an address that others can reach, unless they need a token and a name.
    fn check(&self) -> Result<(), ToolError> {
        if self.address.ip().is_loopback() || (self.token.is_some() && !self.allow_hosts.is_empty()) {
            return Ok(());
        }
        Err(ToolError::not_configured(format!("Others can reach {}.", self.address.ip()))
            .code("exposed")
            .hint("name a secret with --token-secret and the host with --allow-host, or listen at 127.0.0.1"))
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
}

impl HttpServer {
    /// Listens; nothing is answered before [`serve`](Self::serve).
    ///
    /// # Errors
    /// `not_configured`, code `exposed`, for an address that others can reach without a token and a host; `invalid_args`, code
    /// `bad_origin`, for an origin that is none; `unavailable` when the address cannot be listened at.
    pub async fn bind(
        server: McpServer,
        options: HttpOptions,
        stop: CancellationToken,
    ) -> Result<HttpServer, ToolError> {
        options.check()?;
        let origins = options.allow_origins.iter().map(|origin| Origin::of_option(origin));
        let origins = origins.collect::<Result<Vec<Origin>, ToolError>>()?;
        let listener = TcpListener::bind(options.address).await.map_err(|error| {
            ToolError::unavailable(format!("{} cannot be listened at.", options.address)).source(error)
        })?;
        Ok(HttpServer { listener, router: router(server, &options, origins, &stop), stop })
    }

    /// The URL of the endpoint.
    ///
    /// # Errors
    /// `unavailable` where the system does not know.
    pub fn url(&self) -> Result<String, ToolError> {
        let address = self
            .listener
            .local_addr()
            .map_err(|error| ToolError::unavailable("The address is not known.").source(error))?;
        Ok(format!("http://{address}{ENDPOINT}"))
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// `unavailable` when it cannot go on.
    pub async fn serve(self) -> Result<(), ToolError> {
        let stop = self.stop;
        // An answer as an event stream is written in pieces: with Nagle's algorithm each would wait for a delayed acknowledgement.
        let listener = self.listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(target: "toolbox::mcp", %error, "a connection answers with delay");
            }
        });
        axum::serve(listener, self.router)
            .with_graceful_shutdown(async move { stop.cancelled().await })
            .await
            .map_err(|error| ToolError::unavailable("The server cannot go on.").source(error))
    }
}

/// What guards the endpoint.
#[derive(Clone)]
struct Guard {
    /// The digest of the token.
    token: Option<[u8; 32]>,
    /// The origins that were named.
    origins: Arc<[Origin]>,
    sessions: Arc<Sessions>,
}

fn router(server: McpServer, options: &HttpOptions, named: Vec<Origin>, stop: &CancellationToken) -> Router {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_IDLE);
    let sessions = Arc::new(Sessions::new(sessions));
    let hosts = LOOPBACK_HOSTS.into_iter().map(str::to_owned).chain(options.allow_hosts.iter().cloned());
    let origins =
        LOOPBACK_ORIGINS.into_iter().map(str::to_owned).chain(options.allow_origins.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_sse_keep_alive(Some(KEEP_ALIVE))
        .with_max_request_body_bytes(BODY_BYTES)
        .with_cancellation_token(stop.clone());
    let principal = options.principal.as_deref().unwrap_or(LOCAL).into();
    let handler = Handler { server, pages: Pages::Whole, principal };
    let service = |config| {
        let handler = handler.clone();
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::clone(&sessions), config)
    };
    // Clients take longer for a stream of one event than for a body; what comes in several is a stream in both.
    let (bodies, streams) = (service(config.clone().with_json_response(true)), service(config));
    let endpoint = move |request: Request| async move {
        if prefers_stream(request.headers()) { &streams } else { &bodies }.handle(request).await
    };
    let token = options.token.as_ref().map(|token| digest(token.expose().as_bytes()));
    let guard = Guard { token, origins: named.into(), sessions };
    Router::new().route(ENDPOINT, any(endpoint)).layer(from_fn_with_state(guard, guarded))
}

/// Whether a client names event streams before JSON among what it takes: both are equal to it, and RFC 9110 §12.5.1 leaves the
/// choice among equals to us.
fn prefers_stream(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    let mut kinds =
        lines.flat_map(|line| line.split(',')).map(|kind| kind.split(';').next().unwrap_or_default().trim());
    let first = kinds.find(|kind| {
        ["text/event-stream", "application/json"].iter().any(|known| kind.eq_ignore_ascii_case(known))
    });
    first.is_some_and(|kind| kind.eq_ignore_ascii_case("text/event-stream"))
}

/// What is checked before rmcp sees a request.
async fn guarded(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let origin = request.headers().get(ORIGIN).cloned().filter(|origin| guard.knows(origin));
    let origin = origin.filter(|_| !has_several(request.headers(), &ORIGIN));
    // A browser asks without a token whether it may ask with one.
    let mut answer = match (request.method(), &origin) {
        _ if has_several(request.headers(), &HOST) => status(StatusCode::BAD_REQUEST),
        _ if has_several(request.headers(), &ORIGIN) => status(StatusCode::FORBIDDEN),
        (&Method::OPTIONS, Some(_)) => preflight(),
        _ if guard.is_beside(request.headers()) => status(StatusCode::FORBIDDEN),
        _ if !guard.admits(request.headers()) => unauthorized(),
        _ => answered(&guard, request, next).await,
    };
    if let Some(origin) = origin {
        answer.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        // Without its id a page could open a session and not use it.
        answer.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(SESSION_ID));
        answer.headers_mut().insert(VARY, HeaderValue::from_static("Origin"));
    }
    answer
}

/// Whether a header that a request has once is there again: whoever checks one of them has not checked the other.
/// (RFC 9112 §3.2, RFC 6454 §7.3)
fn has_several(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get_all(name).iter().nth(1).is_some()
}

/// The answer to a request. Of a body that is no message rmcp says that its media type is wrong, which it is not: it is told
/// what every transport tells.
async fn answered(guard: &Guard, request: Request, next: Next) -> Response {
    let is_json = |headers: &HeaderMap| {
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    };
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let is_json = is_json(request.headers());
    let (mut head, body) = request.into_parts();
    let Ok(mut bytes) = axum::body::to_bytes(body, BODY_BYTES).await else {
        return status(StatusCode::PAYLOAD_TOO_LARGE);
    };
    if let Some(unfit) = Unfit::of(&bytes) {
        head.extensions.insert(unfit);
    }
    if let Some(told) = cursor::told(&bytes) {
        bytes = told.into();
    }
    if !head.headers.contains_key(SESSION_ID) && opens(&bytes) && guard.is_full().await {
        return status(StatusCode::SERVICE_UNAVAILABLE);
    }
    let answer = next.run(Request::from_parts(head, Body::from(bytes.clone()))).await;
    match answer.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if is_json => {
            let text = "This is no message of JSON-RPC 2.0.";
            let told =
                refused(&bytes).unwrap_or_else(|| error(Value::Null, ErrorCode::INVALID_REQUEST, text));
            let mut answer = status(StatusCode::BAD_REQUEST);
            answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *answer.body_mut() = Body::from(told.to_string());
            answer
        }
        _ => answer,
    }
}

impl Guard {
    /// Whether an origin was named.
    fn knows(&self, origin: &HeaderValue) -> bool {
        let origin = origin.to_str().ok().and_then(Origin::read);
        origin.is_some_and(|origin| self.origins.contains(&origin))
    }

    /// Whether a request comes from another port of a host that was named: rmcp takes any port of an origin without one. Every
    /// port of this machine is let in, whichever was named.
    fn is_beside(&self, headers: &HeaderMap) -> bool {
        let origin = headers.get(ORIGIN).and_then(|origin| Origin::read(origin.to_str().ok()?));
        origin.filter(|origin| !origin.is_loopback()).is_some_and(|origin| {
            !self.origins.contains(&origin) && self.origins.iter().any(|named| named.is_beside(&origin))
        })
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let shown = headers.get(AUTHORIZATION).and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        shown.is_some_and(|shown| same(&digest(shown), token))
    }

    /// Whether there are as many sessions as there may be.
    async fn is_full(&self) -> bool {
        self.sessions.count().await >= SESSIONS_MAX
    }
}

/// Whether a message asks for a session: a handshake, whatever its headers say. One whose method is not plain may be one.
fn opens(message: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Asked<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
    }
    serde_json::from_slice(message).map_or(true, |asked: Asked<'_>| asked.method == "initialize")
}

fn digest(text: &[u8]) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Compares in a time that does not depend on where the digests differ.
fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

fn status(code: StatusCode) -> Response {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = code;
    answer
}

fn unauthorized() -> Response {
    let mut answer = status(StatusCode::UNAUTHORIZED);
    answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    answer
}

fn preflight() -> Response {
    const HEADERS: &str = "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id";
    let mut answer = status(StatusCode::NO_CONTENT);
    answer.headers_mut().insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, GET, DELETE"));
    answer.headers_mut().insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(HEADERS));
    answer
}
