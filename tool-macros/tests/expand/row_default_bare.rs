/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(default)]
    x: u64,
) {}
