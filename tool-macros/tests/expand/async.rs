/// Reads a text file.
///
/// Returns at most `limit`
/// lines.
#[tool(group = "file", aliases = ["read"])]
pub async fn read_file(
    /// Path, relative to the workspace root.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// Maximum number of lines.
    #[arg(short = 'n', range = 1..=10_000, default = 2_000)]
    limit: u32,
    #[ctx] workspace: &Workspace,
) -> Result<FileText, ToolError> {
    read(workspace, path, limit).await
}
