//! `--out`: the result in a file, its binary blocks in files of their own.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tool_core::args::shown_name;
use tool_core::{Content, ToolError, ToolOutput};

use crate::binary::{self, Part};
use crate::format::{self, Format, Target};
use crate::program;
use crate::replace::replace;
use crate::settings::Settings;
use crate::sources::reason;

/// What is left for standard output.
pub(crate) enum Kept {
    /// Nothing: the rendered result is in the file, as the note tells.
    Nothing(String),
    /// The result without its binary blocks, which are in files, as the notes tell.
    All(Vec<String>),
}

/// Endings of files by media type.
const ENDINGS: [(&str, &str); 10] = [
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/svg+xml", "svg"),
    ("audio/wav", "wav"),
    ("audio/mpeg", "mp3"),
    ("audio/ogg", "ogg"),
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
];

/// Writes binary blocks to files, or else the rendered result to one.
pub(crate) fn write(
    output: &mut ToolOutput,
    path: &Path,
    cwd: &Path,
    tool: Option<&str>,
    settings: &Settings,
) -> Result<Kept, ToolError> {
    let parts: Vec<Part<'_>> = output.content.iter().filter_map(binary::part).collect();
    if parts.is_empty() {
        let bytes = rendered(output, tool, settings);
        replace(&cwd.join(path), &bytes).map_err(|error| not_in(path, &cwd.join(path), &error))?;
        return Ok(Kept::Nothing(format!("wrote {} ({} bytes)", path.display(), bytes.len())));
    }
    let several = parts.len() > 1 || path.as_os_str().to_string_lossy().ends_with('/');
    // All of them first: what cannot be decoded leaves no half of a result behind.
    let files = parts.iter().enumerate().map(|(index, part)| {
        let target = if several { path.join(numbered(index + 1, part.mime_type)) } else { path.to_owned() };
        Ok(File { target, bytes: part.bytes().ok_or_else(|| no_base64(index + 1, part.mime_type))? })
    });
    let files: Vec<File> = files.collect::<Result<_, ToolError>>()?;
    let mut notes = Vec::new();
    for (file, part) in files.iter().zip(&parts) {
        let at = cwd.join(&file.target);
        replace(&at, &file.bytes).map_err(|error| not_in(&file.target, &at, &error))?;
        let (target, bytes) = (file.target.display(), file.bytes.len());
        notes.push(format!("wrote {target} ({}, {bytes} bytes)", part.mime_type));
    }
    let is_for_programs = settings.envelope || settings.format.is_some_and(Format::is_structured);
    if is_for_programs && output.structured.is_none() {
        let mut files = files.iter();
        let named = |block: &Content| match binary::part(block).and_then(|_| files.next()) {
            Some(file) => file.named(block),
            None => block.to_mcp(),
        };
        output.structured = Some(output.content.iter().map(named).collect::<Value>().into());
        output.content.clear();
    } else {
        output.content.retain(|block| binary::part(block).is_none());
    }
    if output.content.is_empty() && output.structured.is_none() {
        output.content.push(Content::text(""));
    }
    Ok(Kept::All(notes))
}

/// The file of a binary block.
struct File {
    target: PathBuf,
    bytes: Vec<u8>,
}

impl File {
    /// The block with its file instead of its bytes.
    fn named(&self, block: &Content) -> Value {
        let mut value = block.to_mcp();
        let place = if value.get("resource").is_some() { "/resource" } else { "" };
        if let Some(object) = value.pointer_mut(place).and_then(Value::as_object_mut) {
            object.retain(|key, _| key != "data" && key != "blob");
            object.insert("path".to_owned(), json!(self.target.display().to_string()));
            object.insert("bytes".to_owned(), json!(self.bytes.len()));
        }
        value
    }
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

fn numbered(number: usize, mime_type: &str) -> PathBuf {
    let ending = ENDINGS.iter().find(|row| row.0 == mime_type).map_or("bin", |row| row.1);
    PathBuf::from(format!("{number}.{ending}"))
}

/// The code of what could not be written.
pub(crate) const UNWRITTEN: &str = "output_write";

/// The error of a result that could not be delivered.
pub(crate) fn unwritten(error: &io::Error) -> ToolError {
    ToolError::failed(format!("The call succeeded, but its result could not be written: {}.", error.kind()))
        .code(UNWRITTEN)
}

/// The error of a call that was cancelled since its output could not be written any more.
pub(crate) fn cut_off(error: &io::Error) -> ToolError {
    ToolError::failed(format!("The call was cancelled: its output could not be written: {}.", error.kind()))
        .code(UNWRITTEN)
}

/// The error of a page that could not be delivered: no call was made for it.
pub(crate) fn unprinted(error: &io::Error) -> ToolError {
    ToolError::failed(format!("The output could not be written: {}.", error.kind())).code(UNWRITTEN)
}

/// The error of a binary block that the tool did not encode as it should.
fn no_base64(number: usize, mime_type: &str) -> ToolError {
    let mime_type = shown_name(mime_type);
    let text =
        format!("The call succeeded, but part {number} of its result ({mime_type}) is not valid base64.");
    ToolError::failed(text).code(UNWRITTEN).hint("without --out the rest of the result is shown")
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
