//! Answers to HTTP requests that a test has written down.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::fake_clock::FakeClock;
use super::scripted::{Scripted, Words};
use crate::clock::Clock as _;
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::http::{Body, Fault, Http, Method, Request, Response, Url};

/// Whether a request is the one that is expected.
type Matcher = Arc<dyn Fn(&Request) -> bool + Send + Sync>;

/// Requests that are expected, each with its answer: [`get`](Self::get) and its like write down the next one, the methods after
/// it what is answered. Each is answered once; equal ones in the order in which they were written. A request that is not
/// expected is refused, and fails the test; so does one that nobody sends. Clones are the same.
///
/// ```
/// use std::time::Duration;
/// use serde_json::json;
/// use tool_core::http::{Fault, Http, Request};
/// use tool_core::test::FakeHttp;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tool_core::ToolError> {
/// let http = FakeHttp::default()
///     .get("https://x.example/y").json(json!({"ok": true}))
///     .get("https://x.example/y").status(503)
///     .post("https://x.example/y").sent(|request| request.body() == b"1").fails(Fault::Connect);
/// let first: serde_json::Value = http.send(Request::get("https://x.example/y")?).await?.json().await?;
/// assert_eq!(first, json!({"ok": true}));
/// assert_eq!(http.send(Request::get("https://x.example/y")?).await?.status(), 503);
/// let refused = http.send(Request::post("https://x.example/y")?.bytes("1")).await.unwrap_err();
/// assert_eq!(refused.code_str(), "connect_failed");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct FakeHttp {
    told: Arc<Told>,
    clock: FakeClock,
}

struct Told {
    script: Scripted<Exchange>,
    requests: Mutex<Vec<Request>>,
}

impl Default for Told {
    fn default() -> Self {
        let words = Words { things: "requests", did: "sent", done: "sent" };
        Told { script: Scripted::new(words), requests: Mutex::default() }
    }
}

/// A request that is expected, and what is answered.
#[derive(Clone)]
struct Exchange {
    method: Method,
    url: Url,
    matches: Option<Matcher>,
    answer: Answer,
}

/// What is answered.
#[derive(Clone, Default)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: VecDeque<Vec<u8>>,
    delay: Duration,
    fault: Option<Fault>,
}

impl Exchange {
    fn is_for(&self, request: &Request) -> bool {
        let matches = || self.matches.as_ref().is_none_or(|matches| matches(request));
        self.method == request.method() && self.url == *request.url() && matches()
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)
    }
}

impl FakeHttp {
    /// Nobody is expected to send anything. Answers are late by a clock.
    pub fn new(clock: FakeClock) -> FakeHttp {
        FakeHttp { told: Arc::default(), clock }
    }

    /// Expects a `GET`; the answer is empty, with status 200, unless something else is said of it.
    #[must_use]
    #[track_caller]
    pub fn get(self, url: &str) -> FakeHttp {
        self.request(Method::Get, url)
    }

    /// Expects a `POST`.
    #[must_use]
    #[track_caller]
    pub fn post(self, url: &str) -> FakeHttp {
        self.request(Method::Post, url)
    }

    /// Expects a request.
    ///
    /// # Panics
    /// For what is no URL.
    #[must_use]
    #[track_caller]
    #[expect(clippy::panic, reason = "a test that expects a request to nowhere fails")]
    pub fn request(self, method: Method, url: &str) -> FakeHttp {
        let url = match Url::parse(url) {
            Ok(url) => url,
            Err(error) => panic!("{url:?} is no URL: {error}"),
        };
        let answer = Answer { status: 200, ..Answer::default() };
        self.told.script.expect(Exchange { method, url, matches: None, answer });
        self
    }

    /// The request is one like this, also in its headers and body.
    #[must_use]
    pub fn sent(self, holds: impl Fn(&Request) -> bool + Send + Sync + 'static) -> FakeHttp {
        self.last(|exchange| exchange.matches = Some(Arc::new(holds)))
    }

