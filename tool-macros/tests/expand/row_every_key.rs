/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(name = "text", aliases = ["body"], description = include_str!("x.md"), required, pattern = "^a", format = "uuid", log = "hash", header = "X-Text", deprecated = "use `y`", long = "the-text", short = 't', env = "TEXT", value_name = "TEXT", stdin, hidden)]
    x: &str,
) {}
