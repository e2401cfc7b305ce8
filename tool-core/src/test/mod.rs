//! For those who test tools: a kit that calls them as their callers do, and checks of a whole set, as macros. (feature `test`)
//!
//! ```toml
//! [dev-dependencies]
//! serde_json = "1"
//! tool-core = { version = "0.1", features = ["test"] }
//! ```
//!
//! A tool is a plain function: what it computes is tested by calling it. These five tests are about what a function alone does not
//! show. They are written for these two tools, which keep notes for somebody:
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Mutex;
//! use tool_core::prelude::*;
//!
//! /// Where notes are kept.
//! #[derive(Default)]
//! pub struct Notes(Mutex<BTreeMap<String, String>>);
//!
//! /// Reads a note.
//! #[tool(register = false)]
//! pub fn read_note(
//!     /// Its name.
//!     name: &str,
//!     /// Maximum number of characters.
//!     #[arg(default = 100, range = 1..=1_000)]
//!     limit: u32,
//!     #[ctx] notes: &Notes,
//! ) -> Result<String, ToolError> {
//!     match notes.0.lock().unwrap().get(name) {
//!         Some(text) => Ok(text.chars().take(limit as usize).collect()),
//!         None => Err(ToolError::not_found(format!("There is no note {name}.")).code("note_unknown")),
//!     }
//! }
//!
//! /// Deletes a note.
//! #[tool(register = false, destructive, idempotent)]
//! pub fn delete_note(/** Its name. */ name: &str, #[ctx] notes: &Notes) -> bool {
//!     notes.0.lock().unwrap().remove(name).is_some()
//! }
//!
//! tool_set! {
//!     /// The tools of this page.
//!     pub static NOTE_TOOLS = [ReadNoteTool, DeleteNoteTool];
//! }
//!
//! // What follows stands among the tests.
//! use serde_json::json;
//! use tool_core::test::{KitBuilder, ToolKit, answer};
//! use tool_core::{ErrorKind, assert_issues};
//!
//! /// What each test begins with: a kit whose tools find one note.
//! fn notes() -> KitBuilder {
//!     ToolKit::new(&NOTE_TOOLS).provide_new(|| Notes(Mutex::new([("a".to_owned(), "milk".to_owned())].into())))
//! }
//!
//! // 1. A call by its name comes to the function, and its result fits the schema that callers were shown.
//! let kit = notes().build();
//! let text: String = kit.call_blocking("read_note", json!({"name": "a"})).unwrap().parse().unwrap();
//! assert_eq!(text, "milk");
//! // By the tool's handle, so that a renamed tool is an error of the compiler:
//! assert_eq!(kit.tool(ReadNoteTool).arg("name", "a").arg("limit", 2).run_blocking().unwrap().data(), "mi");
//!
//! // 2. Wrong arguments are refused before the function runs, all at once.
//! let refused = kit.call_blocking("read_note", json!({"limit": 0, "nam": "a"})).unwrap_err();
//! assert_issues!(refused, ["/name missing", "/limit range", "/nam unknown"]);
//!
//! // 3. A failure has the kind that its callers act upon, and a code of its own.
//! let failed = kit.call_blocking("read_note", json!({"name": "b"})).unwrap_err();
//! assert_eq!((failed.kind(), failed.code_str()), (ErrorKind::NotFound, "note_unknown"));
//!
//! // 4. Nothing is destroyed unless a person agrees; an answer that nobody asks for fails the test.
//! let kit = notes().answers([answer::no("delete_note"), answer::yes("delete_note")]).build();
//! let refused = kit.call_blocking("delete_note", json!({"name": "a"})).unwrap_err();
//! assert_eq!(refused.kind(), ErrorKind::Denied);
//! assert_eq!(kit.call_blocking("delete_note", json!({"name": "a"})).unwrap().data(), true);
//!
//! // 5. Every caller is told the same: the models of all providers, and each surface that the kit is given, such as those of
//! //    `tool_cli::test::surfaces()` and `tool_mcp::test::surfaces()`.
//! let kit = notes().build();
//! kit.everywhere("read_note", json!({"name": "a", "limit": "3"})).blocking().assert_same().unwrap();
//! kit.everywhere("read_note", json!({"name": 5.5})).blocking().assert_same().unwrap_err();
//! ```
//!
//! What a tool reaches beyond itself it names as a parameter, and a kit has a fake of each, which is a type of its own for tests
//! without a kit:
//!
//! | parameter | of the kit | the fake |
//! | --- | --- | --- |
//! | `#[ctx] clock: &dyn Clock`, `timeout = "…"` | `.clock("2026-01-01T00:00:00Z")`, `.hurry()`, [`ToolKit::advance`] | [`FakeClock`] |
//! | `#[ctx] environment: &dyn Environment` | `.env([("LANG", "C")])` | [`FakeEnv`] |
//! | `#[ctx] randomness: &dyn Randomness` | `.rng(7)`, `.rng_script([250, 0])` | [`FakeRng`] |
//! | `#[ctx] http: &dyn Http` | `.http(\|h\| h.get(URL).json(…))` | [`FakeHttp`] |
//! | `#[ctx] workspace: &Workspace` | `.files(tree! { … })`, `.files_failing(…)`, by `tool_std::test` | [`tree!`](crate::tree!), `FaultFs` |
//! | `#[ctx] sandbox: &Sandbox` | `.files_and_commands(tree! { … }, \|run\| run.command(["make"]).out("ok").exit(0))` | `tool_std::test::FakeRun` |
//! | a person, by `ctx.ask` or approval | `.answers([…])` | [`Script`] |
//! | the journal | `.journal_failing(FaultJournal::fail_at(2))`, [`ToolKit::journal`] | [`FaultJournal`] |
//! | what calls came to before | `.cassette("tests/pages.jsonl", CassetteMode::Replay)` | [`Cassette`](crate::journal::Cassette) |
//! | a type of one's own | `.provide(…)`, `.provide_new(…)`, `.fixture(…)` | [`Fixture`] |
//!
//! Fakes of which nothing was said refuse what they are asked for, and the test fails with the call that asked. What calls did is in
//! [`ToolKit::io`], of one call in [`Called::events`]. Tools that use HTTP need the feature `http` of this crate, and a test that
//! waits for calls a runtime, such as `#[tokio::test]`:
//!
//! ```
//! use serde_json::json;
//! use std::time::Duration;
//! use tool_core::http::{Http, Request};
//! use tool_core::prelude::*;
//! use tool_core::test::ToolKit;
//! use tool_core::{Clock, Registry};
//!
//! /// Fetches a page; one that is not there yet once more, after a minute.
//! #[tool(register = false, open_world, timeout = "2m")]
//! async fn fetch(/** Its address. */ url: &str, #[ctx] http: &dyn Http, #[ctx] clock: &dyn Clock) -> Result<String, ToolError> {
//!     let request = Request::get(url)?;
//!     let mut response = http.send(request.clone()).await?;
//!     if response.status() == 404 {
//!         clock.sleep(Duration::from_secs(60)).await?;
//!         response = http.send(request).await?;
//!     }
//!     response.success()?.text().await
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! const URL: &str = "https://x.example/y";
//! let registry = Registry::builder().add::<FetchTool>().build().unwrap();
//! let kit = ToolKit::of(registry).http(|h| h.get(URL).status(404).get(URL).bytes("here")).build();
//! let a_minute = async {
//!     kit.clock().asleep(1).await;
//!     kit.advance(Duration::from_secs(60));
//! };
//! let (page, ()) = tokio::join!(kit.call("fetch", json!({"url": URL})), a_minute);
//! assert_eq!(page.unwrap().data(), "here");
//! let io: Vec<String> = kit.io().iter().map(|io| format!("{} {}", io.capability, io.what)).collect();
//! assert_eq!(io, ["http GET https://x.example/y", "clock sleep 60s", "http GET https://x.example/y"]);
//! # }
//! ```
//!
//! What is left when a kit is dropped fails the test too: answers, requests and numbers that nobody wanted, calls that still run, and
//! tasks and child processes that its tools have started and not ended. For that tools run on a runtime of their own, which the kits
//! of a recipe share: a test that pauses tokio's time leaves them on its own by [`KitBuilder::on_runtime_of_test`]. Processes are seen
//! on Linux, where the thread that ran the tool has started them; those of a sandbox end with it.
//!
//! Beside them [`assert_tools!`](crate::assert_tools!) proves of every tool what its definition promises,
//! [`snapshot_tools!`](crate::snapshot_tools!) keeps what callers see of it, [`lock!`](crate::lock!) tells when what callers rely on has changed, and
//! [`assert_listed!`](crate::assert_listed!) when a tool was left out of its set. Tools that work in a directory get one from
//! [`tree!`](crate::tree!): see `tool_std::test`.
//!
//! Arguments for tests of one's own come from the schema: [`values`] that satisfy it, and by [`mutate`] what is almost right, with what
//! must be said of it. With the feature `proptest` they are a strategy, `strategy(&schema)`, which makes what fails
//! smaller.

