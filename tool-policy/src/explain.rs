//! What each rule says of one call, without running it.

use serde_json::{Value, json};
use tool_core::PolicyRequest;

use crate::judge;
use crate::policy::Policy;

/// What one rule says of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The key in the file, such as `allowed_domains`.
    pub rule: String,
    /// Where the value stands in the arguments.
    pub pointer: String,
    /// The code of the refusal; `None` where the rule holds.
    pub code: Option<&'static str>,
    /// Why it does not hold.
    pub text: Option<String>,
}

impl Verdict {
    /// The verdict as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "rule": self.rule, "pointer": self.pointer, "holds": self.code.is_none(), "code": self.code, "text": self.text,
        })
    }
}

impl Policy {
    /// Every rule that looks at a call, with its verdict.
    pub fn explain(&self, request: &PolicyRequest<'_>) -> Vec<Verdict> {
        let verdict = |finding: crate::rules::Finding| Verdict {
            rule: finding.rule,
            pointer: finding.pointer,
            code: finding.refusal.as_ref().map(|refusal| refusal.code),
            text: finding.refusal.map(|refusal| refusal.text),
        };
        judge::findings(self, request).into_iter().map(verdict).collect()
    }
}
