//! The closed lists that arguments choose from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a text is encoded.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// ISO 8859-1.
    Latin1,
    /// UTF-16.
    Utf16,
}

/// How urgent something is.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Some day.
    Low,
    /// This month.
    Medium,
    /// This week.
    High,
    /// Today.
    Urgent,
}

/// What is asked of a server.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Read.
    Get,
    /// Create.
    Post,
    /// Replace.
    Put,
    /// Change.
    Patch,
    /// Remove.
    Delete,
}

/// Where guests sit.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Seating {
    /// In the house.
    Inside,
    /// Outside.
    Terrace,
    /// At the bar.
    AtTheBar,
}

/// A room of the house.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Room {
    /// The living room.
    LivingRoom,
    /// The bedroom.
    Bedroom,
    /// The kitchen.
    Kitchen,
}

/// How a column is compared.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Greater.
    Gt,
    /// Matches a pattern.
    Like,
}
