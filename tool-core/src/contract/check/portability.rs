//! What model APIs cannot carry, or not strictly. (dialects.md §4)

use serde_json::Value;

use super::places::Role;
use super::schemas::patterns;
use super::{Finding, Hit, Level, Place, Subject};
use crate::def::Surface;
use crate::dialect::{Action, Dialect, DialectId, SchemaIssue, are_exclusive, is_portable};

pub(super) fn root_union(place: &Place<'_>) -> Option<String> {
    let union = place.schema.contains_key("oneOf") || place.schema.contains_key("anyOf");
    (place.role == Role::Root && union)
        .then(|| "the arguments are a union: they travel under one more name, `input`".to_owned())
}

pub(super) fn recursion(place: &Place<'_>) -> Option<String> {
    let names: Vec<&str> = place.definitions.keys().map(String::as_str).collect();
    (place.role == Role::Root && !names.is_empty())
        .then(|| format!("`{}` contains itself: some APIs do not take that strictly", names.join("`, `")))
}

pub(super) fn map_strict(place: &Place<'_>) -> Option<String> {
    let map = place.schema.get("additionalProperties").is_some_and(Value::is_object);
    let entries = place.schema.get("x-entries") == Some(&Value::Bool(true));
    let text = "a map makes the tool loose on APIs with strict schemas: mark it `entries`, or take a list";
    (map && !entries && place.role != Role::Part).then(|| text.to_owned())
}

pub(super) fn tuple_strict(place: &Place<'_>) -> Option<String> {
    let text = "a tuple makes the tool loose on APIs with strict schemas: take an object";
    place.schema.contains_key("prefixItems").then(|| text.to_owned())
}

pub(super) fn oneof_overlap(place: &Place<'_>) -> Option<String> {
    let branches = place.schema.get("oneOf")?.as_array()?;
    let text =
        "a value may fit two branches of `oneOf`, which APIs take as `anyOf`: tell them apart by a constant";
    (!are_exclusive(branches, place.definitions)).then(|| text.to_owned())
}

pub(super) fn regex_portable(place: &Place<'_>) -> Option<String> {
    let pattern = patterns(place).find(|pattern| !is_portable(pattern))?;
    Some(format!(
        "engines read the pattern `{pattern}` differently: avoid look-around, named groups, \\b and \\B"
    ))
}

pub(super) fn dialect_refused(subject: &Subject<'_>) -> Vec<Hit> {
    let dialects = DialectId::ALL.into_iter().map(|row| row.0);
    let refused = dialects.flat_map(|dialect| {
        let issues = issues(subject, dialect).into_iter().filter(|issue| issue.action == Action::Refused);
        issues.map(move |issue| {
            Hit::of_tool(format!("{dialect} cannot carry `{}`: {}", issue.path, issue.keyword))
        })
    });
    refused.collect()
}

/// What dialects cannot carry as it is, by a warning each; what they refuse is an error of its own.
pub(super) fn losses(subject: &Subject<'_>, dialects: &[DialectId]) -> Vec<Finding> {
    let of = |dialect: &DialectId| {
        let id = format!("dialect-{dialect}");
        let issues = issues(subject, *dialect).into_iter().filter(|issue| issue.action != Action::Refused);
        let hits =
            issues.map(|issue| Hit::at(issue.path, format!("{}: {}", issue.keyword, issue.action.as_str())));
        hits.map(|hit| Finding::of(subject.tool, Level::Warning, id.as_str(), hit)).collect::<Vec<_>>()
    };
    dialects.iter().flat_map(of).collect()
}

/// What a dialect says of a tool that is offered through it, in the form that is sent where nothing else is asked for.
fn issues(subject: &Subject<'_>, dialect: DialectId) -> Vec<SchemaIssue> {
    let surface = match dialect {
        DialectId::Mcp20251125 | DialectId::Mcp20260728 => Surface::Mcp,
        _ => Surface::Llm,
    };
    let strict = matches!(dialect, DialectId::OpenAiChat | DialectId::OpenAiResponses);
    if !subject.def().surfaces.contains(surface) {
        return Vec::new();
    }
    dialect.compile(subject.tool, strict).map(|compiled| compiled.issues.clone()).unwrap_or_default()
}
