//! What a tool gives back: blocks for a model or person, and a structured value for programs.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::error::ToolError;
use crate::structured::Structured;

/// The outcome of every call, on every surface.
pub type ToolResult = Result<ToolOutput, ToolError>;

/// One block of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Base64, RFC 4648 with padding.
        data: String,
        /// Media type, such as `image/png`.
        #[serde(rename = "mimeType")]
        mime_type: String,
    },
    /// Sound.
    Audio {
        /// Base64, RFC 4648 with padding.
        data: String,
        /// Media type, such as `audio/wav`.
        #[serde(rename = "mimeType")]
        mime_type: String,
    },
    /// A resource, with what is in it.
    Resource {
        /// Where it comes from.
        uri: String,
        /// Media type, if known.
        #[serde(rename = "mimeType", default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// What is in it.
        #[serde(flatten)]
        body: ResourceBody,
    },
    /// A JSON value; models read its compact text.
    Json {
        /// The value.
        value: Value,
    },
    /// A resource that the caller may read later.
    ResourceLink {
        /// Where it is.
        uri: String,
        /// What it is called.
        name: String,
        /// Media type, if known.
        #[serde(rename = "mimeType", default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
    },
}

/// What is in a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Bytes as base64, RFC 4648 with padding.
    Blob(String),
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Content {
        Content::Text { text: text.into() }
    }

    /// The block as MCP writes it (specification 2025-11-25, content types). MCP has no block for a JSON value: it goes as its
    /// compact text.
    pub fn to_mcp(&self) -> Value {
        json!(McpBlock(self))
    }
}

/// A block as MCP writes it.
pub(crate) struct McpBlock<'c>(pub(crate) &'c Content);

impl Serialize for McpBlock<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        enum Embedded<'a> {
            Resource { resource: Contents<'a> },
        }
        #[derive(Serialize)]
        struct Contents<'a> {
            uri: &'a str,
            #[serde(rename = "mimeType", skip_serializing_if = "Option::is_none")]
            mime_type: Option<&'a str>,
            #[serde(flatten)]
            body: &'a ResourceBody,
        }
        match self.0 {
            Content::Resource { uri, mime_type, body } => {
                let resource = Contents { uri, mime_type: mime_type.as_deref(), body };
                Embedded::Resource { resource }.serialize(serializer)
            }
            Content::Json { value } => Content::text(value.to_string()).serialize(serializer),
            other => other.serialize(serializer),
        }
    }
}

/// What a successful call gives back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// Blocks for models and people; empty when the structured value says it all.
    pub content: Vec<Content>,
    /// The value for programs.
    pub structured: Option<Structured>,
    /// What is left to say to somebody who has seen the output as it came, instead of the blocks.
    pub trailer: Option<String>,
    /// How to get the rest, where a limit cuts the text.
    pub truncated: Option<String>,
    /// Whether the call ends the run of the agent that made it.
    pub finish: bool,
    /// What the pipeline notes about the call: `coerced`, `tries`, `truncated` …
    pub meta: Map<String, Value>,
}

impl ToolOutput {
    /// A result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        let content = vec![Content::text(text)];
        // Every call comes here: written out, it is made where it is wanted.
        Self { content, structured: None, trailer: None, truncated: None, finish: false, meta: Map::new() }
    }

    /// A result of a structured value.
    pub fn structured(value: impl Into<Value>) -> Self {
        Self { structured: Some(value.into().into()), ..Self::default() }
    }

    /// Adds a block, for instance the text form of the structured value.
    #[must_use]
    pub fn with_content(mut self, block: Content) -> Self {
        self.content.push(block);
        self
    }

    /// Says what is left for somebody who has seen the output as it came; empty for nothing.
    #[must_use]
    pub fn with_trailer(mut self, trailer: impl Into<String>) -> Self {
        self.trailer = Some(trailer.into());
        self
    }

    /// The value of `data` in the success envelope: the structured value, else one text as a string, else the blocks as
    /// MCP writes them.
    pub fn data(&self) -> Value {
        match (&self.structured, self.content.as_slice()) {
            (Some(value), _) => value.to_value(),
            (None, []) => Value::Null,
            (None, [Content::Text { text }]) => Value::String(text.clone()),
            (None, blocks) => blocks.iter().map(Content::to_mcp).collect(),
        }
    }
}

/// A result that ends an agent's run, as the value `T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish<T>(pub T);

/// The one JSON form of an outcome: `{"ok", "tool", "data", "meta"}` or `{"ok", "tool", "error"}`.
pub fn envelope(tool: &str, result: &ToolResult) -> Value {
    match result {
        Ok(output) => json!({"ok": true, "tool": tool, "data": output.data(), "meta": output.meta}),
        Err(error) => json!({"ok": false, "tool": tool, "error": error.to_json()}),
    }
}
