//! The two generations of the protocol: with a handshake, and without one.

use tool_core::dialect::DialectId;

/// A generation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// Revisions up to 2025-11-25: a session begins with `initialize`.
    Legacy,
    /// Revision 2026-07-28: every request says all that is needed.
    Modern,
}

impl Era {
    /// Both.
    pub const ALL: [Era; 2] = [Era::Legacy, Era::Modern];

    /// How tools, calls and results are written.
    pub fn dialect(self) -> DialectId {
        match self {
            Era::Legacy => DialectId::Mcp20251125,
            Era::Modern => DialectId::Mcp20260728,
        }
    }
}
