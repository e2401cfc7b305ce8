//! Results: whether callers know what comes.

use super::schemas::is_any;
use super::{Hit, Subject};

pub(super) fn output_untyped(subject: &Subject<'_>) -> Vec<Hit> {
    let text = "the result is structured, but its type has no schema: derive JsonSchema for it";
    subject.def().output_is_untyped().then(|| Hit::of_tool(text)).into_iter().collect()
}

pub(super) fn output_opaque(subject: &Subject<'_>) -> Vec<Hit> {
    let schema = subject.def().output_schema().and_then(|schema| schema.as_object());
    let text = "the result may be any value: return a type of its own";
    schema.is_some_and(is_any).then(|| Hit::of_tool(text)).into_iter().collect()
}
