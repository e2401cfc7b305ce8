//! Which audit rows are asked for.

/// Which audit rows are asked for; what is not said is not asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Of a tool.
    pub tool: Option<String>,
    /// Of an agent.
    pub agent: Option<String>,
    /// With an outcome.
    pub outcome: Option<String>,
    /// That began at this time or later, in milliseconds since 1970.
    pub since_ms: i64,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}
