//! `read_file`: text by line range, or base64 by byte range (files.md §5).

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tool_core::{Content as Block, Effect, IssueCode, ToolError, ToolOutput, tool};

use super::content::Content;
use super::encoding::{Decoded, Reading, base64, shown};
use super::lines::{self, Bounds, Eol};
use super::misfit::{Misfits, misfit};
use super::version;
use crate::limits::MAX_BINARY_READ_BYTES;
use crate::workspace::{Workspace, refusal};

/// First line when the call does not say.
const OFFSET: i64 = 1;
/// Lines when the call does not say.
const LIMIT: u32 = 2_000;
/// Bytes when the call does not say.
const BYTE_LIMIT: u32 = MAX_BINARY_READ_BYTES as u32;
/// Encoding when the call does not say.
const ENCODING: &str = "utf-8";

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FileText {
    /// The file, relative to the workspace root.
    pub path: String,
    /// The lines with their ends, or base64 of the bytes.
    #[schemars(extend("x-log" = "hash"))]
    pub content: String,
    /// Canonical name of the encoding, or `base64`.
    pub encoding: String,
    /// First line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u64>,
    /// Last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u64>,
    /// Lines of the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// First byte of a binary read, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_offset: Option<u64>,
    /// Bytes of a binary read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_length: Option<u64>,
    /// Whether the file goes on behind this part.
    pub truncated: bool,
    /// Where the next part begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// Where the next part of a binary read begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_byte_offset: Option<u64>,
    /// The only line is longer than an answer and was cut; the rest is reached with `binary`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub line_cut: bool,
    /// Bytes of the whole file.
    pub size: u64,
    /// Version of the whole file; null when it is too large to hash.
    pub version: Option<String>,
    /// How its lines end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eol: Option<Eol>,
    /// Whether its last line has an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_newline: Option<bool>,
    /// Whether it begins with a byte-order mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bom: Option<bool>,
}

/// Reads a text file by line range, or any file as base64 by byte range.
///
/// Lines keep their ends, so the pages of a file joined are the file. When `truncated` is set, go on with `next_offset`
/// (`next_byte_offset` for a binary read). `version` can be given as `expected_version` to the tools that write.
#[tool(group = "file", aliases = ["read"], paged, output = FileText, tags = ["allow:int-53-bits", "allow:params-many"])]
#[example("The first ten lines", { "path": "notes.txt", "limit": 10 })]
#[example("The last line", { "path": "notes.txt", "offset": -1 } => { "content": "two loaves\n" })]
pub fn read_file(
    /// The file, relative to the workspace root.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// First line, from 1; a negative number counts from the end.
    #[arg(default = OFFSET)]
    offset: i64,
    /// Maximum number of lines.
    #[arg(short = 'n', range = 1..=10_000, default = 2_000)]
    limit: u32,
    /// `utf-8`, `auto` (by the byte-order mark), or a label of the Encoding Standard.
    #[arg(default = "utf-8")]
    encoding: &str,
    /// Read bytes, as base64; any file of any size.
    binary: bool,
    /// First byte of a binary read, from 0.
    #[arg(default = 0)]
    byte_offset: u64,
    /// Maximum number of bytes of a binary read.
    #[arg(range = 1..=150_000, default = 150_000)]
    byte_limit: u32,
    /// Put its number and a tab before every line.
    line_numbers: bool,
    #[ctx] workspace: &Workspace,
) -> Result<ToolOutput, ToolError> {
    let lines = LineRange { offset, limit, line_numbers };
    let bytes = ByteRange { byte_offset, byte_limit };
    check(lines, bytes, encoding, binary)?;
    let reading = Reading::parse(encoding, workspace.limits())?;
    let path = workspace.resolve(path)?;
    let handle = workspace.file_to_read(&path)?;
    let size = handle.stat.st_size.cast_unsigned();
    let file = handle.into_reader().map_err(|errno| refusal::system(path.given(), errno))?;
    let content = Content::new(workspace, path.given(), file, size);
    let text = match binary {
        true => read_bytes(workspace, path.shown(), content, bytes)?,
        false => read_lines(workspace, path.shown(), content, lines, reading)?,
    };
    Ok(text.into())
}

#[derive(Clone, Copy)]
struct LineRange {
    offset: i64,
    limit: u32,
    line_numbers: bool,
}

#[derive(Clone, Copy)]
struct ByteRange {
    byte_offset: u64,
    byte_limit: u32,
}

/// The rules between the arguments.
fn check(lines: LineRange, bytes: ByteRange, encoding: &str, binary: bool) -> Result<(), ToolError> {
    let mut misfits = Misfits::default();
    if lines.offset == 0 {
        let expected = "integer of at least 1, or negative to count from the end";
        misfits.add(IssueCode::Range, "offset", expected, "integer 0".to_owned());
    } else {
        misfits.not_together(binary && lines.offset != OFFSET, "offset", "binary");
    }
    misfits.not_together(binary && lines.limit != LIMIT, "limit", "binary");
    if binary && encoding != ENCODING {
        misfits.add(IssueCode::Constraint, "encoding", "not together with `binary`", shown(encoding));
    }
    misfits.needs(!binary && bytes.byte_offset != 0, "byte_offset", "binary");
    misfits.needs(!binary && bytes.byte_limit != BYTE_LIMIT, "byte_limit", "binary");
    misfits.not_together(binary && lines.line_numbers, "line_numbers", "binary");
    misfits.finish()
}

