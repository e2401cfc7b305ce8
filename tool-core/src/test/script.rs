//! Answers that a test has written down beforehand, to approvals and to the questions of running tools.

use std::collections::VecDeque;
use std::future::{pending, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use super::answer::{Answer, Expected};
use crate::ask::{Asker, Question, Reply};
use crate::call::redact::KnownSecrets;
use crate::call::{ApprovalRequest, Approver, Decision};
use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::error::ToolError;

/// Somebody whose answers are given in order, each for the question that is expected then. A question that is not the next
/// expected one is refused and fails the test; so do answers that nobody asked for. Both when the last clone is dropped.
///
/// ```
/// use serde_json::json;
/// use tool_core::test::Script;
/// use tool_core::{Decision, ToolContext};
///
/// let script = Script::new().expect("delete_file", |args| args["path"] == "a", Decision::AllowOnce);
/// let ctx = ToolContext::builder().approver(script.clone()).asker(script.clone()).build();
/// # let _ = ctx; script.forgive();
/// ```
#[derive(Clone, Default)]
pub struct Script(Arc<Told>);

#[derive(Default)]
struct Told {
    expected: Mutex<VecDeque<Expected>>,
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

    /// A script with these answers.
    pub fn of(answers: impl IntoIterator<Item = Answer>) -> Script {
        let script = Script::new();
        held(&script.0.expected).extend(answers.into_iter().map(|answer| answer.0));
        script
    }

    /// The next question is about this tool, with arguments like this; it is answered so.
    #[must_use]
    pub fn expect(
        self,
        tool: impl Into<String>,
        args: impl Fn(&Value) -> bool + Send + Sync + 'static,
        decision: Decision,
    ) -> Script {
        let (tool, args) = (tool.into(), Arc::new(args));
        held(&self.0.expected).push_back(Expected::Approval { tool, args, decision: Some(decision) });
        self
    }

    /// The next answer, for a surface on which a question is no more than a text: an approval must be about a tool that the text
    /// names, whatever its arguments are, and is accepted without an answer. Anything else is declined, and fails the test.
    pub fn next(&self, asked: &str) -> Reply {
        let names = |tool: &str| asked.split(|c: char| !is_of_name(c)).any(|word| word == tool);
        let is_meant = |next: &Expected| match next {
            Expected::Approval { tool, .. } => names(tool),
            Expected::Question { .. } => true,
        };
        match self.0.take(is_meant) {
            Some(Expected::Approval { decision, .. }) => match decision {
                Some(Decision::AllowOnce | Decision::AllowAlways) => {
                    Reply::Accepted(Value::Object(Map::new()))
                }
                Some(Decision::Cancelled) => Reply::Cancelled,
                _ => Reply::Declined,
            },
            Some(Expected::Question { reply, .. }) => reply,
            None => {
                let instead = self.0.instead();
                self.0.wondered(format!("asked: {asked}{instead}"));
                Reply::Declined
            }
        }
    }

    /// Forgets what is left and what went wrong: the test has looked at it itself. Gives both as texts.
    pub fn forgive(&self) -> Vec<String> {
        self.0.wrong()
    }
}

/// Whether a character may stand in the name of a tool.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

impl Told {
    /// Everything that was not as written down; it is told once.
    fn wrong(&self) -> Vec<String> {
        let mut wrong = std::mem::take(&mut *held(&self.unexpected));
        let left = std::mem::take(&mut *held(&self.expected));
        wrong.extend(left.iter().map(|expected| format!("nobody asked about {}", expected.question())));
        wrong
    }

    fn wondered(&self, text: String) {
        held(&self.unexpected).push(text);
    }

    /// What stands in front, if it is meant; else it stays.
    fn take(&self, is_meant: impl FnOnce(&Expected) -> bool) -> Option<Expected> {
        let mut expected = held(&self.expected);
        if expected.front().is_some_and(is_meant) { expected.pop_front() } else { None }
    }

    /// What would have been the next question.
    fn instead(&self) -> String {
        match held(&self.expected).front() {
            Some(next) => format!("; the next answer is for {}", next.question()),
            None => "; no answer is left".to_owned(),
        }
    }

    /// The answer to an approval, if it is the next that is expected; none in it where nobody says anything.
    fn decide(&self, request: &ApprovalRequest<'_>) -> Option<Option<Decision>> {
        let is_meant = |next: &Expected| match next {
            Expected::Approval { tool, args, .. } => tool == request.tool.name() && args(request.args),
            Expected::Question { .. } => false,
        };
        match self.take(is_meant)? {
            Expected::Approval { decision, .. } => Some(decision),
            Expected::Question { .. } => None,
        }
    }

    /// The answer to a question, if it is the next that is expected; one that does not fit is told.
    fn reply(&self, asked: &str, question: &Question) -> Option<Reply> {
        match self.take(|next| matches!(next, Expected::Question { key, .. } if key == asked))? {
            Expected::Question { key, reply } => {
                if let Reply::Accepted(answer) = &reply
                    && let Err(why) = question.fits(answer)
                {
                    self.wondered(format!("the answer to `{key}` does not fit: {why}"));
                }
                Some(reply)
            }
            Expected::Approval { .. } => None,
        }
    }
}

impl Approver for Script {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        let decision = self.0.decide(request).unwrap_or_else(|| {
            let shown = super::shown::args(request.tool, request.args, &KnownSecrets::default());
            let instead = self.0.instead();
            self.0.wondered(format!("asked about {} with {shown}{instead}", request.tool.name()));
            Some(Decision::Deny { reason: Some("the test did not expect this question".to_owned()) })
        });
        match decision {
            Some(decision) => Box::pin(ready(decision)),
            None => Box::pin(pending()),
        }
    }

    fn name(&self) -> &str {
        "script"
    }
}

impl Asker for Script {
    fn ask<'a>(
        &'a self,
        _: &'a ToolContext,
        questions: &'a [(String, Question)],
    ) -> BoxFuture<'a, Result<Vec<Reply>, ToolError>> {
        let reply = |(key, question): &(String, Question)| {
            self.0.reply(key, question).unwrap_or_else(|| {
                let instead = self.0.instead();
                self.0.wondered(format!("asked `{key}`: {}{instead}", question.message()));
                Reply::Declined
            })
        };
        Box::pin(ready(Ok(questions.iter().map(reply).collect())))
    }
}

impl Drop for Told {
    #[expect(clippy::panic, reason = "a test must fail whose questions are not the expected ones")]
    fn drop(&mut self) {
        let wrong = self.wrong();
        if !wrong.is_empty() && !std::thread::panicking() {
            panic!("questions were not as scripted:\n{}", wrong.join("\n"));
        }
    }
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Script").field("left", &held(&self.0.expected).len()).finish()
    }
}
