//! `examples`: every example fits as it is written, and one that names its result has it.

use serde_json::Value;

use super::{Fault, Subject, running};
use crate::contract::{self, example_invalid};
use crate::def::Example;
use crate::schema::says_all_of;

pub(super) const ID: &str = "examples";

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    let hits = example_invalid(&contract::Subject::of(subject.registry(), subject.tool()));
    if !hits.is_empty() {
        return hits.into_iter().map(|hit| Fault::at(hit.path, hit.text).apart()).collect();
    }
    let with_result = subject.def().examples.iter().filter_map(|example| Some((example, example.result?)));
    with_result.filter_map(|(example, result)| other_result(subject, example, result)).collect()
}

fn other_result(subject: &Subject<'_>, example: &Example<'_>, result: &str) -> Option<Fault> {
    let fault = |text: String| Fault::of_tool(format!("the example \"{}\": {text}", example.label)).apart();
    let (args, expected): (Value, Value) =
        match (serde_json::from_str(example.args), serde_json::from_str(result)) {
            (Ok(args), Ok(expected)) => (args, expected),
            (_, Err(error)) | (Err(error), _) => return Some(fault(format!("no JSON: {error}"))),
        };
    let unmet = subject.unmet();
    if !unmet.is_empty() {
        let needed = unmet.join(", ");
        return Some(fault(format!(
            "its result cannot be looked at: give a `context` that provides {needed}"
        )));
    }
    if !subject.is_harmless() && subject.checks().context.is_none() {
        return Some(fault(
            "its result cannot be looked at: a tool with effects only runs in a `context` of the test's own"
                .to_owned(),
        ));
    }
    let text = match running::run(subject.executor(), subject.call(&args), &subject.checks().given()) {
        Ok(output) if says_all_of(&expected, &output.data()) => return None,
        Ok(output) => format!("{} is expected, and the result is {}", expected, output.data()),
        Err(error) => format!("{expected} is expected, and it fails: {error}"),
    };
    Some(fault(text).with(&args))
}
