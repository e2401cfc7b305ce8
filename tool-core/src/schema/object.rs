//! Rules S10 to S12: the tag first, no null where a property may be left out, and objects closed.

use serde_json::{Map, Value};

use super::position::{Subject, each_child, is_in_place};
use super::union::drop_null;

/// S12: properties that are not required lose their null branch and a default of null.
pub(crate) fn optional_properties(schema: &mut Map<String, Value>) {
    let required = required_names(schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            let Some(property) = property.as_object_mut() else { continue };
            let keeps_null = property.get("x-keep-null") == Some(&Value::Bool(true));
            if !required.contains(name) && !keeps_null {
                without_null(property);
            }
        }
    }
    if required.is_empty() && schema.get("required").is_some_and(Value::is_array) {
        schema.remove("required");
    }
}

/// The property as it is where null means the same as leaving it out.
pub(crate) fn without_null(property: &mut Map<String, Value>) {
    drop_null(property);
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
}

/// S10: the constant that tells a case stands first.
pub(crate) fn tag_first(schema: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    if let Some(at) = properties.iter().position(|(_, property)| property.get("const").is_some()) {
        let mut ordered: Vec<(String, Value)> = std::mem::take(properties).into_iter().collect();
        ordered.get_mut(..=at).unwrap_or_default().rotate_right(1);
        properties.extend(ordered);
    }
}

/// S11: an object that says nothing of further properties has none.
pub(crate) fn close(schema: &mut Map<String, Value>) {
    if schema.get("additionalProperties").is_some_and(|others| others.as_object().is_some_and(Map::is_empty))
    {
        schema.insert("additionalProperties".to_owned(), Value::Bool(true));
    }
    let says =
        ["additionalProperties", "unevaluatedProperties"].iter().any(|keyword| schema.contains_key(*keyword));
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    if says {
        return;
    }
    // Properties that only a schema beside this one names are still properties of the object.
    let known = in_place_names(schema).iter().all(|name| properties.contains_key(name));
    let keyword = if known { "additionalProperties" } else { "unevaluatedProperties" };
    schema.insert(keyword.to_owned(), Value::Bool(false));
}

/// The properties that the schemas beside an object's own keywords name.
fn in_place_names(schema: &Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = vec![schema];
    while let Some(next) = waiting.pop() {
        each_child(next, |position, child| {
            if position.subject == Subject::Inner {
                return;
            }
            if let Some(child) = child.as_object() {
                let properties = child.get("properties").and_then(Value::as_object);
                names.extend(properties.into_iter().flat_map(Map::keys).cloned());
                if child.keys().any(|keyword| is_in_place(keyword)) {
                    waiting.push(child);
                }
            }
        });
    }
    names
}

/// The names in `required`.
pub(crate) fn required_names(schema: &Map<String, Value>) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
