//! Numbers: bounds, lists, unions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::prelude::*;

use super::echo::{echo, of, opt};
use super::store::Level;

/// A size that travels as a number.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "u32", into = "u32")]
#[schemars(with = "u32", extend("enum" = [1, 2, 4]))]
pub(super) struct Size(u32);

impl TryFrom<u32> for Size {
    type Error = String;

    fn try_from(size: u32) -> Result<Self, String> {
        if [1, 2, 4].contains(&size) { Ok(Size(size)) } else { Err("one of 1, 2, 4".to_owned()) }
    }
}

impl From<Size> for u32 {
    fn from(size: Size) -> u32 {
        size.0
    }
}

/// MatchValueKind.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum MatchValueKind {
    X,
}

/// MatchValueKey.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum MatchValueKey {
    String(String),
    I64(i64),
}

/// MatchValueMark.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum MatchValueMark {
    I64(i64),
    Bool(bool),
}

/// Adds two numbers.
#[tool(group = "math", register = false)]
pub(super) fn math_add(
    /// First number.
    #[arg(positional)]
    a: f64,
    /// Second number.
    #[arg(positional)]
    b: f64,
) -> Value {
    echo([("a", of(&a)), ("b", of(&b))])
}

/// Takes numbers of every kind.
#[tool(group = "math", register = false)]
pub(super) fn math_bounds(
    /// A small integer.
    small: Option<i8>,
    /// An integer.
    #[arg(short = 'i')]
    int: Option<i64>,
    /// A large integer.
    big: Option<u64>,
    /// A share.
    #[arg(range = 0.0..=1.0)]
    ratio: Option<f64>,
    /// A short code.
    #[arg(len = 1..=8)]
    code: Option<&str>,
) -> Value {
    echo([
        ("small", opt(&small)),
        ("int", opt(&int)),
        ("big", opt(&big)),
        ("ratio", opt(&ratio)),
        ("code", opt(&code)),
    ])
}

/// Takes lists of every kind.
#[tool(group = "math", register = false)]
pub(super) fn math_stats(
    /// Numbers.
    values: Vec<f64>,
    /// Identifiers.
    #[arg(len = ..=3)]
    ids: Vec<i64>,
    /// Tags.
    #[arg(default = vec!["x".to_owned()])]
    tags: Vec<String>,
    /// Levels.
    levels: Vec<Level>,
) -> Value {
    echo([("values", of(&values)), ("ids", of(&ids)), ("tags", of(&tags)), ("levels", of(&levels))])
}

/// Matches a value.
#[tool(group = "math", register = false)]
pub(super) fn match_value(
    /// Text or number.
    key: Option<MatchValueKey>,
    /// Number or truth value.
    mark: Option<MatchValueMark>,
    /// A remark.
    note: Option<&str>,
    /// The only kind.
    kind: Option<MatchValueKind>,
    /// Block size.
    size: Option<Size>,
) -> Value {
    echo([
        ("key", opt(&key)),
        ("mark", opt(&mark)),
        ("note", opt(&note)),
        ("kind", opt(&kind)),
        ("size", opt(&size)),
    ])
}
