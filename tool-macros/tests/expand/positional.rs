/// Copies.
#[tool]
fn copy(
    /// From.
    #[arg(positional)]
    from: PathBuf,
    /// To.
    #[arg(positional)]
    to: Vec<PathBuf>,
) {
}