    /// Answers with a status.
    #[must_use]
    pub fn status(self, status: u16) -> FakeHttp {
        self.answer(|answer| answer.status = status)
    }

    /// Answers with a header.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> FakeHttp {
        self.answer(|answer| answer.headers.push((name.to_owned(), value.to_owned())))
    }

    /// Answers with JSON.
    #[must_use]
    pub fn json(self, value: Value) -> FakeHttp {
        self.header("content-type", "application/json").bytes(value.to_string())
    }

    /// Answers with a piece of the body; further ones come by themselves.
    #[must_use]
    pub fn bytes(self, piece: impl Into<Vec<u8>>) -> FakeHttp {
        self.answer(|answer| answer.pieces.push_back(piece.into()))
    }

    /// Sends the other side to another address.
    #[must_use]
    pub fn redirect(self, to: &str) -> FakeHttp {
        self.status(302).header("location", to)
    }

    /// Answers after a time, and takes as long for each piece of the body.
    #[must_use]
    pub fn delay(self, time: Duration) -> FakeHttp {
        self.answer(|answer| answer.delay = time)
    }

    /// Fails so: [`Fault::Cut`] after what was answered, the others instead of it.
    #[must_use]
    pub fn fails(self, fault: Fault) -> FakeHttp {
        self.answer(|answer| answer.fault = Some(fault))
    }

    /// Expects the same once more, so many times in all.
    #[must_use]
    pub fn times(self, count: usize) -> FakeHttp {
        self.told.script.times(count);
        self
    }

    fn answer(self, change: impl FnOnce(&mut Answer)) -> FakeHttp {
        self.last(|exchange| change(&mut exchange.answer))
    }

    fn last(self, change: impl FnOnce(&mut Exchange)) -> FakeHttp {
        self.told.script.last(change);
        self
    }

    /// What was sent, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.told.requests().clone()
    }

    /// Forgets what is left and what went wrong: the test has looked at it itself. Gives both as texts.
    pub fn forgive(&self) -> Vec<String> {
        self.told.script.wrong()
    }
}

impl Told {
    /// The answer to a request, which is not given again.
    fn take(&self, request: &Request) -> Result<Answer, ToolError> {
        self.requests().push(request.clone());
        let what = format!("{} {}", request.method(), request.url());
        let kind = format!("{} {}", request.method(), request.host());
        self.script.take(|exchange| exchange.is_for(request), &what, &kind).map(|exchange| exchange.answer)
    }

    fn requests(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Http for FakeHttp {
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, ToolError>> {
        Box::pin(async move {
            let answer = self.told.take(&request)?;
            if !answer.delay.is_zero() {
                self.clock.sleep(answer.delay).await?;
            }
            match answer.fault {
                Some(fault) if fault != Fault::Cut => Err(fault.error(request.host())),
                cut => {
                    let Answer { status, headers, pieces, delay, .. } = answer;
                    let cut = cut.map(|cut| cut.error(request.host()));
                    let body = Pieces { pieces, cut, delay, is_first: true, clock: self.clock.clone() };
                    Ok(Response::new(request.url().clone(), status, headers, body))
                }
            }
        })
    }
}

/// The body of an answer.
struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    cut: Option<ToolError>,
    delay: Duration,
    is_first: bool,
    clock: FakeClock,
}

impl Body for Pieces {
    fn piece(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ToolError>> {
        Box::pin(async move {
            // The first piece comes with the header.
            if !std::mem::replace(&mut self.is_first, false) && !self.delay.is_zero() {
                self.clock.sleep(self.delay).await?;
            }
            match (self.pieces.pop_front(), self.cut.take()) {
                (Some(piece), cut) => {
                    self.cut = cut;
                    Ok(Some(piece))
                }
                (None, Some(cut)) => Err(cut),
                (None, None) => Ok(None),
            }
        })
    }
}

impl fmt::Debug for FakeHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeHttp").field("left", &self.told.script.left()).finish_non_exhaustive()
    }
}
