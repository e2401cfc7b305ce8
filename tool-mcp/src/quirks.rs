//! What a single client needs, by the name that it gives itself.

use serde_json::Value;

/// Clients that read a text which is JSON as the structured value that an answer lacks, that of a failure too. They hold it
/// against the tool's output schema and tell the model of the mismatch, not of the failure. (Gemini CLI 0.61,
/// `McpComplianceTransport`)
const READ_TEXTS_AS_VALUES: [&str; 1] = ["gemini-cli-mcp-client"];

/// What makes a text no JSON.
const NO_JSON: &str = "Error: ";

/// Shapes the result of a call for a client.
pub(crate) fn adapt(client: &str, result: &mut Value) {
    if !READ_TEXTS_AS_VALUES.contains(&client) || result.get("isError") != Some(&Value::Bool(true)) {
        return;
    }
    if let Some(Value::String(text)) = result.pointer_mut("/content/0/text") {
        text.insert_str(0, NO_JSON);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_stays_a_text_for_whom_its_json_would_be_a_value() {
        let told = |client: &str, is_error: Option<bool>| {
            let mut result = json!({"content": [{"type": "text", "text": "{\"ok\":false}"}]});
            if let Some(is_error) = is_error {
                result["isError"] = json!(is_error);
            }
            adapt(client, &mut result);
            result["content"][0]["text"].clone()
        };
        assert_eq!(told("gemini-cli-mcp-client", Some(true)), "Error: {\"ok\":false}");
        assert_eq!(told("gemini-cli-mcp-client", None), "{\"ok\":false}");
        assert_eq!(told("claude-code", Some(true)), "{\"ok\":false}");
    }
}
