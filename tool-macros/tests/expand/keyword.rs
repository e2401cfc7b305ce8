/// Lists by type.
#[tool]
fn list(
    /// Type.
    r#type: &str,
    /// Items.
    mut args: Vec<String>,
) {
    args.clear();
}
