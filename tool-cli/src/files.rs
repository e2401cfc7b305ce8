//! Several files that one command writes below a directory.

use std::path::Path;

use tool_core::ToolError;

/// Writes each file, given by its path below the directory and its text; gives the paths back as a person would type them.
///
/// # Errors
/// `failed`, code `output_write`.
pub(crate) fn write(directory: &Path, files: &[(String, String)]) -> Result<Vec<String>, ToolError> {
    let mut written = Vec::new();
    for (name, text) in files {
        let path = directory.join(name);
        crate::replace::replace(&path, text.as_bytes()).map_err(|error| {
            let place = path.display();
            ToolError::failed(format!("'{place}' cannot be written: {}.", error.kind())).code("output_write")
        })?;
        written.push(path.display().to_string());
    }
    Ok(written)
}
