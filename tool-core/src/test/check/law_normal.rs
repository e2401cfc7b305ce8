//! `law-normal`: what is made of a call is a call that the schema allows, and is taken as it is. (arguments.md §11, law 2)

use serde_json::{Map, Value};

use super::trials::{Made, Trial};
use super::{Fault, Subject};
use crate::args::Coerce;
use crate::contract::take;

pub(super) const ID: &str = "law-normal";

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    subject.broken(ID)
}

pub(super) fn broken(subject: &Subject<'_>, trial: &Trial) -> Option<Fault> {
    let taken = trial.taken.as_ref().ok()?;
    // What must not be taken at all is told by other laws.
    if matches!(trial.made, Made::Changed { .. }) && taken.notes.is_empty() && !subject.allows(&trial.args) {
        return None;
    }
    let normal = Value::Object(without_bad_defaults(subject, &trial.args, taken.normal.clone()));
    if !subject.allows(&normal) {
        let missed = subject.missed(&normal).join("`, `");
        let text =
            format!("what is made of the call, {}, is not allowed by the schema: `{missed}`", cut(&normal));
        return Some(Fault::of_tool(text).with(&trial.args));
    }
    let text = match take(subject.def(), normal.clone(), Coerce::Lenient) {
        Err(error) => format!("what is made of the call, {}, is refused in turn: {error}", cut(&normal)),
        Ok(again) if !again.notes.is_empty() => {
            format!("what is made of the call, {}, is read as something else in turn", cut(&normal))
        }
        Ok(again) => {
            let again = Value::Object(without_bad_defaults(subject, &trial.args, again.normal));
            // As text: the order of keys counts.
            let (again_text, normal_text) = (again.to_string(), normal.to_string());
            if again_text == normal_text {
                return None;
            }
            format!("what is made of the call, {}, becomes {} in turn", cut(&normal), cut(&again))
        }
    };
    Some(Fault::of_tool(text).with(&trial.args))
}

/// A normal form without the defaults that do not fit, which is a fault of its own.
fn without_bad_defaults(
    subject: &Subject<'_>,
    args: &Value,
    mut normal: Map<String, Value>,
) -> Map<String, Value> {
    let bad = subject.bad_defaults();
    normal.retain(|name, _| args.get(name).is_some_and(|given| !given.is_null()) || !bad.contains(name));
    normal
}

/// The beginning of a value.
fn cut(value: &Value) -> String {
    const SHOWN: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
