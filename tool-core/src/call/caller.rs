//! Who calls.

use crate::def::Surface;

/// The kind of caller a call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caller {
    /// A model, through the descriptors of a provider.
    Llm,
    /// A person, through the command line.
    Cli,
    /// An MCP client.
    Mcp,
    /// Another tool.
    Tool,
    /// A test.
    Test,
}

impl Caller {
    /// Every kind of caller.
    pub const ALL: [Caller; 5] = [Caller::Llm, Caller::Cli, Caller::Mcp, Caller::Tool, Caller::Test];

    /// The word in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Caller::Llm => "llm",
            Caller::Cli => "cli",
            Caller::Mcp => "mcp",
            Caller::Tool => "tool",
            Caller::Test => "test",
        }
    }

    /// The surface the caller stands at; `None` for tools and tests.
    pub fn surface(self) -> Option<Surface> {
        match self {
            Caller::Llm => Some(Surface::Llm),
            Caller::Cli => Some(Surface::Cli),
            Caller::Mcp => Some(Surface::Mcp),
            Caller::Tool | Caller::Test => None,
        }
    }
}
