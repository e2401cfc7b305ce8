//! The canonical form of a schema: the rules S1 to S12 of arguments.md §1, in four passes.
//!
//! 1. [`super::inline`]: booleans, keywords that say nothing, references (S1–S3).
//! 2. From the inside out, what one value may be: formats, constants, merges, unions, flattened enums (S4–S9).
//! 3. Where a schema describes its value alone, what an object is: order, null, closedness (S10–S12).
//! 4. Notes of documented cases end their description.
//!
//! Canonicalising a canonical schema changes nothing.

use serde_json::{Map, Value};

use super::inline::{Inlined, all_definitions_recur, inline};
use super::position::{Subject, each_child, each_child_mut};
use super::problem::SchemaProblem;
use super::{flatten, merge, object, reference, scalar, union};

/// The canonical form of a schema, with `$defs` at its root for recursive definitions only.
///
/// # Errors
/// `schema_false`, `schema_remote_ref` or `schema_invalid`, with a pointer into `raw`.
pub fn canonical(raw: &Value) -> Result<Value, SchemaProblem> {
    let Inlined { mut root, mut definitions } = inline(raw)?;
    for schema in definitions.values_mut().chain(std::iter::once(&mut root)) {
        rules(schema);
    }
    let schema = with_definitions(root, definitions);
    // A merge may drop the reference that made a definition recursive.
    if all_definitions_recur(&schema) { Ok(schema) } else { canonical(&schema) }
}

/// S1 to S3 alone: the schema as its author means it, for the decoder of a schema-only tool.
///
/// # Errors
/// As [`canonical`].
pub fn inlined(raw: &Value) -> Result<Value, SchemaProblem> {
    let Inlined { root, definitions } = inline(raw)?;
    Ok(with_definitions(root, definitions))
}

/// The most rounds of passes 2 and 3; schemas of Rust types are at rest after one.
const MAX_ROUNDS: usize = 16;

/// S4 to S12 for a schema without inlinable references.
///
/// A null that goes may leave a lone alternative to which an earlier rule applies, so the passes are repeated until
/// nothing changes.
fn rules(schema: &mut Value) {
    for _ in 0..MAX_ROUNDS {
        let before = schema.clone();
        values(schema);
        objects(schema, true);
        if *schema == before {
            break;
        }
    }
    notes(schema);
}

/// Pass 2, from the inside out.
fn values(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    union::split_nullable_object(schema);
    each_child_mut(schema, |_, child| values(child));
    scalar::types_of_constants(schema);
    scalar::formats(schema);
    merge::merge_all_of(schema);
    union::choices(schema);
    union::nullable(schema);
    flatten::distribute(schema);
}

/// Pass 3. A schema that describes its value together with others is no whole object: it keeps its own keywords, and
/// only what lies inside the value is looked at.
fn objects(schema: &mut Value, whole: bool) {
    let Value::Object(schema) = schema else { return };
    if whole {
        object::optional_properties(schema);
    }
    let beside = schema.contains_key("properties");
    each_child_mut(schema, |position, child| match (position.subject, position.keyword) {
        (_, "if" | "not") => {}
        (Subject::Inner, _) => objects(child, true),
        (Subject::Alternative, _) => objects(child, whole && !beside),
        (Subject::Same, _) => objects(child, false),
    });
    if whole {
        object::tag_first(schema);
        object::close(schema);
    }
}

/// Pass 4.
fn notes(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    each_child_mut(schema, |_, child| notes(child));
    union::write_notes(schema);
}

/// A schema with the definitions that it refers to, directly or through others.
pub(crate) fn with_definitions(mut root: Value, definitions: Map<String, Value>) -> Value {
    let mut used: Vec<String> = Vec::new();
    let mut waiting = references(&root);
    while let Some(name) = waiting.pop() {
        if let Some(definition) = definitions.get(&name).filter(|_| !used.contains(&name)) {
            waiting.extend(references(definition));
            used.push(name);
        }
    }
    let kept: Map<String, Value> = definitions.into_iter().filter(|(name, _)| used.contains(name)).collect();
    if let (Value::Object(schema), false) = (&mut root, kept.is_empty()) {
        schema.insert("$defs".to_owned(), kept.into());
    }
    root
}

/// The names of the definitions that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = vec![schema];
    while let Some(schema) = waiting.pop() {
        let Some(keywords) = schema.as_object() else { continue };
        let reference = keywords.get("$ref").and_then(Value::as_str);
        names.extend(reference.and_then(reference::definition_name));
        each_child(keywords, |_, child| waiting.push(child));
    }
    names
}
