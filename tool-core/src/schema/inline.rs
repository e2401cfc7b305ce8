//! Rules S1 to S3: boolean schemas, keywords that say nothing to a caller, and references.
//!
//! Every reference to a definition that is not recursive is replaced by it. What remains is a tree, and the recursive
//! definitions beside it, each under its name.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::cycles::on_cycles;
use super::merge::overlay;
use super::position::{Shape, each_child, position};
use super::problem::SchemaProblem;
use super::reference;
use crate::args::pointer::push_key;

/// The most schemas that inlining makes of one; definitions that hold each other twice grow without end.
const MAX_SCHEMAS: usize = 50_000;

/// The most levels of schemas inside schemas, after inlining.
const MAX_LEVELS: usize = 128;

/// A schema without inlinable references.
#[derive(Debug)]
pub(crate) struct Inlined {
    /// The schema.
    pub(crate) root: Value,
    /// The recursive definitions, by the names that references to them have.
    pub(crate) definitions: Map<String, Value>,
}

/// Applies S1, S2 and S3 at every position of a schema.
pub(crate) fn inline(raw: &Value) -> Result<Inlined, SchemaProblem> {
    let recursive = recursive_targets(raw);
    let names = name_definitions(raw, &recursive);
    let mut document = Document { raw, names, open: Vec::new(), schemas: 0, levels: 0 };
    let root = match document.names.get("") {
        Some(name) => json!({ "$ref": reference::to_definition(name) }),
        None => document.schema(raw, "")?,
    };
    let mut definitions = Map::new();
    for (target, name) in document.names.clone() {
        let value = document.definition(&target, &target)?;
        definitions.insert(name, value);
    }
    Ok(Inlined { root, definitions })
}

struct Document<'a> {
    raw: &'a Value,
    /// Pointer of each recursive definition, and its name.
    names: BTreeMap<String, String>,
    /// The definitions that are being written, innermost last.
    open: Vec<String>,
    schemas: usize,
    levels: usize,
}

impl Document<'_> {
    fn definition(&mut self, target: &str, at: &str) -> Result<Value, SchemaProblem> {
        let raw = self.raw.pointer(target).ok_or_else(|| nothing_at(target, at))?;
        self.open.push(target.to_owned());
        let value = self.schema(raw, target);
        self.open.pop();
        value
    }

    fn schema(&mut self, raw: &Value, at: &str) -> Result<Value, SchemaProblem> {
        match raw {
            Value::Bool(true) => Ok(json!({})),
            Value::Bool(false) => Err(SchemaProblem::new("schema_false", at, "the schema accepts nothing")),
            Value::Object(keywords) => {
                self.schemas += 1;
                self.levels += 1;
                if self.schemas > MAX_SCHEMAS || self.levels > MAX_LEVELS {
                    return Err(SchemaProblem::invalid(at, "its references make it too large"));
                }
                let schema = self.keywords(keywords, at)?;
                self.levels -= 1;
                Ok(Value::Object(schema))
            }
            _ => Err(SchemaProblem::invalid(at, "a schema is an object or a boolean")),
        }
    }

    fn keywords(&mut self, raw: &Map<String, Value>, at: &str) -> Result<Map<String, Value>, SchemaProblem> {
        let mut schema = Map::with_capacity(raw.len());
        let has_prefix = raw.contains_key("prefixItems");
        for (keyword, value) in raw {
            let value = match keyword.as_str() {
                // S2
                "$schema" | "$id" | "$comment" | "title" | "readOnly" | "writeOnly" => continue,
                "$defs" | "definitions" | "$ref" => continue,
                // It is found by name in the schemas around it, which inlining takes apart.
                "$dynamicRef" => {
                    let text = "`$dynamicRef` is not followed; write `$ref` with `#/$defs/NAME`";
                    return Err(SchemaProblem::invalid(&format!("{at}/$dynamicRef"), text));
                }
                "description" => match value.as_str().map(str::trim) {
                    Some("") => continue,
                    Some(text) => Value::from(text),
                    None => value.clone(),
                },
                _ => match position(keyword) {
                    Some(position) if !stays_boolean(keyword, value, has_prefix) => {
                        self.below(position.shape, value, &format!("{at}/{keyword}"))?
                    }
                    _ => value.clone(),
                },
            };
            schema.insert(keyword.clone(), value);
        }
        match raw.get("$ref") {
            Some(Value::String(reference)) => self.referring(schema, reference, at),
            Some(_) => Err(SchemaProblem::invalid(at, "`$ref` is a text")),
            None => Ok(schema),
        }
    }

    /// The schemas below a keyword.
    fn below(&mut self, shape: Shape, raw: &Value, at: &str) -> Result<Value, SchemaProblem> {
        match (shape, raw) {
            (Shape::Named, Value::Object(named)) => {
                let mut schemas = Map::with_capacity(named.len());
                for (name, child) in named {
                    let mut below = at.to_owned();
                    push_key(&mut below, name);
                    schemas.insert(name.clone(), self.schema(child, &below)?);
                }
                Ok(Value::Object(schemas))
            }
            (Shape::List | Shape::One, Value::Array(list)) => {
                let children =
                    list.iter().enumerate().map(|(i, child)| self.schema(child, &format!("{at}/{i}")));
                Ok(Value::Array(children.collect::<Result<_, _>>()?))
            }
            (Shape::One, child) => self.schema(child, at),
            _ => Err(SchemaProblem::invalid(at, "schemas are expected here")),
        }
    }

    /// S3 for a schema that had a `$ref` beside these keywords.
    fn referring(
        &mut self,
        mut beside: Map<String, Value>,
        reference: &str,
        at: &str,
    ) -> Result<Map<String, Value>, SchemaProblem> {
        let target = target(reference, at)?;
        let Some(name) = self.names.get(&target) else {
            return Ok(overlay(object(self.definition(&target, at)?), beside));
        };
        // A definition among `$defs` keeps its name, and the reference the author's spelling of it.
        let reference = match reference::definition_name(reference) {
            Some(_) => reference.to_owned(),
            None => reference::to_definition(name),
        };
        // A tagged newtype case adds its tag to the properties of a recursive struct, which is closed: its first level
        // is written out.
        if beside.contains_key("properties") && !self.open.contains(&target) {
            let level = object(self.definition(&target, at)?);
            if level.contains_key("properties") {
                return Ok(overlay(level, beside));
            }
        }
        let reference = Map::from_iter([("$ref".to_owned(), Value::from(reference))]);
        if beside.is_empty() {
            return Ok(reference);
        }
        let wrap = if beside.contains_key("anyOf") { "allOf" } else { "anyOf" };
        match beside.get_mut(wrap) {
            Some(Value::Array(members)) => members.push(Value::Object(reference)),
            _ => {
                beside.insert(wrap.to_owned(), json!([reference]));
            }
        }
        Ok(beside)
    }
}

