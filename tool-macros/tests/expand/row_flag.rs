/// Does it.
#[tool]
fn t(
    /// What.
    x: bool,
) {}
