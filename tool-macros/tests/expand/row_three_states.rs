/// Does it.
#[tool]
fn t(
    /// What.
    x: Option<Option<u32>>,
) {}
