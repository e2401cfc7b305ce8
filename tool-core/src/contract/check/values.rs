//! Values that a definition holds, examples and defaults: they are decoded as a call would be, strictly.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value, json};

use super::places::Role;
use super::{Hit, Subject};
use crate::args::{ArgIssue, Args, Coerce, Coercion, IssueCode, validator};
use crate::def::{Handler, SchemaSource, ToolDef};
use crate::error::{ErrorKind, ToolError};

pub(crate) fn example_invalid(subject: &Subject<'_>) -> Vec<Hit> {
    let examples = subject.def().examples.iter().filter(|_| !subject.places().is_empty());
    examples.flat_map(|example| of_example(subject.def(), example.label, example.args)).collect()
}

fn of_example(def: &ToolDef<'_>, label: &str, args: &str) -> Vec<Hit> {
    let hit = |path: &str, text: &str| Hit::at(path, format!("the example \"{label}\": {text}"));
    let args: Value = match serde_json::from_str(args) {
        Ok(args) => args,
        Err(error) => return vec![hit("", &format!("no JSON: {error}"))],
    };
    let Err(error) = decode(def, args) else { return Vec::new() };
    match error.arg_issues() {
        // The schema is at fault, which is told on its own.
        [] if error.kind() == ErrorKind::Internal && error.code_str() != PANICKED => Vec::new(),
        [] => vec![hit("", error.message())],
        issues => issues.iter().map(|issue| hit(&issue.path, &told(issue))).collect(),
    }
}

pub(crate) fn default_invalid(subject: &Subject<'_>) -> Vec<Hit> {
    let def = subject.def();
    let of_params = def.params.iter().filter(|param| !param.keys.flatten && !subject.places().is_empty());
    let of_params = of_params.filter_map(|param| {
        let default = match param.schema {
            SchemaSource::Given(schema) => schema.get("default")?.clone(),
            SchemaSource::Type(_) => param.default.map(|make| make())?,
        };
        let args = Value::Object(Map::from_iter([(param.name.to_owned(), default)]));
        let error = decode(def, args).err()?;
        let own = Hit::at_param(param.name, "").path;
        let issue = error.arg_issues().iter().find(|issue| {
            let rest = issue.path.strip_prefix(&own);
            let inside = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            inside && !matches!(issue.code, IssueCode::Constraint | IssueCode::Unknown)
        })?;
        Some(Hit::at(&issue.path, format!("the default does not fit: {}", told(issue))))
    });
    of_params.chain(of_fields(subject)).collect()
}

/// The defaults inside nested types, by the schema around them.
fn of_fields<'s>(subject: &'s Subject<'_>) -> impl Iterator<Item = Hit> + 's {
    let fields = subject.places().iter().filter(|place| place.role == Role::Field);
    fields.filter_map(|place| {
        let default = place.schema.get("default")?;
        let mut schema = place.schema.clone();
        schema.insert("$defs".to_owned(), json!(place.definitions));
        let judge = validator(&Value::Object(schema)).ok()?;
        let error = judge.validate(default).err()?;
        Some(Hit::at(&place.path, format!("the default does not fit: {error}")))
    })
}

/// The code of what panicked.
const PANICKED: &str = "panic";

/// What is left of arguments when they are taken.
pub(crate) struct Taken {
    pub(crate) normal: Map<String, Value>,
    pub(crate) notes: Vec<Coercion>,
}

/// Takes every parameter, and runs nothing. A type decodes by code of its own: where that panics, the value does not fit.
pub(crate) fn take(def: &ToolDef<'_>, args: Value, mode: Coerce) -> Result<Taken, ToolError> {
    let take = || {
        let mut args = Args::new(def, args, mode)?;
        match def.handler {
            Handler::Sync(enter) | Handler::Async(enter) => enter(&mut args).map(drop),
            Handler::Dynamic(handler) => handler.enter(&mut args).map(drop),
        }?;
        Ok(Taken { normal: args.normal().clone(), notes: args.notes().to_vec() })
    };
    let panicked = || ToolError::internal("decoding it panicked").code(PANICKED);
    catch_unwind(AssertUnwindSafe(take)).unwrap_or_else(|_| Err(panicked()))
}

fn decode(def: &ToolDef<'_>, args: Value) -> Result<Taken, ToolError> {
    take(def, args, Coerce::Strict)
}

/// An issue without its place.
pub(crate) fn told(issue: &ArgIssue) -> String {
    let line = issue.to_string();
    line.strip_prefix(&format!("{}: ", issue.path)).unwrap_or(&line).to_owned()
}
