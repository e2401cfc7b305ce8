tool_set! {
    /// The tools for files.
    pub static FILE_TOOLS = [ReadFileTool, #[cfg(feature = "write")] files::WriteFileTool];
}
