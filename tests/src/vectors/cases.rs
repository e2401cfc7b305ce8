//! Where vectors lie and how they are read.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The cases of one file, and the folder it was found in; `None`, and a line that says so, where there is none.
pub(crate) fn cases(file: &str) -> Option<(Vec<Value>, PathBuf)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors");
    let folder = std::env::var_os("TOOL_VECTORS").map_or_else(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join(file)) else {
        tool_trials::skip(&format!("no {file} in {}", folder.display()));
        return None;
    };
    let mut file: Value = serde_json::from_str(&text).expect("vectors are JSON");
    match file["cases"].take() {
        Value::Array(cases) => Some((cases, folder)),
        other => panic!("cases must be a list, not {other}"),
    }
}
