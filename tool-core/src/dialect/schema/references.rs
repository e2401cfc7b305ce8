//! References under Gemini, which expands them: what is recursive must be able to end.

use serde_json::{Map, Value, json};

use crate::schema::definition_name;

/// What is known of the recursive definition that a schema stands in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    inside: bool,
    left_out: bool,
}

impl Known {
    /// Inside a recursive definition.
    pub(super) fn inside() -> Known {
        Known { inside: true, left_out: false }
    }

    pub(super) fn is_inside(self) -> bool {
        self.inside
    }

    /// Whether a property on the way may be left out, so that the recursion can end.
    pub(super) fn may_be_left_out(self) -> bool {
        self.left_out
    }

    pub(super) fn through_property(self, optional: bool) -> Known {
        Known { left_out: self.left_out || optional, ..self }
    }
}

/// The definition that a schema refers to, plainly or with its own documentation.
pub(super) fn lone(schema: &Map<String, Value>) -> Option<String> {
    let reference = match (schema.get("$ref"), schema.get("anyOf").and_then(Value::as_array)) {
        (Some(reference), _) => reference,
        (None, Some(branches)) if branches.len() == 1 => branches.first()?.get("$ref")?,
        _ => return None,
    };
    definition_name(reference.as_str()?)
}

/// What stands for a reference that would never end.
pub(super) fn same_structure(name: &str, definition: &Map<String, Value>) -> Map<String, Value> {
    let mut schema = Map::new();
    if let Some(kind) = definition.get("type") {
        schema.insert("type".to_owned(), kind.clone());
    }
    schema.insert("description".to_owned(), json!(format!("Same structure as `{name}`.")));
    schema
}

/// Whether Gemini takes the name of a parameter.
pub(super) fn is_gemini_name(name: &str, longest: usize) -> bool {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && name.len() <= longest && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
