/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(len = 1..=10, item_len = ..=80)]
    x: Vec<String>,
) {}
