//! One mechanical repair: each complaint of an error is followed by one rule, and nothing else is touched.
//!
//! The same for every library: a rule sees the place that a complaint speaks of, what is said of it, the schema and the
//! call. What was meant is asked for one thing only, a value that must be given and that the call does not have.

use serde_json::Value;

use crate::complaint::{Complaint, Says};
use crate::json::tidied;
use crate::read::complaints;
use crate::rules::{fit, missing, unknown};
use crate::schema::Schema;

/// A call under repair.
pub(crate) struct Repair<'a> {
    pub(crate) call: Value,
    pub(crate) schema: Schema<'a>,
    /// What was meant, for values that only its author knows.
    pub(crate) meant: &'a Value,
}

/// The text of a call, repaired by what an error says of it.
pub(crate) fn mend(error: &str, sent: &str, schema: &Value, meant: &Value) -> String {
    let said = complaints(error);
    let is_syntax = said.iter().any(|complaint| complaint.says == Says::Syntax);
    let read = if is_syntax { tidied(sent) } else { serde_json::from_str(sent).ok() };
    let Some(call) = read else { return sent.to_owned() };
    let mut repair = Repair { call, schema: Schema::of(schema), meant };
    let mut said = said;
    said.sort_by_key(order);
    for complaint in &said {
        repair.follow(complaint);
    }
    repair.call.to_string()
}

/// Values first, since their places are told as the call was sent; then what is missing, since it may stand somewhere else
/// under another name; what is unknown then can go.
fn order(complaint: &Complaint) -> usize {
    match &complaint.says {
        Says::Syntax | Says::Misfit | Says::Choice { .. } | Says::Range { .. } => 0,
        Says::Duplicate => 1,
        Says::Missing { inside } if !inside.is_empty() => 2,
        Says::Missing { .. } => 3,
        Says::Unknown { .. } => 4,
    }
}

impl Repair<'_> {
    fn follow(&mut self, complaint: &Complaint) {
        match &complaint.says {
            // Reading the text has repaired it.
            Says::Syntax => {}
            Says::Misfit => fit::misfit(self, &complaint.at),
            Says::Choice { offered, choices } => fit::choice(self, &complaint.at, offered, choices),
            Says::Range { least, greatest } => fit::range(self, &complaint.at, *least, *greatest),
            Says::Duplicate => fit::duplicate(self, &complaint.at),
            Says::Unknown { offered, known } => unknown::follow(self, &complaint.at, offered, known),
            Says::Missing { inside } => missing::follow(self, &complaint.at, inside),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(error: &str, sent: &str, expected: Value) {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "limit": {"type": "integer", "maximum": 10},
                "area": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"]},
            },
            "required": ["path"],
        });
        let meant = json!({"path": "a", "limit": 5, "area": {"x": 1, "y": 2}});
        let mended = mend(error, sent, &schema, &meant);
        assert_eq!(serde_json::from_str::<Value>(&mended).unwrap(), expected, "{error}");
    }

    #[test]
    fn issues_are_followed_all_at_once() {
        let issues = json!([
            {"path": "/path", "code": "missing", "expected": "string", "got": "nothing"},
            {"path": "/limit", "code": "type", "expected": "integer", "got": "string \"5 lines\""},
            {"path": "/pth", "code": "unknown", "expected": "one of the parameters path, limit, area", "got": "string \"a\"", "hint": "did you mean `path`?"},
        ]);
        let error = json!({"ok": false, "error": {"issues": issues}}).to_string();
        check(&error, r#"{"pth": "a", "limit": "5 lines"}"#, json!({"path": "a", "limit": 5}));
    }

    #[test]
    fn a_sentence_of_serde_is_followed_as_far_as_it_goes() {
        let unknown = "unknown field `Limit`, expected one of `path`, `limit`, `area`";
        check(unknown, r#"{"path": "a", "Limit": 5, "why": 1}"#, json!({"path": "a", "limit": 5}));
        let sent = r#"{"path": "a", "limit": "5 lines", "area": {"x": "1", "y": 2}}"#;
        let repaired = json!({"path": "a", "limit": 5, "area": {"x": "1", "y": 2}});
        check("invalid type: string \"5 lines\", expected u32", sent, repaired);
        check("missing field `path`", r#"{"input": {"path": "a"}}"#, json!({"path": "a"}));
        check(
            "`limit` must be 1..=10, got 50",
            r#"{"path": "a", "limit": 50}"#,
            json!({"path": "a", "limit": 10}),
        );
    }

    #[test]
    fn what_an_error_does_not_speak_of_stays() {
        let sent = r#"{"path": "a", "limit": "5", "why": 1}"#;
        check("something went wrong", sent, serde_json::from_str(sent).unwrap());
    }

    #[test]
    fn only_a_value_that_is_asked_for_and_nowhere_in_the_call_is_taken_from_what_was_meant() {
        check("missing field `path`", r#"{"limit": 7}"#, json!({"limit": 7, "path": "a"}));
        check("missing field `path`", r#"{"pathh": "b", "limit": 7}"#, json!({"limit": 7, "path": "b"}));
    }
}
