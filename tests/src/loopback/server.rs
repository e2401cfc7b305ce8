//! The server itself: axum over one listener, and the faults that a script asks for.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::asked::{Asked, Refusal, refuse};
use super::log::Log;
use super::offered::offered;
use super::reply::{Event, Reply};
use super::script::{Fault, Step, steps};
use super::{Api, route};

/// The most bytes of a request.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Where Gemini is asked how long something is.
const COUNT: &str = ":countTokens";

/// How much of the last result is told at the end of a script.
const SHOWN_CHARACTERS: usize = 300;

/// What a client is to wait that came too often, in seconds; not what clients wait where nothing is said.
const RETRY_AFTER: &str = "2";

/// A server in a thread of this process; it ends with the value.
#[derive(Debug)]
pub struct Loopback {
    port: u16,
    log: Arc<Log>,
    stop: Option<oneshot::Sender<Infallible>>,
    thread: Option<JoinHandle<()>>,
}

impl Loopback {
    /// Starts one.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start() -> io::Result<Loopback> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let port = listener.local_addr()?.port();
        let log = Arc::new(Log::default());
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&log);
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = serve(listener, served) => {}
                    _ = stopped => {}
                }
            });
        });
        Ok(Loopback { port, log, stop: Some(stop), thread: Some(thread) })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it was asked.
    pub fn log(&self) -> Vec<Value> {
        self.log.entries()
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Answers on a listener until it fails.
///
/// # Errors
/// When the listener fails.
pub async fn serve(listener: TcpListener, log: Arc<Log>) -> io::Result<()> {
    let state = Arc::new(Server { log, faults: Mutex::default() });
    let router = Router::new().fallback(answer).layer(DefaultBodyLimit::max(MOST_BYTES)).with_state(state);
    axum::serve(listener, router).await
}

struct Server {
    log: Arc<Log>,
    /// How many faults of a reply have happened, by prompt and turn: a request that is sent again looks the same.
    faults: Mutex<HashMap<(String, usize), usize>>,
}

async fn answer(
    State(server): State<Arc<Server>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if uri.path().ends_with(COUNT) && method == Method::POST {
        server.log.add("gemini", uri.path(), &headers, body, 200, "");
        return response(200, "application/json", Body::from(r#"{"totalTokens": 1}"#));
    }
    let Some((api, model, streams)) = route(uri.path()).filter(|_| method == Method::POST) else {
        server.log.add("", uri.path(), &headers, Value::Null, 404, "no such address");
        return response(404, "text/plain", Body::from("no such address"));
    };
    let (status, reason, response) = match server.judge(api, &headers, &body, model) {
        Ok((reply, in_events, cut)) => {
            let (kind, parts) = match streams || in_events {
                true => ("text/event-stream", (api.events)(&reply).iter().map(Event::to_text).collect()),
                false => ("application/json", vec![(api.whole)(&reply).to_string()]),
            };
            (200, String::new(), response(200, kind, body_of(parts, cut)))
        }
        Err(Refusal { status, reason }) => {
            let told = (api.error)(status, &reason).to_string();
            (status, reason, response(status, "application/json", Body::from(told)))
        }
    };
    server.log.add(api.name, &uri.to_string(), &headers, body, status, &reason);
    response
}

impl Server {
    /// What the script of a request says, if the API takes it: the reply, whether it comes in events, and is cut.
    fn judge(
        &self,
        api: &Api,
        headers: &HeaderMap,
        body: &Value,
        model: Option<&str>,
    ) -> Result<(Reply, bool, bool), Refusal> {
        if !body.is_object() {
            return refuse("the body is no JSON object");
        }
        let asked = (api.read)(headers, body)?;
        let steps = steps(&asked.prompt).or_else(refuse)?;
        let Some(step) = steps.get(asked.replies) else { return refuse("the script has no step left") };
        let cut = match self.fault(step, &asked) {
            Some(Fault::Fail(status)) => {
                return Err(Refusal { status, reason: "as the script asks".to_owned() });
            }
            fault => fault == Some(Fault::Cut),
        };
        let told: String = asked.result.chars().take(SHOWN_CHARACTERS).collect();
        let is_last = asked.replies + 1 == steps.len();
        let reply = Reply {
            turn: asked.replies,
            model: model.or(body["model"].as_str()).unwrap_or("").to_owned(),
            calls: step.calls.iter().map(|(tool, args)| (offered(body, tool), args.clone())).collect(),
            text: if is_last { format!("RESULT{told}") } else { step.text.clone() },
        };
        Ok((reply, asked.stream, cut))
    }

    /// The next fault of a reply; after the last one it gets through, and another conversation begins anew.
    fn fault(&self, step: &Step, asked: &Asked) -> Option<Fault> {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (asked.prompt.clone(), asked.replies);
        let happened = faults.entry(key.clone()).or_default();
        let next = step.faults.get(*happened).copied();
        *happened += 1;
        if next.is_none() {
            faults.remove(&key);
        }
        next
    }
}

fn response(status: u16, kind: &str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Ok(kind) = kind.parse() {
        response.headers_mut().insert("content-type", kind);
    }
    if matches!(status, 429 | 529) {
        response.headers_mut().insert("retry-after", axum::http::HeaderValue::from_static(RETRY_AFTER));
    }
    response
}

/// A body that is sent part by part; one that is cut breaks off in the middle, and with it the connection.
fn body_of(parts: Vec<String>, cut: bool) -> Body {
    let whole = parts.concat();
    let kept = if cut { whole.floor_char_boundary(whole.len() / 2) } else { whole.len() };
    let mut pieces: Vec<io::Result<String>> = Vec::new();
    let mut sent = 0;
    for part in parts {
        let end = part.floor_char_boundary(part.len().min(kept - sent));
        sent += end;
        pieces.push(Ok(part.get(..end).unwrap_or("").to_owned()));
    }
    if cut {
        pieces.push(Err(io::Error::from(io::ErrorKind::ConnectionReset)));
    }
    Body::from_stream(futures_util::stream::iter(pieces))
}
