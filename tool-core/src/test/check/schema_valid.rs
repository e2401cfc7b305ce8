//! `schema-valid`: the schemas of arguments and result are JSON Schema 2020-12, and in canonical form already.

use std::panic::catch_unwind;

use jsonschema::draft202012::meta;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{Fault, Subject};
use crate::args::validator;
use crate::schema::{UNTYPED, canonical};

pub(super) const ID: &str = "schema-valid";

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    let def = subject.def();
    let input = match def.input_problem() {
        // What accepts nothing is a lint.
        Some(problem) if problem.code == "schema_false" => None,
        Some(problem) => Some(format!("at {problem}")),
        // What a tool of run time was given may have another form.
        None => def.input_schema().ok().and_then(|schema| fault_of(schema.decoded(), def.input.is_none())),
    };
    let output = match def.output_schema() {
        Some(schema) => fault_of(schema, true),
        None => has_output(subject).then(|| "it cannot be brought into canonical form".to_owned()),
    };
    let told =
        |of: &'static str| move |why| Fault::of_tool(format!("the schema of {of} is not valid: {why}"));
    input.map(told("the arguments")).into_iter().chain(output.map(told("the result"))).collect()
}

fn fault_of(schema: &Value, is_canonical: bool) -> Option<String> {
    if let Err(error) = meta::validate(schema) {
        return Some(format!("{error} at `{}`", error.instance_path()));
    }
    if let Err(error) = validator(schema) {
        return Some(error.to_string());
    }
    // A secret is marked when a tool's schema is put together from canonical ones.
    let unmarked = without_marks(schema);
    match canonical(&unmarked) {
        Err(problem) => Some(problem.to_string()),
        Ok(again) if is_canonical && again != unmarked => Some(format!("its canonical form is {again}")),
        Ok(_) => None,
    }
}

/// A schema without the mark of secrets, at any depth.
fn without_marks(schema: &Value) -> Value {
    match schema {
        Value::Array(list) => list.iter().map(without_marks).collect(),
        Value::Object(members) => {
            let is_mark = |key: &str, value: &Value| key == "writeOnly" && value.is_boolean();
            let rest = members.iter().filter(|(key, value)| !is_mark(key, value));
            rest.map(|(key, value)| (key.clone(), without_marks(value))).collect()
        }
        other => other.clone(),
    }
}

/// Whether the type of the result says what it is.
fn has_output(subject: &Subject<'_>) -> bool {
    let Some(output) = subject.def().output else { return false };
    let raw = catch_unwind(|| output(&mut SchemaSettings::draft2020_12().for_serialize().into_generator()));
    raw.map_or(true, |raw| raw.is_some_and(|raw| raw.get(UNTYPED).is_none()))
}
