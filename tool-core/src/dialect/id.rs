//! The dialects there are.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::wire::Wire;

/// A dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DialectId {
    /// The Messages API of Anthropic.
    Anthropic,
    /// Chat Completions of OpenAI, and the servers that speak it.
    OpenAiChat,
    /// The Responses API of OpenAI.
    OpenAiResponses,
    /// Gemini's `generateContent`.
    Gemini,
    /// The Model Context Protocol, revision 2025-11-25.
    Mcp20251125,
    /// The Model Context Protocol, revision 2026-07-28.
    Mcp20260728,
}

impl DialectId {
    /// Every dialect with its name.
    pub const ALL: [(DialectId, &'static str); 6] = [
        (DialectId::Anthropic, "anthropic"),
        (DialectId::OpenAiChat, "openai-chat"),
        (DialectId::OpenAiResponses, "openai-responses"),
        (DialectId::Gemini, "gemini"),
        (DialectId::Mcp20251125, "mcp-2025-11-25"),
        (DialectId::Mcp20260728, "mcp-2026-07-28"),
    ];

    /// The name.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The wire form of its schemas.
    pub fn wire(self, strict: bool) -> Wire {
        match (self, strict) {
            (DialectId::Gemini, _) => Wire::Gemini,
            (DialectId::Mcp20251125 | DialectId::Mcp20260728, _) => Wire::Mcp,
            (DialectId::Anthropic, true) => Wire::AnthropicStrict,
            (DialectId::OpenAiChat | DialectId::OpenAiResponses, true) => Wire::OpenAiStrict,
            (_, false) => Wire::Loose,
        }
    }
}

impl FromStr for DialectId {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.iter().find(|row| row.1 == name).map(|row| row.0).ok_or(())
    }
}

impl fmt::Display for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for DialectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
