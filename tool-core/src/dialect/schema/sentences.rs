//! What a wire form cannot carry, in words, behind the description.

use serde_json::{Map, Value};

/// The sentences, in the order in which they stand, with a place for the value.
const SENTENCES: &[(&str, &str)] = &[
    ("format", "Format: `{}`."),
    ("minimum", "Minimum: {}."),
    ("maximum", "Maximum: {}."),
    ("exclusiveMinimum", "Greater than {}."),
    ("exclusiveMaximum", "Less than {}."),
    ("multipleOf", "Multiple of {}."),
    ("minLength", "Minimum length: {}."),
    ("maxLength", "Maximum length: {}."),
    ("pattern", "Pattern: `{}`."),
    ("minItems", "Minimum items: {}."),
    ("maxItems", "Maximum items: {}."),
    ("uniqueItems", "Items are unique."),
    ("minProperties", "Minimum properties: {}."),
    ("maxProperties", "Maximum properties: {}."),
    ("contentEncoding", "Encoding: `{}`."),
    ("contentMediaType", "Media type: `{}`."),
    ("default", "Default: {}."),
    ("examples", "Examples: {}."),
    ("deprecated", "Deprecated."),
];

/// The place of a keyword's sentence among the others.
pub(super) fn place(keyword: &str) -> usize {
    SENTENCES.iter().position(|row| row.0 == keyword).unwrap_or(SENTENCES.len())
}

/// The sentence of a keyword; `None` where its value says nothing.
pub(super) fn sentence(keyword: &str, value: &Value) -> Option<String> {
    if value == &Value::Bool(false) && matches!(keyword, "uniqueItems" | "deprecated") {
        return None;
    }
    let template = SENTENCES.iter().find(|row| row.0 == keyword)?.1;
    let text = match value {
        // Quoted in backticks it is text; a default is JSON, so that "10" is told from 10.
        Value::String(text) if template.contains('`') => text.clone(),
        value => value.to_string(),
    };
    Some(template.replacen("{}", &text, 1))
}

/// Puts sentences behind the description of a schema.
pub(super) fn append(schema: &mut Map<String, Value>, sentences: &[String]) {
    if sentences.is_empty() {
        return;
    }
    let mut text = schema.get("description").and_then(Value::as_str).unwrap_or("").trim_end().to_owned();
    if !text.is_empty() && !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    for sentence in sentences {
        if sentence == "Deprecated." && text.contains("Deprecated") {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    schema.insert("description".to_owned(), text.into());
}
