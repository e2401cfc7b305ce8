//! Rules S5 and S8: unions of texts become one list of choices, and null joins the types or stands last.

use serde_json::{Map, Value, json};

use super::merge::{NOTES, absorb, is_annotation, unite_lists};
use super::position::is_in_place;
use super::scalar::names_type;

/// The two keywords of a union.
pub(crate) const UNIONS: [&str; 2] = ["oneOf", "anyOf"];

/// S5: makes a union of text constants and text enums one text with choices, and notes of the documented cases.
pub(crate) fn choices(schema: &mut Map<String, Value>) {
    for keyword in UNIONS {
        let Some(Value::Array(branches)) = schema.get(keyword) else { continue };
        if branches.len() == 2 && branches.iter().any(is_only_null) {
            // One enum that may be null is no union of texts: S8 keeps its description.
            continue;
        }
        let Some(choices) = branches.iter().map(Choices::of).collect::<Option<Vec<_>>>() else { continue };
        let choices = Choices::united(choices);
        let taken =
            ["enum", "const", "oneOf", "anyOf"].iter().any(|k| *k != keyword && schema.contains_key(*k));
        let kind = if choices.null { json!(["string", "null"]) } else { json!("string") };
        let fits = schema.get("type").is_none_or(|other| *other == kind);
        if choices.texts.is_empty() || taken || !fits {
            continue;
        }
        schema.remove(keyword);
        schema.insert("type".to_owned(), kind);
        let null = choices.null.then_some(Value::Null);
        schema.insert("enum".to_owned(), choices.texts.into_iter().map(Value::from).chain(null).collect());
        if !choices.notes.is_empty() {
            let before = schema.remove(NOTES).unwrap_or_else(|| json!([]));
            schema.insert(NOTES.to_owned(), unite_lists(before, choices.notes.into()));
        }
    }
}

/// Appends the notes of documented cases to the description.
pub(crate) fn write_notes(schema: &mut Map<String, Value>) {
    let Some(Value::Array(notes)) = schema.remove(NOTES) else { return };
    let before = schema.get("description").and_then(Value::as_str);
    let words: Vec<&str> = before.into_iter().chain(notes.iter().filter_map(Value::as_str)).collect();
    let text = words.join(" ");
    schema.insert("description".to_owned(), text.into());
}

/// A branch that accepts nothing but certain texts, and perhaps null.
#[derive(Default)]
struct Choices {
    texts: Vec<String>,
    null: bool,
    notes: Vec<Value>,
}

impl Choices {
    fn of(branch: &Value) -> Option<Choices> {
        const KEYWORDS: [&str; 6] = ["type", "const", "enum", "description", "deprecated", NOTES];
        let branch = branch.as_object()?;
        if branch.keys().any(|keyword| !KEYWORDS.contains(&keyword.as_str())) {
            return None;
        }
        if is_null(branch) {
            return Some(Choices { null: true, ..Choices::default() });
        }
        let values = match (branch.get("const"), branch.get("enum")) {
            (Some(value), None) => std::slice::from_ref(value),
            (None, Some(Value::Array(values))) => values.as_slice(),
            _ => return None,
        };
        if !values.iter().all(|value| value.is_string() || value.is_null()) {
            return None;
        }
        let texts: Vec<String> = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let mut notes = Vec::new();
        if let Some(text) = branch.get("description").and_then(Value::as_str) {
            let names: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
            notes.push(format!("{}: {text}", names.join(", ")).into());
        }
        if let Some(Value::Array(inner)) = branch.get(NOTES) {
            notes.extend(inner.iter().cloned());
        }
        Some(Choices { texts, null: values.iter().any(Value::is_null), notes })
    }

    fn united(all: Vec<Choices>) -> Choices {
        let mut united = Choices::default();
        for choices in all {
            for text in choices.texts {
                if !united.texts.contains(&text) {
                    united.texts.push(text);
                }
            }
            united.null |= choices.null;
            united.notes.extend(choices.notes);
        }
        united
    }
}

/// S8: splices unions inside unions and gives nullable schemas their one form.
pub(crate) fn nullable(schema: &mut Map<String, Value>) {
    splice(schema);
    one_of_null(schema);
    let Some(Value::Array(branches)) = schema.get_mut("anyOf") else { return };
    if branches.len() != 2 {
        return;
    }
    // Null stands last.
    branches.sort_by_key(is_only_null);
    let [Value::Object(value), null] = branches.as_slice() else { return };
    if !is_only_null(null) {
        return;
    }
    let Some(with_null) = with_null(value) else { return };
    let mut outer = schema.clone();
    outer.remove("anyOf");
    if let Some(merged) = absorb(&outer, &with_null) {
        *schema = merged;
    }
}

