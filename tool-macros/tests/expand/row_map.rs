/// Does it.
#[tool]
fn t(
    /// What.
    #[arg(entries)]
    x: BTreeMap<String, u32>,
) {}
