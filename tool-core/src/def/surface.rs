//! Where a tool is offered.

use std::fmt;

/// A place from which calls come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Descriptors of LLM providers and the tool loop.
    Llm,
    /// The generated command line.
    Cli,
    /// The MCP server.
    Mcp,
}

impl Surface {
    /// Every surface with its word.
    pub const ALL: [(Surface, &'static str); 3] =
        [(Surface::Llm, "llm"), (Surface::Cli, "cli"), (Surface::Mcp, "mcp")];

    /// The word of the surface.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

/// A set of surfaces.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Surfaces(u8);

impl Surfaces {
    /// Offered everywhere.
    pub const ALL: Surfaces = Surfaces(0b111);
    /// Offered nowhere.
    pub const NONE: Surfaces = Surfaces(0);

    /// The set with one surface more.
    #[must_use]
    pub const fn with(self, surface: Surface) -> Surfaces {
        Surfaces(self.0 | 1 << surface as u8)
    }

    /// Whether the set has a surface.
    pub const fn contains(self, surface: Surface) -> bool {
        self.0 & (1 << surface as u8) != 0
    }

    /// The words of the set's surfaces.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Surface::ALL.into_iter().filter(move |row| self.contains(row.0)).map(|row| row.1)
    }
}

impl fmt::Debug for Surfaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.words()).finish()
    }
}
