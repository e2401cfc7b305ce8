//! The wire forms that schemas are compiled to: what tells the dialects apart where a schema is concerned.

/// A wire form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wire {
    /// Anthropic and OpenAI, not strict.
    Loose,
    /// OpenAI, strict: Structured Outputs.
    OpenAiStrict,
    /// Anthropic, strict.
    AnthropicStrict,
    /// Gemini, `parametersJsonSchema`.
    Gemini,
    /// The Model Context Protocol.
    Mcp,
}

impl Wire {
    /// Every form, in the order of the table of rules.
    pub const ALL: [Wire; 5] =
        [Wire::Loose, Wire::OpenAiStrict, Wire::AnthropicStrict, Wire::Gemini, Wire::Mcp];

    /// Whether the API generates along the schema, so that what it cannot carry costs the strictness.
    pub fn is_strict(self) -> bool {
        matches!(self, Wire::OpenAiStrict | Wire::AnthropicStrict)
    }

    /// Whether a type list is written as `anyOf`.
    pub(super) fn splits_types(self) -> bool {
        matches!(self, Wire::Gemini | Wire::Mcp)
    }
}
