#[toolbox(group = "file", tags = ["disk"], prefix = "file_", requires(secret = "FILE_KEY"))]
impl Files {
    fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a file.
    #[tool(tags = ["read"])]
    pub fn read(
        &self,
        /// Path.
        path: &Path,
    ) -> std::io::Result<String> {
        std::fs::read_to_string(self.root().join(path))
    }

    /// Makes a box.
    #[tool]
    pub(crate) async fn make() -> Self {
        Self::default()
    }
}
