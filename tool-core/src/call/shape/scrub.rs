//! Taking known secrets out of a result, wherever in it they stand.

use serde_json::{Map, Value};

use crate::call::redact::KnownSecrets;
use crate::output::{Content, ResourceBody, ToolOutput, ToolResult};

/// A result without known secrets: text blocks, structured values and their keys, messages, hints and details.
pub(crate) fn scrub(result: ToolResult, secrets: &KnownSecrets) -> ToolResult {
    if secrets.is_empty() {
        return result;
    }
    match result {
        Ok(output) => Ok(scrub_output(output, secrets)),
        Err(error) => {
            Err(error.map_texts(|text| secrets.scrub_value(&text), |value| scrub_json(value, secrets)))
        }
    }
}

fn scrub_output(mut output: ToolOutput, secrets: &KnownSecrets) -> ToolOutput {
    // Blocks that follow each other are searched as one text: a split does not hide a secret.
    let mut texts: Vec<String> = output
        .content
        .iter_mut()
        .filter_map(|block| match block {
            Content::Text { text } => Some(std::mem::take(text)),
            _ => None,
        })
        .collect();
    if let [only] = texts.as_mut_slice() {
        *only = secrets.scrub_value(only);
    } else {
        secrets.scrub_joined(&mut texts);
    }
    let mut clean = texts.into_iter();
    for block in &mut output.content {
        match block {
            Content::Text { text } => *text = clean.next().unwrap_or_default(),
            Content::ResourceLink { uri, name, .. } => {
                *uri = secrets.scrub(uri);
                *name = secrets.scrub(name);
            }
            Content::Resource { uri, body, .. } => {
                *uri = secrets.scrub(uri);
                match body {
                    ResourceBody::Text(text) | ResourceBody::Blob(text) => *text = secrets.scrub_value(text),
                }
            }
            Content::Json { value } => *value = scrub_json(std::mem::take(value), secrets),
            Content::Image { .. } | Content::Audio { .. } => {}
        }
    }
    output.structured = output.structured.map(|value| scrub_json(value.into_value(), secrets).into());
    output.trailer = output.trailer.map(|text| secrets.scrub(&text));
    output.truncated = output.truncated.map(|text| secrets.scrub(&text));
    output
}

/// A value without known secrets, and its keys.
pub(crate) fn scrub_json(value: Value, secrets: &KnownSecrets) -> Value {
    match value {
        Value::String(text) => Value::String(secrets.scrub_value(&text)),
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| scrub_json(item, secrets)).collect())
        }
        Value::Object(members) => {
            let clean =
                members.into_iter().map(|(key, value)| (secrets.scrub(&key), scrub_json(value, secrets)));
            Value::Object(clean.collect::<Map<_, _>>())
        }
        scalar => scalar,
    }
}
