/// Does it.
#[tool]
fn t(
    /// What.
    x: Option<&[String]>,
) {}
