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
