/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(default = "eu", choices = ["eu", "us"])]
    x: &str,
) {}
