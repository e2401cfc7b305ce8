/// Does it.
#[tool]
fn t(
    /// What.
    x: &[u32],
) {}
