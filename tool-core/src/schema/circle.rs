//! Schemas that lead back to themselves without going into the value: to judge a value by one would never end.
//! (JSON Schema 2020-12 core, §9.4.1)
//!
//! A schema may refer to itself for what is *inside* a value, as trees do; only references, alternatives and the like,
//! which speak of the same value, close a circle.

use std::collections::HashMap;
use std::ptr;

use serde_json::Value;

use super::position::{Subject, each_child};
use super::reference;

/// A schema that speaks of the same value as the one before it.
struct Edge<'a> {
    to: &'a Value,
    /// The reference that leads there; none for a schema that stands inside the other.
    by: Option<&'a str>,
}

/// A schema on the way, and what is still to be followed from it.
struct Step<'a> {
    at: Edge<'a>,
    ahead: Vec<Edge<'a>>,
}

/// The first reference found that closes a circle.
pub(crate) fn circle(root: &Value) -> Option<&str> {
    // True while a schema is on the way.
    let mut seen: HashMap<*const Value, bool> = HashMap::new();
    let mut starts = vec![root];
    while let Some(start) = starts.pop() {
        let mut way: Vec<Step<'_>> = Vec::new();
        let mut next = Some(Edge { to: start, by: None });
        loop {
            if let Some(edge) = next.take() {
                match seen.get(&ptr::from_ref(edge.to)) {
                    Some(true) => return closing(&way, &edge),
                    Some(false) => {}
                    None => {
                        seen.insert(ptr::from_ref(edge.to), true);
                        let ahead = edges(root, edge.to, &mut starts);
                        way.push(Step { at: edge, ahead });
                    }
                }
            }
            let Some(step) = way.last_mut() else { break };
            next = step.ahead.pop();
            if next.is_none() {
                seen.insert(ptr::from_ref(step.at.to), false);
                way.pop();
            }
        }
    }
    None
}

/// A reference on the circle that an edge closes; a tree has none without one.
fn closing<'a>(way: &[Step<'a>], edge: &Edge<'a>) -> Option<&'a str> {
    let inside = way.iter().rev().take_while(|step| !ptr::eq(step.at.to, edge.to));
    edge.by.or_else(|| inside.filter_map(|step| step.at.by).next())
}

/// What speaks of the same value as a schema does. What speaks of others is a start of its own.
fn edges<'a>(root: &'a Value, schema: &'a Value, starts: &mut Vec<&'a Value>) -> Vec<Edge<'a>> {
    let Some(keywords) = schema.as_object() else { return Vec::new() };
    let mut same = Vec::new();
    each_child(keywords, |position, child| match position.subject {
        Subject::Inner => starts.push(child),
        Subject::Alternative | Subject::Same => same.push(Edge { to: child, by: None }),
    });
    for definitions in ["$defs", "definitions"].iter().filter_map(|key| keywords.get(*key)?.as_object()) {
        starts.extend(definitions.values());
    }
    for by in ["$ref", "$dynamicRef"].iter().filter_map(|key| keywords.get(*key)?.as_str()) {
        same.extend(target(root, by).map(|to| Edge { to, by: Some(by) }));
    }
    same
}

/// The schema that a local reference leads to: by pointer, or by the name of an anchor.
fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference::pointer(reference)?;
    if pointer.is_empty() || pointer.starts_with('/') {
        return root.pointer(&pointer);
    }
    let mut waiting = vec![root];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(members) => {
                let is_named = |key: &str| members.get(key).is_some_and(|name| name == pointer.as_str());
                if is_named("$anchor") || is_named("$dynamicAnchor") {
                    return Some(value);
                }
                waiting.extend(members.values());
            }
            Value::Array(items) => waiting.extend(items),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_leads_back_without_going_into_the_value_is_a_circle() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}),
            json!({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}}}),
            json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}),
            json!({"$defs": {"a": {"if": {}, "then": {"oneOf": [{"$ref": "#/$defs/a"}]}}}}),
            json!({"properties": {"x": {"$anchor": "x", "anyOf": [{"$dynamicRef": "#x"}]}}}),
        ] {
            assert!(circle(&schema).is_some(), "{schema}");
        }
    }

    #[test]
    fn what_leads_back_inside_the_value_is_none_and_neither_is_a_shared_definition() {
        for schema in [
            json!({"properties": {"x": {"$ref": "#"}}}),
            json!({"$defs": {"a": {"anyOf": [{"items": {"$ref": "#/$defs/a"}}, {"type": "string"}]}}}),
            json!({"anyOf": [{"$ref": "#/$defs/a"}, {"allOf": [{"$ref": "#/$defs/a"}]}], "$defs": {"a": {}}}),
            json!({"properties": {"$ref": {"type": "string"}, "anyOf": {"$ref": "#/$defs/a"}}, "$defs": {"a": true}}),
        ] {
            assert_eq!(circle(&schema), None, "{schema}");
        }
    }

    #[test]
    fn the_reference_that_is_told_lies_on_the_circle_and_may_lead_to_an_anchor_in_a_list() {
        let around =
            json!({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}, "x": {"$ref": "#/$defs/a/anyOf/0"}}});
        assert_eq!(circle(&around), Some("#/$defs/a"));
        let anchor = json!({"prefixItems": [{"$anchor": "x", "anyOf": [{"$ref": "#x"}]}]});
        assert_eq!(circle(&anchor), Some("#x"));
    }
}
