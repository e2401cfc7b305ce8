//! From the text of a patch to its hunks. Nothing is guessed: what is not a unified diff of one file is refused with its
//! line. (Source: files.md §7, rules 1–7; the refusals of rule 6 and 7 are in [`super::order`].)

use tool_core::ToolError;

use super::body::Hunk;
use super::ends::Ends;
use super::header::Header;
use super::name::Name;
use super::order;
use super::source::{Source, Text};
use super::tail::Tail;
use crate::edit::refusal;
use crate::limits::Limits;

/// Lines before the first header that announce what this is not.
const UNSUPPORTED: [&[u8]; 14] = [
    b"*** Begin Patch",
    b"*** Update File",
    b"*** Add File",
    b"*** Delete File",
    b"GIT binary patch",
    b"Binary files ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
    b"new file mode ",
    b"deleted file mode ",
    b"old mode ",
    b"new mode ",
];

/// A patch of one file.
#[derive(Debug)]
pub(super) struct Patch<'a> {
    pub(super) names: Vec<Name>,
    pub(super) hunks: Vec<Hunk<'a>>,
    pub(super) ends: Ends,
}

impl Patch<'_> {
    /// Whether the new file ends with a newline, where the patch says so.
    pub(super) fn final_newline(&self) -> Option<bool> {
        let marked = self.hunks.last()?.lines.iter().filter(|line| line.mark.is_some());
        let mut marked = marked.map(|line| line.role.is_new()).peekable();
        marked.peek()?;
        Some(!marked.any(|is_new| is_new))
    }
}

/// Reads a patch.
pub(super) fn parse<'a>(patch: &'a [u8], limits: &Limits) -> Result<Patch<'a>, ToolError> {
    let mut source = Source::new(patch, limits.echo_chars);
    skip_preamble(&mut source)?;
    let names = file_headers(&mut source)?;
    let mut hunks = Vec::new();
    loop {
        if hunks.len() as u64 == limits.max_hunks {
            return Err(refusal::too_many_hunks(patch, limits.max_hunks));
        }
        let hunk = hunk(&mut source, hunks.len() + 1)?;
        let goes_on = goes_on(&mut source, &hunk)?;
        hunks.push(hunk);
        if !goes_on {
            break;
        }
    }
    order::check(&hunks)?;
    let ends = Ends::of(&hunks);
    Ok(Patch { names, hunks, ends })
}

/// Skips what stands before the first header: prose, a code fence, the lines of `git diff`.
fn skip_preamble(source: &mut Source<'_>) -> Result<(), ToolError> {
    while let Some(text) = source.peek() {
        if text.is_old_name() || text.is_new_name() || text.bytes.starts_with(b"@@") {
            return Ok(());
        }
        if UNSUPPORTED.iter().any(|start| text.bytes.starts_with(start)) {
            return Err(unsupported(text));
        }
        source.advance();
    }
    Err(empty())
}

/// The optional pair of file headers, with a hunk right behind it.
fn file_headers(source: &mut Source<'_>) -> Result<Vec<Name>, ToolError> {
    let Some(old) = source.peek().filter(|text| !text.bytes.starts_with(b"@@")) else {
        return Ok(Vec::new());
    };
    source.advance();
    let new = match source.peek() {
        Some(new) if old.is_old_name() && new.is_new_name() => new,
        _ => {
            return Err(misfit(old, "is not a pair of file headers")
                .hint("write `--- a/NAME` and then `+++ b/NAME`, or neither"));
        }
    };
    source.advance();
    let names = vec![Name::read(old)?, Name::read(new)?];
    if names.last().is_some_and(Name::is_dev_null) {
        return Err(unsupported(new).hint("use delete_file"));
    }
    match source.peek() {
        _ if source.is_rest_blank() => Err(empty()),
        None => Err(empty()),
        Some(text) if text.bytes.starts_with(b"@@") => Ok(names),
        Some(text) => Err(misfit(text, "stands between the file headers and the first hunk")),
    }
}

fn hunk<'a>(source: &mut Source<'a>, number: usize) -> Result<Hunk<'a>, ToolError> {
    let Some(text) = source.peek() else { return Err(empty()) };
    let Some(header) = Header::read(text.bare()) else {
        return Err(misfit(text, "is not the header of a hunk")
            .hint("write `@@ -START,COUNT +START,COUNT @@` with the line numbers of the file")
            .detail("hunk", number));
    };
    source.advance();
    Hunk::read(source, number, text.number, header)
}

/// Looks at what follows a body: whether there is another hunk.
fn goes_on(source: &mut Source<'_>, hunk: &Hunk<'_>) -> Result<bool, ToolError> {
    while let Some(text) = source.peek() {
        match Tail::of(source, source.position()) {
            Some(Tail::Hunk) => return Ok(true),
            Some(Tail::Blank) => source.advance(),
            Some(Tail::Signature) | None => return Ok(false),
            Some(Tail::Fence) => return nothing_behind_fence(source),
            Some(Tail::NextFile) => return Err(multiple_files(text)),
            Some(Tail::Body) => return Err(hunk.count_mismatch(source)),
            Some(Tail::Other) => return Err(misfit(text, "follows a hunk and is no part of a patch")),
        }
    }
    Ok(false)
}

fn nothing_behind_fence(source: &mut Source<'_>) -> Result<bool, ToolError> {
    while let Some(text) = source.peek() {
        if text.is_old_name() || text.bytes.starts_with(b"@@") {
            return Err(multiple_files(text));
        }
        source.advance();
    }
    Ok(false)
}

fn empty() -> ToolError {
    refusal::invalid("patch_empty", "The patch has no hunk.")
        .hint("a hunk is `@@ -START,COUNT +START,COUNT @@` and lines that start with a space, `-` or `+`")
}

fn misfit(text: Text<'_>, why: &str) -> ToolError {
    let message = format!("Line {} of the patch {why}", text.number);
    refusal::quoting("patch_invalid", message, &text.quoted()).detail("line", text.number)
}

fn unsupported(text: Text<'_>) -> ToolError {
    let message = format!("Line {} of the patch is not supported", text.number);
    refusal::quoting("patch_unsupported", message, &text.quoted())
        .hint("only the unified diff of an existing text file is applied")
        .detail("line", text.number)
}

fn multiple_files(text: Text<'_>) -> ToolError {
    let message = format!("Line {} starts the patch of another file", text.number);
    refusal::quoting("patch_multiple_files", message, &text.quoted())
        .hint("send one call per file")
        .detail("line", text.number)
}
