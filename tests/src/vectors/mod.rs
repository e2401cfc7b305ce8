//! The vectors: input and expected outcome of every rule, one harness per file.

pub(crate) mod arguments;
mod arguments_laws;
pub(crate) mod arguments_schema;
mod random;
pub(crate) mod type_language;
pub(crate) mod typed;

use std::path::PathBuf;

use serde_json::Value;

/// The folder of vectors: `TOOL_VECTORS`, else `vectors` at the top of the repository; `None` where there is none.
pub(crate) fn folder() -> Option<PathBuf> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vectors");
    let folder = std::env::var_os("TOOL_VECTORS").map_or_else(default, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The cases of a file; `None`, and a line that says so, where there is no folder.
pub(crate) fn cases(file: &str) -> Option<Vec<Value>> {
    let Some(folder) = folder() else {
        println!("{file}: skipped, set TOOL_VECTORS to the folder of vectors");
        return None;
    };
    let text = std::fs::read_to_string(folder.join(file)).expect("the vectors are readable");
    let mut file: Value = serde_json::from_str(&text).expect("the vectors are JSON");
    match file["cases"].take() {
        Value::Array(cases) => Some(cases),
        other => panic!("cases must be a list, not {other}"),
    }
}
