/// Reads.
#[tool]
#[example("First ten lines", { "path": "notes.txt", "limit": 10, "deep": { "a": [1, -2.5, null, true] } } => { "lines": 10 })]
#[example("All", { "path": "notes.txt" })]
fn read(
    /// Path.
    path: &str,
    /// Limit.
    limit: Option<u32>,
    /// Deep.
    #[arg(any)]
    deep: Option<serde_json::Value>,
) -> String {
    String::new()
}
