//! What the servers have in common: how many tools, and on how many threads.

use serde_json::{Value, json};

/// How many tools there are; 0 for the echo tool alone.
pub fn tools() -> usize {
    std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or_default()
}

/// The schema of each of many tools.
pub fn schema() -> Value {
    json!({"type": "object", "properties": {"text": {"type": "string", "description": "The text."}},
        "required": ["text"], "additionalProperties": false})
}

/// Runs a server on one thread, or on as many as there are cores with THREADS=many.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = match std::env::var("THREADS").as_deref() {
        Ok("many") => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    builder.enable_all().build().expect("a runtime").block_on(future)
}
