//! Definitions on their way: from a generator to a type's schema, and from a parameter's schema to the tool's.

use schemars::SchemaGenerator;
use serde_json::{Map, Value};

use super::inline::unused;
use super::position::{each_child, each_child_mut};
use super::reference::{definition_name, to_definition};

/// Puts the generator's definitions beside a schema that refers to some.
pub(crate) fn attach(mut schema: Value, generator: &SchemaGenerator) -> Value {
    let refers = refers(&schema);
    if let (Value::Object(keywords), true) = (&mut schema, refers) {
        keywords.insert("$defs".to_owned(), generator.definitions().clone().into());
    }
    schema
}

/// Moves the definitions of a canonical schema to those that several schemas share.
///
/// Equal definitions of one name are shared; of two different ones the second gets another name.
pub(crate) fn hoist(mut schema: Value, shared: &mut Map<String, Value>) -> Value {
    let own = schema.as_object_mut().and_then(|keywords| keywords.remove("$defs"));
    let Some(Value::Object(mut own)) = own else { return schema };
    let renamed: Vec<(String, String)> = own
        .iter()
        .filter(|(name, definition)| shared.get(*name).is_some_and(|other| other != *definition))
        .map(|(name, _)| (name.clone(), unused(name, |n| shared.contains_key(n) || own.contains_key(n))))
        .collect();
    if !renamed.is_empty() {
        rename(&mut schema, &renamed);
        own.values_mut().for_each(|definition| rename(definition, &renamed));
    }
    for (name, definition) in own {
        let new_name = renamed.iter().find(|(old, _)| *old == name).map(|(_, new)| new.clone());
        shared.insert(new_name.unwrap_or(name), definition);
    }
    schema
}

fn rename(schema: &mut Value, renamed: &[(String, String)]) {
    let Value::Object(keywords) = schema else { return };
    if let Some(Value::String(reference)) = keywords.get_mut("$ref")
        && let Some(name) = definition_name(reference)
        && let Some((_, new)) = renamed.iter().find(|(old, _)| *old == name)
    {
        *reference = to_definition(new);
    }
    each_child_mut(keywords, |_, child| rename(child, renamed));
}

fn refers(schema: &Value) -> bool {
    let Some(keywords) = schema.as_object() else { return false };
    let mut found = keywords.contains_key("$ref");
    each_child(keywords, |_, child| found = found || refers(child));
    found
}
