//! The format for people.
//!
//! A text of the tool's own wins; a value is shown as briefly as its shape allows.

use serde_json::Value;
use tool_core::{Content, ResourceBody, ToolOutput};

use crate::format::{Rendered, Target, as_table, nothing};
use crate::{binary, yaml};

/// A result as text.
pub(crate) fn render(output: &ToolOutput, target: Target) -> Rendered {
    let has_text = output.content.iter().any(|block| matches!(block, Content::Text { .. }));
    match &output.structured {
        Some(value) if !has_text => render_value(value, target),
        _ => Rendered::text(&blocks(&output.content), target),
    }
}

/// A value as text.
pub(crate) fn render_value(value: &Value, target: Target) -> Rendered {
    match value {
        Value::Null => Rendered::default(),
        Value::String(text) => Rendered::text(text, target),
        Value::Array(items) if items.is_empty() => nothing(target),
        Value::Array(items) if items.iter().all(is_scalar) => {
            let lines: Vec<String> = items.iter().map(line).collect();
            Rendered::text(&lines.join("\n"), target)
        }
        Value::Array(items) if items.iter().all(Value::is_object) => as_table(value, target),
        Value::Array(_) | Value::Object(_) => Rendered::text(&yaml::render(value), target),
        scalar => Rendered::text(&scalar.to_string(), target),
    }
}

/// The blocks of a result in order, each on lines of its own.
fn blocks(content: &[Content]) -> String {
    let mut text = String::new();
    for block in content {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if let Some(part) = binary::part(block) {
            text.push_str(&part.placeholder());
            continue;
        }
        match block {
            Content::Text { text: own } | Content::Resource { body: ResourceBody::Text(own), .. } => {
                text.push_str(own);
            }
            Content::Json { value } => text.push_str(&yaml::render(value)),
            Content::ResourceLink { uri, name, .. } => text.push_str(&format!("[{name}: {uri}]")),
            // Bytes, which have their placeholder.
            Content::Image { .. } | Content::Audio { .. } | Content::Resource { .. } => {}
        }
    }
    text
}

fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// A scalar in a line of its own.
pub(crate) fn line(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: Value) -> String {
        String::from_utf8(render_value(&value, Target::default()).bytes).unwrap()
    }

    #[test]
    fn a_value_is_shown_as_briefly_as_its_shape_allows() {
        assert_eq!(shown(Value::Null), "");
        assert_eq!(shown(json!("plain")), "plain\n");
        assert_eq!(shown(json!(12.5)), "12.5\n");
        assert_eq!(shown(json!(["a", "b c", 3])), "a\nb c\n3\n");
        assert_eq!(shown(json!([{"id": 1}])), "id\n 1\n");
        assert_eq!(shown(json!({"name": "lamp"})), "name: lamp\n");
    }

    #[test]
    fn the_text_of_a_tool_wins_over_its_value() {
        let output = ToolOutput::structured(json!({"items": 2})).with_content(Content::text("two items"));
        assert_eq!(render(&output, Target::default()).bytes, b"two items\n");
    }

    #[test]
    fn a_final_line_feed_is_not_doubled() {
        assert_eq!(render(&ToolOutput::text("hello\n"), Target::default()).bytes, b"hello\n");
    }
}
