/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(range = 0.0..1.0, examples = [0.5])]
    x: f64,
) {}
