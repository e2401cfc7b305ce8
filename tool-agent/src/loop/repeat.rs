//! Turns that only repeat the one before: the same calls with the same results.

use serde_json::{Value, json};
use tool_core::dialect::ModelCall;
use tool_core::{ToolResult, envelope};

/// Counts turns in a row that are equal. A poll whose result changes is none of them.
pub(super) struct Repeats {
    most: u32,
    in_a_row: u32,
    last: Option<Value>,
}

impl Repeats {
    pub(super) fn new(most: u32) -> Self {
        Self { most, in_a_row: 0, last: None }
    }

    /// Takes a turn, and says whether it is one too many. A most of 0 never is.
    pub(super) fn seen(&mut self, answered: &[(ModelCall, ToolResult)]) -> bool {
        let of = |(call, result): &(ModelCall, ToolResult)| {
            let mut outcome = envelope(&call.name, result);
            // What the pipeline notes, such as times, is no part of the result.
            if let Some(outcome) = outcome.as_object_mut() {
                outcome.remove("meta");
            }
            json!([call.name, sorted(call.args.as_ref().unwrap_or(&Value::Null)), outcome])
        };
        let turn: Value = answered.iter().map(of).collect();
        self.in_a_row = if self.last.as_ref() == Some(&turn) { self.in_a_row + 1 } else { 1 };
        self.last = Some(turn);
        self.most > 0 && self.in_a_row >= self.most
    }
}

/// Arguments in one order, whatever order they came in.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            members.into_iter().collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        scalar => scalar.clone(),
    }
}
