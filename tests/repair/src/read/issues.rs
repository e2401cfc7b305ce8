//! Issues as a model reads them: JSON with a pointer, a code, what was expected, what came, and a hint.

use serde_json::Value;

use super::sentences::{bounds, quoted};
use crate::complaint::{At, Complaint, Says};

/// The complaints of an error that is JSON with `issues`; `None` for any other text.
pub(super) fn read(error: &str) -> Option<Vec<Complaint>> {
    let error: Value = serde_json::from_str(error).ok()?;
    let issues = error.pointer("/error/issues")?.as_array()?;
    Some(issues.iter().filter_map(complaint).collect())
}

fn complaint(issue: &Value) -> Option<Complaint> {
    let text = |key: &str| issue.get(key).and_then(Value::as_str).unwrap_or_default();
    let (path, expected, hint) = (text("path"), text("expected"), text("hint"));
    let offered = || if hint.starts_with("did you mean") { quoted(hint, '`') } else { Vec::new() };
    let says = match text("code") {
        "syntax" => Says::Syntax,
        "missing" => Says::Missing { inside: inside(hint) },
        "unknown" => Says::Unknown { offered: offered(), known: known(expected) },
        "choice" => Says::Choice { offered: offered(), choices: quoted(expected, '"') },
        "range" => {
            let (least, greatest) = bounds(expected);
            Says::Range { least, greatest }
        }
        "duplicate" => Says::Duplicate,
        _ => Says::Misfit,
    };
    Some(Complaint { at: At::Pointer(path.to_owned()), says })
}

/// The names of ``put `a`, `b` inside `c` ``.
fn inside(hint: &str) -> Vec<String> {
    let told = hint.strip_prefix("put ").and_then(|rest| rest.split_once(" inside "));
    told.map(|(names, _)| quoted(names, '`')).unwrap_or_default()
}

/// The names of `one of the parameters a, b`.
fn known(expected: &str) -> Vec<String> {
    let names = expected.strip_prefix("one of the ").and_then(|rest| rest.split_once(' '));
    let names = names.map(|(_, names)| names.split(", ").map(str::to_owned).collect::<Vec<_>>());
    names.unwrap_or_default()
}
