//! Whether the branches of a union exclude each other, and whether they begin alike.

use serde_json::{Map, Value};

use super::types::names;
use crate::schema::form::resolve;
use crate::schema::required_names;

/// Whether no value fits two branches, so that `anyOf` says the same as `oneOf`.
pub(crate) fn are_exclusive(branches: &[Value], definitions: &Map<String, Value>) -> bool {
    let branches: Vec<_> = branches.iter().map(|branch| resolve(branch, definitions).as_object()).collect();
    let pairs =
        branches.iter().enumerate().flat_map(|(i, a)| branches.iter().skip(i + 1).map(move |b| (a, b)));
    pairs.into_iter().all(|pair| matches!(pair, (Some(a), Some(b)) if exclude(a, b)))
}

fn exclude(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    if differ_in_type(a, b) || have_other_values(a, b) {
        return true;
    }
    let property = |schema: &Map<String, Value>, name: &str| {
        schema
            .get("properties")
            .and_then(|properties| properties.get(name))
            .and_then(Value::as_object)
            .cloned()
    };
    let (required_a, required_b) = (required_names(a), required_names(b));
    let told_apart = required_a.iter().filter(|name| required_b.contains(name)).any(|name| {
        matches!((property(a, name), property(b, name)), (Some(a), Some(b)) if have_other_values(&a, &b))
    });
    told_apart || lacks_one_of(b, &required_a) || lacks_one_of(a, &required_b)
}

fn differ_in_type(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    let overlap =
        |x: &str, y: &str| x == y || matches!((x, y), ("integer", "number") | ("number", "integer"));
    let typed = |schema| names(schema).next().is_some();
    typed(a) && typed(b) && !names(a).any(|x| names(b).any(|y| overlap(x, y)))
}

/// Whether both list their values, and no value is in both lists.
fn have_other_values(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    matches!((values(a), values(b)), (Some(a), Some(b)) if !a.iter().any(|value| b.contains(value)))
}

fn values(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    }
}

/// Whether a closed object does not know one of the names.
fn lacks_one_of(schema: &Map<String, Value>, names: &[String]) -> bool {
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let properties = schema.get("properties").and_then(Value::as_object);
    closed && names.iter().any(|name| properties.is_none_or(|properties| !properties.contains_key(name)))
}

/// Whether two objects among the branches have the same first key and it does not tell them apart.
pub(super) fn start_alike(branches: &[Value], definitions: &Map<String, Value>) -> bool {
    let starts: Vec<(&String, &Value)> = branches
        .iter()
        .filter_map(|branch| resolve(branch, definitions).get("properties")?.as_object()?.iter().next())
        .collect();
    let pairs = starts.iter().enumerate().flat_map(|(i, a)| starts.iter().skip(i + 1).map(move |b| (a, b)));
    pairs.into_iter().any(|((name_a, a), (name_b, b))| {
        let tagged = matches!((a.as_object(), b.as_object()), (Some(a), Some(b)) if have_other_values(a, b));
        name_a == name_b && !tagged
    })
}
