/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(range = LEAST..MOST, len = ..MOST)]
    x: u32,
) {}
