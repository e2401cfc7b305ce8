//! `law-agree`: the decoder of the types and the one that has nothing but the schema say the same, to the letter.
//! (arguments.md §11, law 4)

use serde_json::{Map, Value, json};

use super::{Fault, Subject};
use crate::args::{ArgIssue, Args, Coerce, Coercion};
use crate::contract::Taken;
use crate::def::{Cache, Handler, ToolDef, ToolKeys};
use crate::error::ToolError;

pub(super) const ID: &str = "law-agree";

/// The limits of 64 bits, as messages tell them: a type has them and a schema does not.
const LIMITS: [&str; 2] = ["..=9223372036854775807", "..=18446744073709551615"];

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    let def = subject.def();
    let Ok(schema) = def.input_schema() else { return Vec::new() };
    if matches!(def.handler, Handler::Dynamic(_)) {
        return Vec::new();
    }
    let cache = Cache::new();
    let keys = ToolKeys { input: Some(schema.schema()), ..*def.keys };
    let by_schema = ToolDef { keys: &keys, cache: &cache, ..*def };
    let whole = subject.trials().iter().filter(|trial| trial.broken.is_none());
    let differ = whole.filter_map(|trial| {
        let fault = differing(&trial.taken, &by_schema_of(&by_schema, &trial.args))?;
        Some(fault.with(&trial.args))
    });
    differ.collect()
}

/// The normal form and the notes.
type Decoded = Result<(Map<String, Value>, Vec<Coercion>), ToolError>;

fn by_schema_of(def: &ToolDef<'_>, input: &Value) -> Decoded {
    let mut args = Args::new(def, input.clone(), Coerce::Lenient)?;
    let object = args.take_object();
    args.finish()?;
    Ok((object.unwrap_or_default(), args.notes().to_vec()))
}

fn differing(by_type: &Result<Taken, ToolError>, by_schema: &Decoded) -> Option<Fault> {
    let typed = match by_type {
        Ok(taken) => json!({"args": taken.normal, "notes": taken.notes}).to_string(),
        Err(error) => error.to_json().to_string(),
    };
    let schema = match by_schema {
        Ok((args, notes)) => json!({"args": args, "notes": notes}).to_string(),
        Err(error) => error.to_json().to_string(),
    };
    // As text: the order of keys counts.
    if typed == schema || differ_by_limits(by_type, by_schema) {
        return None;
    }
    let path =
        by_type.as_ref().err().or(by_schema.as_ref().err()).and_then(|error| error.arg_issues().first());
    let path = path.map_or("", |issue| &issue.path);
    Some(Fault::at(path, format!("by type: {typed}\n    by schema: {schema}")))
}

/// Whether the types alone tell the limits of 64 bits, and otherwise both say the same.
fn differ_by_limits(by_type: &Result<Taken, ToolError>, by_schema: &Decoded) -> bool {
    let Err(typed) = by_type else { return false };
    let is_limit = |issue: &&ArgIssue| LIMITS.iter().any(|limit| issue.expected.contains(limit));
    if !typed.arg_issues().iter().any(|issue| is_limit(&issue)) {
        return false;
    }
    let place = |issue: &ArgIssue| (issue.path.clone(), issue.code);
    let by_schema: Vec<_> =
        by_schema.as_ref().err().map_or(&[][..], ToolError::arg_issues).iter().map(place).collect();
    let told = |issue: &&ArgIssue| by_schema.contains(&place(issue)) || !is_limit(issue);
    typed.arg_issues().iter().filter(told).map(place).eq(by_schema.iter().cloned())
}
