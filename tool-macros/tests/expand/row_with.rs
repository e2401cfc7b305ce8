/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(with = seconds, schema_with = seconds_schema, default = Duration::ZERO)]
    x: Duration,
) {}
