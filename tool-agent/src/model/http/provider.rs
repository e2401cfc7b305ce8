//! The providers: where a request goes, what it carries, and how its body is put together.

use serde_json::{Map, Value, json};
use tool_core::dialect::{Dialect as _, DialectId};

use crate::model::ModelRequest;

/// One API.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) dialect: DialectId,
    /// What `base_url` replaces.
    pub(super) base: &'static str,
    /// The secret with the key.
    pub(super) secret: &'static str,
    /// The header of the key, and what stands before it.
    pub(super) key: (&'static str, &'static str),
    pub(super) headers: &'static [(&'static str, &'static str)],
}

const PROVIDERS: [Provider; 4] = [
    Provider {
        dialect: DialectId::Anthropic,
        base: "https://api.anthropic.com",
        secret: "ANTHROPIC_API_KEY",
        key: ("x-api-key", ""),
        headers: &[("anthropic-version", "2023-06-01")],
    },
    Provider {
        dialect: DialectId::OpenAiChat,
        base: "https://api.openai.com/v1",
        secret: "OPENAI_API_KEY",
        key: ("authorization", "Bearer "),
        headers: &[],
    },
    Provider {
        dialect: DialectId::OpenAiResponses,
        base: "https://api.openai.com/v1",
        secret: "OPENAI_API_KEY",
        key: ("authorization", "Bearer "),
        headers: &[],
    },
    Provider {
        dialect: DialectId::Gemini,
        base: "https://generativelanguage.googleapis.com",
        secret: "GEMINI_API_KEY",
        key: ("x-goog-api-key", ""),
        headers: &[],
    },
];

impl Provider {
    /// The provider of a dialect; MCP has none.
    pub(super) fn of(dialect: DialectId) -> Option<&'static Provider> {
        static ALL: [Provider; 4] = PROVIDERS;
        ALL.iter().find(|provider| provider.dialect == dialect)
    }

    /// Where a request goes, behind the base: the path, and the query where there is one.
    pub(super) fn path(&self, model: &str, stream: bool) -> (String, Option<&'static str>) {
        match (self.dialect, stream) {
            (DialectId::Anthropic, _) => ("/v1/messages".to_owned(), None),
            (DialectId::OpenAiResponses, _) => ("/responses".to_owned(), None),
            (DialectId::Gemini, false) => (format!("/v1beta/models/{model}:generateContent"), None),
            (DialectId::Gemini, true) => {
                (format!("/v1beta/models/{model}:streamGenerateContent"), Some("alt=sse"))
            }
            _ => ("/chat/completions".to_owned(), None),
        }
    }

    /// The body of a request. No tool is ever forced: some models refuse that.
    pub(super) fn body(
        &self,
        request: &ModelRequest<'_>,
        model: &str,
        max_output: u32,
        stream: bool,
    ) -> Value {
        let messages = request.messages;
        let mut body = match self.dialect {
            DialectId::Gemini => {
                json!({"contents": messages, "generationConfig": {"maxOutputTokens": max_output}})
            }
            DialectId::OpenAiResponses => json!({
                "model": model,
                "input": messages,
                "max_output_tokens": max_output,
                "store": false,
                "include": ["reasoning.encrypted_content"],
            }),
            DialectId::OpenAiChat => {
                json!({"model": model, "messages": messages, "max_completion_tokens": max_output})
            }
            _ => json!({"model": model, "messages": messages, "max_tokens": max_output}),
        };
        let Some(members) = body.as_object_mut() else { return body };
        if let Some(text) = request.system {
            self.tell(members, text);
        }
        let tools = self.dialect.tools(request.plan);
        if tools.as_array().is_some_and(|tools| !tools.is_empty()) {
            members.insert("tools".to_owned(), tools);
        }
        if stream && self.dialect != DialectId::Gemini {
            members.insert("stream".to_owned(), true.into());
        }
        body
    }

    /// Puts in what the model is told before everything else.
    fn tell(&self, members: &mut Map<String, Value>, text: &str) {
        let (key, value) = match self.dialect {
            DialectId::Gemini => ("systemInstruction", json!({"parts": [{"text": text}]})),
            DialectId::OpenAiResponses => ("instructions", json!(text)),
            DialectId::OpenAiChat => {
                if let Some(Value::Array(messages)) = members.get_mut("messages") {
                    messages.insert(0, json!({"role": "system", "content": text}));
                }
                return;
            }
            _ => ("system", json!(text)),
        };
        members.insert(key.to_owned(), value);
    }
}
