/// Does it.
#[tool]
fn t(
    /// What.
    x: Cow<'_, str>,
) {}
