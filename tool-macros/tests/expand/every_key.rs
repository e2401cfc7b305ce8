/** Removes a note.
 *
 * Wrapped
 * text.
 */
#[tool(
    destructive, idempotent, name = "drop", title = "Drop", aliases = ["rm"], tags = ["z", "a"], summary = "Drops.",
    surfaces(llm, cli), hidden, terminal, log = "hash", reconcile = done, revert = notes::undo, paged,
    exactly_one(id, label), output = Page, handle = DropTool, register = false, crate = ::tool_core
)]
pub(crate) fn drop_note(
    /// Id.
    #[arg(conflicts_with = ["label"])]
    id: Option<u32>,
    /// Label.
    #[arg(name = "label")]
    name: Option<&str>,
) -> ToolOutput {
    ToolOutput::default()
}
