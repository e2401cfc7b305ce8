//! What a single client needs, by the name that it gives itself.

use serde::Serialize;
use serde_json::{Value, json};

/// Clients that read a text which is JSON as the structured value that an answer lacks, that of a failure too. They hold it
/// against the tool's output schema and tell the model of the mismatch, not of the failure. (Gemini CLI 0.61,
/// `McpComplianceTransport`)
const READ_TEXTS_AS_VALUES: [&str; 1] = ["gemini-cli-mcp-client"];

/// What makes a text no JSON.
const NO_JSON: &str = "Error: ";

/// The result of a call as a client needs it; `None` where that is as it is.
pub(crate) fn adapted(client: &str, is_error: bool, result: &impl Serialize) -> Option<Value> {
    if !is_error || !READ_TEXTS_AS_VALUES.contains(&client) {
        return None;
    }
    let mut result = json!(result);
    if let Some(Value::String(text)) = result.pointer_mut("/content/0/text") {
        text.insert_str(0, NO_JSON);
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_stays_a_text_for_whom_its_json_would_be_a_value() {
        let told = |client: &str, is_error: bool| {
            let result = json!({"content": [{"type": "text", "text": "{\"ok\":false}"}]});
            let result = adapted(client, is_error, &result).unwrap_or(result);
            result["content"][0]["text"].clone()
        };
        assert_eq!(told("gemini-cli-mcp-client", true), "Error: {\"ok\":false}");
        assert_eq!(told("gemini-cli-mcp-client", false), "{\"ok\":false}");
        assert_eq!(told("claude-code", true), "{\"ok\":false}");
    }
}
