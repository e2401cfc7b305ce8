/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(any)]
    x: serde_json::Value,
) {}