/// Puts the alternatives of a bare `anyOf` in the place of it.
fn splice(schema: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = schema.get_mut("anyOf") else { return };
    let mut spliced = Vec::with_capacity(branches.len());
    for branch in branches.drain(..) {
        match branch {
            Value::Object(mut inner) if inner.len() == 1 => match inner.remove("anyOf") {
                Some(Value::Array(alternatives)) => spliced.extend(alternatives),
                Some(other) => spliced.push(json!({ "anyOf": other })),
                None => spliced.push(Value::Object(inner)),
            },
            other => spliced.push(other),
        }
    }
    *branches = spliced;
}

/// `oneOf: [X, null]` means the same as `anyOf: [X, null]` where X has types that exclude null.
fn one_of_null(schema: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = schema.get("oneOf") else { return };
    let excludes_null =
        |branch: &Value| branch.as_object().is_some_and(|b| b.contains_key("type") && !names_type(b, "null"));
    let nulls = branches.iter().filter(|branch| is_only_null(branch)).count();
    let others = branches.iter().filter(|branch| excludes_null(branch)).count();
    if branches.len() == 2 && nulls == 1 && others == 1 && !schema.contains_key("anyOf") {
        let branches = schema.remove("oneOf").unwrap_or_default();
        schema.insert("anyOf".to_owned(), branches);
    }
}

/// A schema of one type other than object, with null beside it.
fn with_null(value: &Map<String, Value>) -> Option<Map<String, Value>> {
    if value.keys().any(|keyword| is_in_place(keyword)) {
        return None;
    }
    let kind = match value.get("type")? {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) if kinds.len() == 2 => {
            let mut others = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            others.next().filter(|_| others.next().is_none())?
        }
        _ => return None,
    };
    if kind == "object" || kind == "null" {
        return None;
    }
    let mut nullable = value.clone();
    nullable.insert("type".to_owned(), json!([kind, "null"]));
    if let Some(constant) = nullable.remove("const") {
        nullable.insert("enum".to_owned(), json!([constant, null]));
    } else if let Some(Value::Array(values)) = nullable.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Some(nullable)
}

/// `{"type": ["object", "null"], …}` becomes `anyOf` of the object and null, with the annotations around it.
pub(crate) fn split_nullable_object(schema: &mut Map<String, Value>) {
    let is_pair = matches!(schema.get("type"), Some(Value::Array(types)) if types.len() == 2);
    let closed_list = schema.contains_key("enum") || schema.contains_key("const");
    if !is_pair || closed_list || !names_type(schema, "object") || !names_type(schema, "null") {
        return;
    }
    let (around, mut object): (Map<_, _>, Map<_, _>) =
        std::mem::take(schema).into_iter().partition(|(keyword, _)| is_annotation(keyword));
    object.insert("type".to_owned(), json!("object"));
    *schema = around;
    schema.insert("anyOf".to_owned(), json!([object, {"type": "null"}]));
}

/// Removes the null branch of a property that may be left out; `const` and `type` null stay.
pub(crate) fn drop_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type")
        && types.len() > 1
    {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
    }
    for keyword in UNIONS {
        let Some(Value::Array(branches)) = schema.get_mut(keyword) else { continue };
        let stays = |branch: &Value| !branch.as_object().is_some_and(is_null);
        let before = branches.len();
        if !branches.iter().any(stays) {
            continue;
        }
        branches.retain(stays);
        if branches.len() == 1 && before > 1 && unwrap_lone(schema, keyword) {
            return drop_null(schema);
        }
    }
}

/// Takes the only alternative into the schema around it, and says whether it could. A documented reference keeps its
/// `anyOf` (rule S3).
fn unwrap_lone(schema: &mut Map<String, Value>, keyword: &str) -> bool {
    let Some(Value::Array(branches)) = schema.get(keyword) else { return false };
    let Some(Value::Object(lone)) = branches.first() else { return false };
    let mut outer = schema.clone();
    outer.remove(keyword);
    if lone.contains_key("$ref") && !outer.is_empty() {
        return false;
    }
    match absorb(&outer, lone) {
        Some(merged) => {
            *schema = merged;
            true
        }
        None => false,
    }
}

/// Whether a schema is that of null.
fn is_null(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

/// Whether a schema says no more than null.
fn is_only_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| schema.len() == 1 && is_null(schema))
}
