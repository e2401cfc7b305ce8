/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(flatten)]
    x: Page,
) {}
