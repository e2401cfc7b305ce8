//! What the schema of a tool allows, its decoder takes as it is, and what it makes of it is allowed again.
//! (arguments.md §11, laws 1 and 2)

use serde_json::Value;

use super::values::{Taken, take, told};
use super::{Hit, Subject};
use crate::args::{Coerce, IssueCode, validator};
use crate::schema::{Values, says_all_of};

/// How many values of a schema are tried.
const VALUES: usize = 64;

pub(super) fn schema_decoder(subject: &Subject<'_>) -> Vec<Hit> {
    let Ok(schema) = subject.def().input_schema().map(|schema| schema.decoded()) else { return Vec::new() };
    let Ok(judge) = validator(schema) else { return Vec::new() };
    let mut values = Values::named(subject.def().name);
    let tried =
        (0..VALUES).map(|_| values.of(schema)).filter(|value| value.is_object() && judge.is_valid(value));
    // The first is told: others are often of the same kind.
    { tried }.find_map(|value| broken(subject, value, |value| judge.is_valid(value))).into_iter().collect()
}

/// The law that a valid value breaks.
fn broken(subject: &Subject<'_>, value: Value, is_valid: impl Fn(&Value) -> bool) -> Option<Hit> {
    let Taken { normal, notes } = match take(subject.def(), value.clone(), Coerce::Lenient) {
        Ok(taken) => taken,
        // Rules between parameters are no part of the schema.
        Err(error) => {
            let issues = error.arg_issues();
            let issue = issues.iter().find(|issue| issue.code != IssueCode::Constraint);
            return match issue {
                Some(issue) => {
                    Some(Hit::at(&issue.path, format!("the schema allows what is refused: {}", told(issue))))
                }
                None if issues.is_empty() => {
                    Some(Hit::of_tool(format!("the schema allows what fails: {error}")))
                }
                None => None,
            };
        }
    };
    if let Some(note) = notes.first() {
        let text = format!("the schema allows what is taken as something else (`{}`)", note.rule.as_str());
        return Some(Hit::at(&note.path, text));
    }
    let normal = Value::Object(normal);
    if !says_all_of(&value, &normal) {
        return Some(Hit::of_tool("a value that the schema allows is read as another one"));
    }
    (!is_valid(&normal))
        .then(|| Hit::of_tool("what is read of a valid value is not valid: look at its defaults"))
}
