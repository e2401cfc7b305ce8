//! `--out`: the result in a file, written beside it and renamed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tool_core::args::shown_name;
use tool_core::{Content, ToolError, ToolOutput};

use crate::format::{self, Format, Target};
use crate::program;
use crate::settings::Settings;
use crate::sources::reason;

/// What is left for standard output.
pub(crate) enum Kept {
    /// Nothing: the rendered result is in the file, as the note tells.
    Nothing(String),
    /// The result without its binary blocks, which are in files, as the notes tell.
    All(Vec<String>),
}

/// A file that was written for a block.
struct Written {
    mime_type: String,
    path: String,
    bytes: usize,
}

/// Endings of files by media type.
const ENDINGS: [(&str, &str); 8] = [
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/svg+xml", "svg"),
    ("audio/wav", "wav"),
    ("audio/mpeg", "mp3"),
    ("audio/ogg", "ogg"),
];

/// Writes binary blocks to files, or else the rendered result to one.
pub(crate) fn write(
    output: &mut ToolOutput,
    path: &Path,
    cwd: &Path,
    tool: Option<&str>,
    settings: &Settings,
) -> Result<Kept, ToolError> {
    let binary = output.content.iter().filter(|block| parts(block).is_some()).count();
    if binary == 0 {
        let bytes = rendered(output, tool, settings);
        replace(&cwd.join(path), &bytes).map_err(|error| not_in(path, &cwd.join(path), &error))?;
        return Ok(Kept::Nothing(format!("wrote {} ({} bytes)", path.display(), bytes.len())));
    }
    let several = binary > 1 || path.as_os_str().to_string_lossy().ends_with('/');
    let mut written = Vec::new();
    let mut blocks = Vec::new();
    for block in &output.content {
        let Some((mime_type, data)) = parts(block) else {
            blocks.push(json!(block));
            continue;
        };
        let target =
            if several { path.join(numbered(written.len() + 1, mime_type)) } else { path.to_owned() };
        let bytes = STANDARD.decode(data).unwrap_or_default();
        replace(&cwd.join(&target), &bytes).map_err(|error| not_in(&target, &cwd.join(&target), &error))?;
        let file = Written {
            mime_type: mime_type.to_owned(),
            path: target.display().to_string(),
            bytes: bytes.len(),
        };
        blocks.push(named(block, &file));
        written.push(file);
    }
    let notes = written
        .iter()
        .map(|file| format!("wrote {} ({}, {} bytes)", file.path, file.mime_type, file.bytes))
        .collect();
    if settings.is_structured() && output.structured.is_none() {
        output.structured = Some(Value::Array(blocks));
        output.content.clear();
    } else {
        output.content.retain(|block| parts(block).is_none());
    }
    if output.content.is_empty() && output.structured.is_none() {
        output.content.push(Content::text(""));
    }
    Ok(Kept::All(notes))
}

/// The result as it would have gone to standard output, in a pipe.
fn rendered(output: &ToolOutput, tool: Option<&str>, settings: &Settings) -> Vec<u8> {
    if settings.envelope {
        let value = program::outcome(tool, &Ok(output.clone()));
        return program::render(&value, settings.format, false).into_bytes();
    }
    let format = settings.format.unwrap_or_else(|| Format::of(output, false));
    format::render(output, format, Target::default()).bytes
}

/// Media type and base64 of a binary block.
fn parts(block: &Content) -> Option<(&str, &str)> {
    match block {
        Content::Image { data, mime_type } | Content::Audio { data, mime_type } => Some((mime_type, data)),
        Content::Text { .. }
        | Content::Resource { .. }
        | Content::Json { .. }
        | Content::ResourceLink { .. } => None,
    }
}

/// A block with its file instead of its bytes.
fn named(block: &Content, file: &Written) -> Value {
    let mut value = json!(block);
    if let Some(object) = value.as_object_mut() {
        object.shift_remove("data");
        object.insert("path".to_owned(), json!(file.path));
        object.insert("bytes".to_owned(), json!(file.bytes));
    }
    value
}

fn numbered(number: usize, mime_type: &str) -> PathBuf {
    let ending = ENDINGS.iter().find(|row| row.0 == mime_type).map_or("bin", |row| row.1);
    PathBuf::from(format!("{number}.{ending}"))
}

/// Writes a file beside its place and renames it, so that nobody ever reads half of it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What ends with a slash is a directory, which `Path` does not tell.
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    fs::write(&beside, bytes)?;
    fs::rename(&beside, path).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

/// The code of what could not be written.
pub(crate) const UNWRITTEN: &str = "output_write";

/// The error of a result that could not be delivered.
pub(crate) fn unwritten(error: &io::Error) -> ToolError {
    ToolError::failed(format!("The call succeeded, but its result could not be written: {}.", error.kind()))
        .code(UNWRITTEN)
}

/// The error of a result that could not be written to a file.
fn not_in(shown: &Path, path: &Path, error: &io::Error) -> ToolError {
    let named = shown.display().to_string();
    let is_directory = path.is_dir() || named.ends_with('/');
    let why = if is_directory { "it is a directory".to_owned() } else { reason(error) };
    let text = format!(
        "The call succeeded, but its result could not be written to '{}': {why}.",
        shown_name(&named)
    );
    let error = ToolError::failed(text).code(UNWRITTEN);
    // Several binary parts have names of their own in a directory; anything else is one file.
    if is_directory { error.hint("name a file with --out") } else { error }
}

/// The error of a failure that could not be told where it should be.
pub(crate) fn untold(failure: &ToolError, error: &io::Error) -> ToolError {
    let (code, why) = (failure.code_str(), error.kind());
    ToolError::failed(format!("The call failed with {code}, which could not be written: {why}."))
        .code(UNWRITTEN)
}
