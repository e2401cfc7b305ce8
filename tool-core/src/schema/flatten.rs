//! Rule S9: an object whose properties stand beside a union, as `#[serde(flatten)]` of an enum makes it, becomes the
//! union of whole objects.

use serde_json::{Map, Value, json};

use super::merge::unite_lists;
use super::position::is_in_place;
use super::union::UNIONS;

/// The most objects that several flattened enums may combine to.
const MAX_CASES: usize = 256;

/// The keywords that move into each object; all others describe the union.
const OF_OBJECTS: [&str; 6] =
    ["type", "properties", "required", "additionalProperties", "unevaluatedProperties", "patternProperties"];

/// S9: distributes the properties of an object over its unions; leaves it alone when some alternative is no object.
pub(crate) fn distribute(schema: &mut Map<String, Value>) {
    if !schema.get("properties").is_some_and(Value::is_object) {
        return;
    }
    let Some(unions) = unions(schema).filter(|unions| !unions.is_empty()) else { return };
    let exclusive = unions.iter().all(|union| union.exclusive);
    let total = unions.iter().try_fold(1_usize, |total, union| total.checked_mul(union.cases.len()));
    if total.is_none_or(|total| total > MAX_CASES) {
        return;
    }
    let (shared, mut around): (Map<_, _>, Map<_, _>) = std::mem::take(schema)
        .into_iter()
        .filter(|(keyword, _)| keyword != "allOf" && !UNIONS.contains(&keyword.as_str()))
        .partition(|(keyword, _)| OF_OBJECTS.contains(&keyword.as_str()));
    let mut objects: Vec<Value> = Vec::new();
    for combination in combinations(&unions) {
        let object = Value::Object(combine(&shared, &combination));
        if exclusive || !objects.contains(&object) {
            objects.push(object);
        }
    }
    around.insert(if exclusive { "oneOf" } else { "anyOf" }.to_owned(), objects.into());
    *schema = around;
}

/// The objects of one flattened enum.
struct Flattened {
    exclusive: bool,
    cases: Vec<Map<String, Value>>,
}

/// The unions beside an object's properties; `None` when one of them, or anything else there, cannot be distributed.
fn unions(schema: &Map<String, Value>) -> Option<Vec<Flattened>> {
    let mut unions = Vec::new();
    if let Some(Value::Array(members)) = schema.get("allOf") {
        for member in members {
            unions.push(bare_union(member)?);
        }
    }
    for keyword in UNIONS {
        if let Some(Value::Array(branches)) = schema.get(keyword) {
            unions.push(Flattened { exclusive: keyword == "oneOf", cases: objects(branches)? });
        }
    }
    Some(unions)
}

/// A schema that is nothing but a union of objects.
fn bare_union(schema: &Value) -> Option<Flattened> {
    let schema = schema.as_object().filter(|schema| schema.len() == 1)?;
    let (keyword, branches) = schema.iter().next()?;
    if !UNIONS.contains(&keyword.as_str()) {
        return None;
    }
    Some(Flattened { exclusive: keyword == "oneOf", cases: objects(branches.as_array()?)? })
}

/// The objects that alternatives describe, those of unions inside them included; `None` when one is no object.
pub(super) fn objects(branches: &[Value]) -> Option<Vec<Map<String, Value>>> {
    let mut objects = Vec::with_capacity(branches.len());
    for branch in branches {
        if let Some(inner) = bare_union(branch) {
            objects.extend(inner.cases);
            continue;
        }
        let object = branch.as_object()?;
        let is_object = object.get("type").is_none_or(|kind| kind == "object");
        if !is_object || object.keys().any(|keyword| is_in_place(keyword)) {
            return None;
        }
        objects.push(object.clone());
    }
    Some(objects)
}

/// Every choice of one case from each union, the last union varying fastest.
fn combinations(unions: &[Flattened]) -> Vec<Vec<&Map<String, Value>>> {
    unions.iter().fold(vec![Vec::new()], |chosen, union| {
        let longer = chosen.iter().flat_map(|before| {
            union.cases.iter().map(|case| before.iter().copied().chain(std::iter::once(case)).collect())
        });
        longer.collect()
    })
}

/// One whole object: tags, then what is shared, then what is the cases' own.
fn combine(shared: &Map<String, Value>, cases: &[&Map<String, Value>]) -> Map<String, Value> {
    let mut object = Map::new();
    for (keyword, value) in cases.iter().flat_map(|case| case.iter()) {
        object.entry(keyword.as_str()).or_insert_with(|| value.clone());
    }
    object.insert("type".to_owned(), json!("object"));

    let mut properties = Map::new();
    let own = || cases.iter().copied();
    let all = || std::iter::once(shared).chain(own());
    let tags = all().flat_map(properties_of).filter(|(_, schema)| schema.get("const").is_some());
    for (name, schema) in tags.chain(all().flat_map(properties_of)) {
        // A case describes its own property, wherever it stands.
        let own_schema = own().find_map(|case| case.get("properties")?.get(name));
        properties.entry(name.as_str()).or_insert_with(|| own_schema.unwrap_or(schema).clone());
    }
    object.insert("properties".to_owned(), properties.into());

    let required = own().chain(std::iter::once(shared)).filter_map(|part| part.get("required").cloned());
    if let Some(required) = required.reduce(unite_lists) {
        object.insert("required".to_owned(), required);
    }
    let patterns = all().filter_map(|part| part.get("patternProperties")?.as_object());
    let patterns: Map<String, Value> =
        patterns.flatten().map(|(name, s)| (name.clone(), s.clone())).collect();
    if !patterns.is_empty() {
        object.insert("patternProperties".to_owned(), patterns.into());
    }
    // What an object says of further properties: the shared part is written by the type that flattens.
    object.remove("unevaluatedProperties");
    let others = all().find_map(|part| {
        ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .find_map(|keyword| part.get(*keyword).filter(|value| **value != Value::Bool(false)))
            .map(|value| if *value == json!({}) { Value::Bool(true) } else { value.clone() })
    });
    object.insert("additionalProperties".to_owned(), others.unwrap_or(Value::Bool(false)));
    object
}

fn properties_of(object: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    object.get("properties").and_then(Value::as_object).into_iter().flatten()
}