pub mod answer;
mod assert_tools;
mod audited;
mod blocking;
mod builder;
mod called;
mod check;
mod damage;
mod difference;
mod everywhere;
mod fake_clock;
mod fake_env;
mod fake_http;
mod fake_rng;
mod fault_journal;
mod fixture;
mod ground;
mod here;
mod io;
mod issues;
mod kit;
mod left;
mod lock;
mod model;
mod mutate;
mod script;
mod scripted;
mod shown;
mod snapshot;
#[cfg(feature = "proptest")]
mod strategy;
mod surface;
#[cfg(unix)]
mod temporary;
#[cfg(unix)]
mod tree;
mod typed;
mod update;
mod values;
mod watch;

pub use answer::Answer;
pub use assert_tools::assert_sound;
pub use audited::Audited;
pub use builder::KitBuilder;
pub use called::{CallResult, Called};
pub use check::{CHECKS, Check, Checks, Fault, IntoRegistry, Look, Problem, Subject};
pub use damage::Damage;
pub use everywhere::{Everywhere, Outcomes};
pub use fake_clock::FakeClock;
pub use fake_env::FakeEnv;
pub use fake_http::FakeHttp;
pub use fake_rng::FakeRng;
pub use fault_journal::{FaultJournal, JournalWrite};
pub use fixture::Fixture;
pub use io::Io;
pub use issues::issues_of;
pub use kit::ToolKit;
pub use lock::locked;
pub use model::{DialectKit, ModelCalled};
pub use mutate::{Expected, Mutation, MutationKind, mutate};
pub use script::Script;
pub use scripted::{Scripted, Words};
pub use snapshot::{FORMS, Form, Snapshots, assert_seen};
#[cfg(feature = "proptest")]
pub use strategy::{SchemaStrategy, Shrinking, strategy};
pub use surface::{Case, SurfaceUnderTest, Told};
#[cfg(unix)]
pub use temporary::TemporaryDirectory;
#[cfg(unix)]
pub use tree::{Node, Tree, TreePath, file, hole, link, same_as};
pub use typed::TypedCall;
pub use update::{Mode, tell};
pub use values::{SchemaValues, values};
pub use watch::Event;

pub use crate::schema::{Random, Values, says_all_of};
