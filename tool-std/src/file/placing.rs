//! The rules for the name that something is moved or copied to, the same for both (files.md §12).

use rustix::fs::{FileType, OFlags};
use tool_core::ToolError;

use super::version;
use crate::workspace::{Destination, Handle, Relative, Seen, Workspace, WorkspacePath, refusal, shown};

/// What is moved or copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    /// Its path, without links on the way.
    pub(crate) relative: &'a Relative,
    pub(crate) file: &'a Handle,
}

/// Whether what has the name already may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overwrite {
    Allowed,
    Refused,
}

impl From<bool> for Overwrite {
    fn from(allowed: bool) -> Self {
        if allowed { Overwrite::Allowed } else { Overwrite::Refused }
    }
}

/// Where something goes, if it may.
///
/// # Errors
/// `moves_into_itself`, `already_exists`, and those of files.md §3 for paths.
pub(crate) fn place(
    workspace: &Workspace,
    placed: Placed<'_>,
    to: &WorkspacePath,
    overwrite: Overwrite,
) -> Result<Destination, ToolError> {
    let given = to.given();
    let destination = workspace.destination(to)?;
    let is_inside = placed.file.is_directory() && destination.relative.starts_with(placed.relative);
    if is_inside || destination.relative == *placed.relative {
        return Err(refusal::moves_into_itself(given));
    }
    let is_directory = destination.existing.as_ref().is_some_and(Handle::is_directory);
    if destination.is_taken && overwrite == Overwrite::Refused || is_directory && !placed.file.is_directory()
    {
        return Err(taken(placed, to, is_directory));
    }
    match &destination.existing {
        Some(existing) => permit_replacing(given, placed.file, existing)?,
        None if to.names_directory() && !placed.file.is_directory() => {
            return Err(refusal::path_invalid(given, "it names a directory and nothing is there"));
        }
        None => {}
    }
    Ok(destination)
}

/// What a destination means before something is put there, with its bytes where they can be kept.
pub(super) fn replaced(
    workspace: &Workspace,
    destination: &Destination,
) -> Result<(Option<Seen>, Option<Vec<u8>>), ToolError> {
    let Some(existing) = destination.existing.as_ref().filter(|_| workspace.is_recorded()) else {
        return Ok((None, None));
    };
    let seen = Seen::of(&existing.stat);
    if existing.kind() != FileType::RegularFile || seen.size > workspace.limits().max_edit_file_bytes {
        return Ok((Some(seen), None));
    }
    let given = destination.relative.shown();
    let open = existing.reopen(OFlags::RDONLY).map_err(|errno| refusal::system(&given, errno))?;
    let bytes = workspace.read_open(&given, &open, seen.size)?;
    Ok((Some(Seen { sha256: Some(version::digest(&bytes)), ..seen }), Some(bytes)))
}

/// The name is that of something else; of a directory, that is often a misunderstanding.
fn taken(placed: Placed<'_>, to: &WorkspacePath, is_directory: bool) -> ToolError {
    let error = refusal::already_exists(to.given());
    let name = placed.relative.name().map(shown);
    match name.filter(|_| is_directory) {
        Some(name) => error.hint(format!("to = \"{}/{name}\"", to.shown())),
        None => error.hint("use overwrite = true, or another name"),
    }
}

/// Refuses to replace what writing would not replace either, and a file by a directory.
fn permit_replacing(given: &str, new: &Handle, old: &Handle) -> Result<(), ToolError> {
    match old.kind() {
        FileType::Directory => Ok(()),
        FileType::RegularFile if new.is_directory() => Err(refusal::not_a_directory(given)),
        FileType::RegularFile if old.stat.st_mode & 0o222 == 0 => Err(refusal::permission_denied(given)),
        FileType::RegularFile => Ok(()),
        other => Err(refusal::not_regular_file(given, other)),
    }
}
