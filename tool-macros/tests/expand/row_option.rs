/// Does it.
#[tool]
fn t(
    /// What.
    x: Option<u32>,
) {}