fn read_bytes(
    workspace: &Workspace,
    path: String,
    mut content: Content<'_>,
    range: ByteRange,
) -> Result<FileText, ToolError> {
    let size = content.size;
    if range.byte_offset > size {
        let expected = format!("integer of at most {size}, the size of the file");
        let got = format!("integer {}", range.byte_offset);
        return Err(misfit(IssueCode::Range, "byte_offset", &expected, got));
    }
    let limits = workspace.limits();
    let length = u64::from(range.byte_limit).min(limits.max_binary_read_bytes).min(size - range.byte_offset);
    let bytes = content.range(range.byte_offset, length)?;
    let version = content.version(limits.max_read_file_bytes)?;
    let next = range.byte_offset + bytes.len() as u64;
    Ok(FileText {
        content: base64(&bytes),
        encoding: "base64".to_owned(),
        byte_offset: Some(range.byte_offset),
        byte_length: Some(bytes.len() as u64),
        truncated: next < size,
        next_byte_offset: (next < size).then_some(next),
        version,
        ..FileText::of(path, size)
    })
}

fn read_lines(
    workspace: &Workspace,
    path: String,
    content: Content<'_>,
    range: LineRange,
    reading: Reading,
) -> Result<FileText, ToolError> {
    let limits = workspace.limits();
    let given = content.path;
    let bytes = content.read(limits.max_read_file_bytes)?;
    let size = bytes.len() as u64;
    let version = version::of(&bytes);
    let decoded = reading.decode(given, bytes)?;
    let total = lines::count(&decoded.text);
    let start = first_line(range.offset, total)?;
    let bounds = Bounds {
        lines: usize::try_from(range.limit).unwrap_or(usize::MAX),
        bytes: usize::try_from(limits.max_read_bytes).unwrap_or(usize::MAX),
        numbered: range.line_numbers,
    };
    let page = lines::page(&decoded.text, start, bounds);
    Ok(FileText {
        encoding: decoded.encoding_name(),
        start_line: Some(start as u64),
        end_line: Some(page.end as u64),
        total_lines: Some(total as u64),
        truncated: page.end < total || page.line_cut,
        next_offset: (page.end < total).then_some(page.end as u64 + 1),
        line_cut: page.line_cut,
        content: page.content,
        version: Some(version),
        ..FileText::of(path, size).described(&decoded)
    })
}

/// The number of the first line, from 1; a negative offset counts from the end.
fn first_line(offset: i64, total: usize) -> Result<usize, ToolError> {
    let distance = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    if offset < 0 {
        return Ok(total.saturating_sub(distance) + 1);
    }
    if distance > total.max(1) {
        let text = format!("There is no line {distance}: the file has {total} lines.");
        return Err(ToolError::invalid_args(text)
            .code("line_out_of_range")
            .detail("total_lines", total)
            .effect(Effect::None));
    }
    Ok(distance)
}

impl FileText {
    fn of(path: String, size: u64) -> Self {
        Self {
            path,
            content: String::new(),
            encoding: String::new(),
            start_line: None,
            end_line: None,
            total_lines: None,
            byte_offset: None,
            byte_length: None,
            truncated: false,
            next_offset: None,
            next_byte_offset: None,
            line_cut: false,
            size,
            version: None,
            eol: None,
            final_newline: None,
            bom: None,
        }
    }

    fn described(self, decoded: &Decoded) -> Self {
        Self {
            eol: Some(Eol::of(&decoded.text)),
            final_newline: Some(decoded.text.ends_with('\n')),
            bom: Some(decoded.has_bom()),
            ..self
        }
    }

    /// The form for models and terminals: the content, and how to go on when there is more.
    fn text(&self) -> String {
        let mut text = self.content.clone();
        let Some(trailer) = self.trailer() else { return text };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&trailer);
        text
    }

    fn trailer(&self) -> Option<String> {
        if !self.truncated {
            return None;
        }
        if let (Some(next), Some(length)) = (self.next_byte_offset, self.byte_length) {
            let end = next.saturating_sub(1);
            let start = next - length;
            let size = self.size;
            return Some(format!("[bytes {start}-{end} of {size}; continue with byte_offset {next}]"));
        }
        let (start, end, total) = (self.start_line?, self.end_line?, self.total_lines?);
        let next = match self.next_offset {
            Some(next) => format!("continue with offset {next}"),
            None => "the line is cut; read the rest with binary = true".to_owned(),
        };
        Some(format!("[lines {start}-{end} of {total}; {next}]"))
    }
}

impl From<FileText> for ToolOutput {
    fn from(text: FileText) -> Self {
        let block = Block::text(text.text());
        ToolOutput::structured(serde_json::to_value(text).unwrap_or(Value::Null)).with_content(block)
    }
}
