//! What a single client needs, by the name that it gives itself.

use rmcp::model::{CallToolResult, ContentBlock};

/// Clients that read a text which is JSON as the structured value that an answer lacks, that of a failure too. They hold it
/// against the tool's output schema and tell the model of the mismatch, not of the failure. (Gemini CLI 0.61,
/// `McpComplianceTransport`)
const READ_TEXTS_AS_VALUES: [&str; 1] = ["gemini-cli-mcp-client"];

/// What makes a text no JSON.
const NO_JSON: &str = "Error: ";

/// Shapes an answer for a client.
pub(crate) fn adapt(client: &str, answer: &mut CallToolResult) {
    if answer.is_error != Some(true) || !READ_TEXTS_AS_VALUES.contains(&client) {
        return;
    }
    if let Some(ContentBlock::Text(text)) = answer.content.first_mut() {
        text.text.insert_str(0, NO_JSON);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_stays_a_text_for_whom_its_json_would_be_a_value() {
        let told = |client: &str, is_error: Option<bool>| {
            let mut answer = CallToolResult::default();
            answer.content = vec![ContentBlock::text("{\"ok\":false}")];
            answer.is_error = is_error;
            adapt(client, &mut answer);
            serde_json::to_value(&answer)
                .map(|answer| answer["content"][0]["text"].clone())
                .unwrap_or_default()
        };
        assert_eq!(told("gemini-cli-mcp-client", Some(true)), "Error: {\"ok\":false}");
        assert_eq!(told("gemini-cli-mcp-client", None), "{\"ok\":false}");
        assert_eq!(told("claude-code", Some(true)), "{\"ok\":false}");
    }
}
