//! Answers to approvals that a test has written down beforehand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::call::{ApprovalRequest, Approver, Decision};
use crate::def::BoxFuture;

/// Whether the arguments are those that are expected.
type Matcher = Box<dyn Fn(&Value) -> bool + Send + Sync>;

/// An approver whose answers are given in order, each for the call that is expected then. A question that is not the next
/// expected one is refused and fails the test; so do answers that nobody asked for. Both when the last clone is dropped.
///
/// ```
/// use serde_json::json;
/// use tool_core::test::Script;
/// use tool_core::{Decision, ToolContext};
///
/// let script = Script::new().expect("delete_file", |args| args["path"] == "a", Decision::AllowOnce);
/// let ctx = ToolContext::builder().approver(script.clone()).build();
/// # let _ = ctx; script.forgive();
/// ```
#[derive(Clone, Default)]
pub struct Script(Arc<Told>);

#[derive(Default)]
struct Told {
    expected: Mutex<VecDeque<(String, Matcher, Decision)>>,
    unexpected: Mutex<Vec<String>>,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Script {
    /// A script in which nobody is asked.
    pub fn new() -> Script {
        Script::default()
    }

    /// The next question is about this tool, with arguments like this; it is answered so.
    #[must_use]
    pub fn expect(
        self,
        tool: impl Into<String>,
        args: impl Fn(&Value) -> bool + Send + Sync + 'static,
        decision: Decision,
    ) -> Script {
        held(&self.0.expected).push_back((tool.into(), Box::new(args), decision));
        self
    }

    /// Forgets what is left and what went wrong: the test has looked at it itself. Gives both as texts.
    pub fn forgive(&self) -> Vec<String> {
        self.0.wrong()
    }
}

impl Told {
    /// Everything that was not as written down; it is told once.
    fn wrong(&self) -> Vec<String> {
        let mut wrong = std::mem::take(&mut *held(&self.unexpected));
        let left = std::mem::take(&mut *held(&self.expected));
        wrong.extend(left.iter().map(|(tool, ..)| format!("nobody asked about {tool}")));
        wrong
    }
}

impl Approver for Script {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        let mut expected = held(&self.0.expected);
        let is_next =
            expected.front().is_some_and(|(tool, args, _)| tool == request.tool.name() && args(request.args));
        let decision = match expected.pop_front().filter(|_| is_next) {
            Some((_, _, decision)) => decision,
            None => {
                let asked = format!("asked about {} with {}", request.tool.name(), request.args);
                held(&self.0.unexpected).push(asked);
                Decision::Deny { reason: Some("the test did not expect this question".to_owned()) }
            }
        };
        Box::pin(std::future::ready(decision))
    }

    fn name(&self) -> &str {
        "script"
    }
}

impl Drop for Told {
    #[expect(clippy::panic, reason = "a test must fail whose questions are not the expected ones")]
    fn drop(&mut self) {
        let wrong = self.wrong();
        if !wrong.is_empty() && !std::thread::panicking() {
            panic!("approvals were not as scripted:\n{}", wrong.join("\n"));
        }
    }
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Script").field("left", &held(&self.0.expected).len()).finish()
    }
}
