/// Does it.
#[tool]
fn t(
    /// What.
    x: (u8, String),
) {}
