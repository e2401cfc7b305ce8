//! YAML that readers of version 1.2 and of version 1.1 take for the same values.

use serde_json::Value;

/// The value as YAML, with a final line feed.
pub fn render(value: &Value) -> String {
    let mut text = serde_saphyr::to_string(value).unwrap_or_else(|_| value.to_string());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_one_member_a_line() {
        assert_eq!(
            render(&json!({"name": "lamp", "price": 12.5, "sold": false})),
            "name: lamp\nprice: 12.5\nsold: false\n"
        );
    }

    #[test]
    fn texts_that_some_reader_takes_for_something_else_are_quoted() {
        for text in ["no", "yes", "on", "2026-01-31", "1_000", "null", "~", "0x10", "1:30"] {
            let yaml = render(&json!({ "a": text }));
            assert!(yaml.contains('"') || yaml.contains('\''), "{yaml}");
        }
    }
}