/// S1: whether a boolean schema is kept as it is.
fn stays_boolean(keyword: &str, value: &Value, has_prefix: bool) -> bool {
    match (keyword, value) {
        ("additionalProperties", Value::Bool(_)) | ("unevaluatedProperties", Value::Bool(false)) => true,
        ("items", Value::Bool(false)) => has_prefix,
        _ => false,
    }
}

fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(keywords) => keywords,
        _ => Map::new(),
    }
}

/// The pointer that a reference at `at` leads to.
fn target(reference: &str, at: &str) -> Result<String, SchemaProblem> {
    reference::pointer(reference).ok_or_else(|| {
        let shown: String = reference.chars().take(80).collect();
        SchemaProblem::new("schema_remote_ref", at, format!("`{shown}` leads out of the schema"))
    })
}

fn nothing_at(target: &str, at: &str) -> SchemaProblem {
    let shown: String = target.chars().take(80).collect();
    SchemaProblem::invalid(at, format!("there is nothing at `#{shown}`"))
}

/// The pointers of every definition that contains itself, directly or through others.
fn recursive_targets(raw: &Value) -> Vec<String> {
    let mut graph: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut waiting = targets_below(raw);
    while let Some(next) = waiting.pop() {
        // A reference that leads nowhere is reported where it stands, when it is followed.
        if let (false, Some(schema)) = (graph.contains_key(&next), raw.pointer(&next)) {
            let below = targets_below(schema);
            waiting.extend(below.iter().cloned());
            graph.insert(next, below);
        }
    }
    let place: BTreeMap<&String, usize> = graph.keys().zip(0..).collect();
    let below =
        |targets: &Vec<String>| targets.iter().filter_map(|target| place.get(target).copied()).collect();
    let cyclic = on_cycles(&graph.values().map(below).collect::<Vec<Vec<usize>>>());
    graph.keys().zip(cyclic).filter(|(_, cyclic)| *cyclic).map(|(target, _)| target.clone()).collect()
}

/// Whether every definition of a canonical schema contains itself.
pub(crate) fn all_definitions_recur(schema: &Value) -> bool {
    match schema.get("$defs").and_then(Value::as_object) {
        Some(definitions) => recursive_targets(schema).len() >= definitions.len(),
        None => true,
    }
}

/// The pointers that the references inside a schema lead to.
fn targets_below(schema: &Value) -> Vec<String> {
    let mut targets = Vec::new();
    let mut waiting = vec![schema];
    while let Some(schema) = waiting.pop() {
        let Some(keywords) = schema.as_object() else { continue };
        let reference = keywords.get("$ref").and_then(Value::as_str);
        targets.extend(reference.and_then(reference::pointer));
        each_child(keywords, |_, child| waiting.push(child));
    }
    targets
}

/// A name for each recursive definition: its own, else its title, else the last key of its pointer.
fn name_definitions(raw: &Value, targets: &[String]) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let own_name = |target: &str| match reference::keys(target).as_slice() {
        [place, name] if place == "$defs" || place == "definitions" => Some(name.clone()),
        _ => None,
    };
    let (named, others): (Vec<&String>, Vec<&String>) =
        targets.iter().partition(|target| own_name(target).is_some());
    for target in named.into_iter().chain(others) {
        let title = || {
            let title = raw.pointer(target)?.get("title")?.as_str()?;
            (!title.is_empty()).then(|| title.to_owned())
        };
        let wanted = own_name(target)
            .or_else(title)
            .or_else(|| reference::keys(target).pop())
            .unwrap_or_else(|| "Root".to_owned());
        names.insert(target.clone(), unused(&wanted, |name| names.values().any(|other| other == name)));
    }
    names
}

/// The name, or the first of `name2`, `name3` … that is not taken.
pub(crate) fn unused(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u32..).map(|number| format!("{wanted}{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
