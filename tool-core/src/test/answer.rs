//! What a person says in a test: to whether a tool may run, and to what a running tool asks.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::ask::Reply;
use crate::call::Decision;

/// Whether arguments are those that are expected.
pub(super) type Matcher = Arc<dyn Fn(&Value) -> bool + Send + Sync>;

/// One answer, and the question that it is for. The functions of this module make them.
///
/// ```
/// use serde_json::json;
/// use tool_core::test::answer;
///
/// // Somebody lets `delete_file` run on this file alone, and then tells `sign` a name.
/// let answers = [
///     answer::yes("delete_file").with(|args| args["path"] == "a.txt"),
///     answer::to("name", json!({"name": "Ada"})),
/// ];
/// assert_eq!(format!("{:?}", answers[1]), "answer to the question `name`");
/// ```
#[derive(Clone)]
pub struct Answer(pub(super) Expected);

/// What is expected to be asked, and what is said then.
#[derive(Clone)]
pub(super) enum Expected {
    /// Whether a tool may run; without a decision nobody says anything.
    Approval { tool: String, args: Matcher, decision: Option<Decision> },
    /// What a running tool asks.
    Question { key: String, reply: Reply },
}

/// This call of the tool may run.
pub fn yes(tool: impl Into<String>) -> Answer {
    decided(tool, Decision::AllowOnce)
}

/// So may every further call with the same arguments.
pub fn always(tool: impl Into<String>) -> Answer {
    decided(tool, Decision::AllowAlways)
}

/// The call may not run.
pub fn no(tool: impl Into<String>) -> Answer {
    decided(tool, Decision::Deny { reason: None })
}

/// Nobody says whether the call may run, until the time for that is over ([`APPROVAL_TIME`](crate::APPROVAL_TIME)).
pub fn late(tool: impl Into<String>) -> Answer {
    approval(tool, None)
}

/// The question under a key is answered so.
pub fn to(key: impl Into<String>, answer: Value) -> Answer {
    replied(key, Reply::Accepted(answer))
}

/// The question under a key is not answered.
pub fn decline(key: impl Into<String>) -> Answer {
    replied(key, Reply::Declined)
}

/// The call is not wanted any more when the question under a key is asked.
pub fn cancel(key: impl Into<String>) -> Answer {
    replied(key, Reply::Cancelled)
}

fn decided(tool: impl Into<String>, decision: Decision) -> Answer {
    approval(tool, Some(decision))
}

fn approval(tool: impl Into<String>, decision: Option<Decision>) -> Answer {
    Answer(Expected::Approval { tool: tool.into(), args: Arc::new(|_| true), decision })
}

fn replied(key: impl Into<String>, reply: Reply) -> Answer {
    Answer(Expected::Question { key: key.into(), reply })
}

impl Answer {
    /// The answer is for arguments like this; a question of a running tool has none.
    #[must_use]
    pub fn with(mut self, holds: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Answer {
        if let Expected::Approval { args, .. } = &mut self.0 {
            *args = Arc::new(holds);
        }
        self
    }
}

impl Expected {
    /// The question that it is for.
    pub(super) fn question(&self) -> String {
        match self {
            Expected::Approval { tool, .. } => tool.clone(),
            Expected::Question { key, .. } => format!("the question `{key}`"),
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Expected::Approval { tool, decision: Some(decision), .. } => write!(f, "{decision:?} to {tool}"),
            Expected::Approval { tool, decision: None, .. } => write!(f, "no answer to {tool}"),
            Expected::Question { key, .. } => write!(f, "answer to the question `{key}`"),
        }
    }
}
