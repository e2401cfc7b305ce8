//! The vectors of the specification: cases of input and what is expected, which every harness reads through here.
//!
//! They lie in the folder that `TOOL_VECTORS` names (default: `shared/vectors` beside the project). They are no part of the
//! project, so where they are absent a harness says that it is skipped.

use std::path::PathBuf;

use serde_json::Value;

/// The folder of the vectors, whether or not it is there.
pub fn folder() -> PathBuf {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors"));
    std::env::var_os("TOOL_VECTORS").map_or_else(beside, PathBuf::from)
}

/// A whole file of vectors; `None` where it is absent.
///
/// # Panics
/// When the file is not JSON.
pub fn file(name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(folder().join(name)).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name} is not JSON: {error}")))
}

/// The cases of a file and the folder it is in; `None` where it is absent, which [`skip`](crate::skip) says.
///
/// # Panics
/// When the file is not JSON, has no list of cases, or is absent though it must be there.
pub fn cases(name: &str) -> Option<(Vec<Value>, PathBuf)> {
    let Some(file) = file(name) else {
        crate::skip(&format!("no vectors: {name} is not in {}", folder().display()));
        return None;
    };
    match file.get("cases") {
        Some(Value::Array(cases)) if !cases.is_empty() => Some((cases.clone(), folder())),
        other => panic!("{name}: cases must be a list with entries, not {other:?}"),
    }
}
