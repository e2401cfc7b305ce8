//! Why a result is not all there is.

use schemars::JsonSchema;
use serde::Serialize;

/// The budget that was spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Truncation {
    /// The entries or lines asked for.
    Limit,
    /// The entries that one walk visits.
    Entries,
    /// The depth of a walk.
    Depth,
    /// The time of a walk.
    Time,
    /// The bytes of one result.
    Bytes,
}

impl Truncation {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Truncation::Limit => "limit",
            Truncation::Entries => "entries",
            Truncation::Depth => "depth",
            Truncation::Time => "time",
            Truncation::Bytes => "bytes",
        }
    }
}
