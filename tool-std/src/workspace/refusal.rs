//! The errors of the file tools: each code of files.md §3 with its exact text, in one place.
//!
//! Every function takes the path as the caller gave it, cut already to the limit `echo_chars`: a
//! [`WorkspacePath`](super::WorkspacePath) is made so, and [`echo`] cuts the rest. A failing call of this group has changed nothing, so each error says [`Effect::None`].

use rustix::fs::FileType;
use rustix::io::Errno;
use tool_core::{Effect, ErrorKind, ToolError};

/// The first characters of something that a caller sent, as many as the limit `echo_chars` says.
pub(crate) fn echo(text: &str, most: u64) -> &str {
    match text.char_indices().nth(usize::try_from(most).unwrap_or(usize::MAX)) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

fn refusal(kind: ErrorKind, code: &'static str, message: String) -> ToolError {
    ToolError::new(kind, message).code(code).effect(Effect::None)
}

pub(crate) fn path_invalid(path: &str, why: &str) -> ToolError {
    refusal(ErrorKind::InvalidArgs, "path_invalid", format!("{} is not a valid path: {why}.", path))
}

pub(crate) fn path_too_long(path: &str, bytes: usize, limit: usize) -> ToolError {
    let message = format!("{} is too long ({bytes} bytes; the limit is {limit}).", path);
    refusal(ErrorKind::InvalidArgs, "path_too_long", message)
}

pub(crate) fn path_escape(path: &str) -> ToolError {
    refusal(ErrorKind::Denied, "path_escape", format!("{} is outside the workspace.", path))
}

pub(crate) fn absolute_link(path: &str) -> ToolError {
    path_escape(path).hint("absolute links are not followed; make it relative")
}

pub(crate) fn protected_path(path: &str) -> ToolError {
    refusal(ErrorKind::Denied, "protected_path", format!("{} is a protected path.", path))
}

pub(crate) fn mount_refused(path: &str) -> ToolError {
    refusal(ErrorKind::Denied, "mount_refused", format!("{} lies on another mount.", path))
        .hint("the workspace does not reach below mount points")
}

pub(crate) fn hardlink_refused(path: &str) -> ToolError {
    refusal(ErrorKind::Denied, "hardlink_refused", format!("{} has more than one name.", path))
}

pub(crate) fn permission_denied(path: &str) -> ToolError {
    refusal(ErrorKind::Denied, "permission_denied", format!("{} does not permit this.", path))
}

pub(crate) fn effect_not_declared() -> ToolError {
    let message = "A tool that declares no side effect tried to change a file.".to_owned();
    refusal(ErrorKind::Denied, "effect_not_declared", message)
}

pub(crate) fn quota_exceeded(what: &str, used: u64, wanted: u64, limit: u64) -> ToolError {
    let message =
        format!("The workspace is full ({used} {what} used, {wanted} more wanted; the limit is {limit}).");
    refusal(ErrorKind::Denied, "quota_exceeded", message)
        .detail("used", used)
        .detail("wanted", wanted)
        .detail("limit", limit)
}

pub(crate) fn path_not_found(path: &str) -> ToolError {
    refusal(ErrorKind::NotFound, "path_not_found", format!("{} does not exist.", path))
}

pub(crate) fn workspace_missing(root: &str) -> ToolError {
    refusal(ErrorKind::NotFound, "workspace_missing", format!("The workspace {} does not exist.", root))
}

pub(crate) fn already_exists(path: &str) -> ToolError {
    refusal(ErrorKind::Conflict, "already_exists", format!("{} exists already.", path))
}

pub(crate) fn version_mismatch(path: &str, expected: &str, found: Option<&str>) -> ToolError {
    let shown = found.unwrap_or("no file");
    let message = format!("{} changed: expected version {}, found {shown}.", path, expected);
    refusal(ErrorKind::Conflict, "version_mismatch", message)
        .hint("read it again and repeat the change")
        .detail("version", found.map(str::to_owned))
}

pub(crate) fn path_changed(path: &str) -> ToolError {
    refusal(ErrorKind::Conflict, "path_changed", format!("{} changed while it was opened.", path))
        .hint("try again")
}

pub(crate) fn is_a_directory(path: &str) -> ToolError {
    refusal(ErrorKind::Failed, "is_a_directory", format!("{} is a directory.", path))
}

pub(crate) fn not_a_directory(path: &str) -> ToolError {
    refusal(ErrorKind::Failed, "not_a_directory", format!("{} is not a directory.", path))
}

pub(crate) fn not_regular_file(path: &str, kind: FileType) -> ToolError {
    let kind = match kind {
        FileType::Fifo => "FIFO",
        FileType::Socket => "socket",
        FileType::CharacterDevice => "character device",
        FileType::BlockDevice => "block device",
        FileType::Symlink => "symbolic link",
        _ => "special file",
    };
    let message = format!("{} is not a regular file (it is a {kind}).", path);
    refusal(ErrorKind::Failed, "not_regular_file", message)
}

pub(crate) fn symlink_loop(path: &str) -> ToolError {
    refusal(ErrorKind::Failed, "symlink_loop", format!("{} leads through a loop of links.", path))
}

pub(crate) fn file_too_large(bytes: u64, limit: u64) -> ToolError {
    let message = format!("File too large ({bytes} bytes; the limit is {limit}).");
    refusal(ErrorKind::Failed, "file_too_large", message)
}

pub(crate) fn line_too_long(path: &str, limit: u64) -> ToolError {
    let message = format!("{} has a line of more than {limit} bytes.", path);
    refusal(ErrorKind::Failed, "line_too_long", message)
}

pub(crate) fn too_many_entries(path: &str, limit: u64) -> ToolError {
    let message = format!("{} has too many entries (the limit is {limit}).", path);
    refusal(ErrorKind::Failed, "too_many_entries", message)
}

pub(crate) fn cross_device(path: &str) -> ToolError {
    refusal(ErrorKind::Failed, "cross_device", format!("{} lies on another file system.", path))
}

pub(crate) fn directory_not_empty(path: &str) -> ToolError {
    refusal(ErrorKind::Conflict, "directory_not_empty", format!("{} is not empty.", path))
}

pub(crate) fn moves_into_itself(path: &str) -> ToolError {
    refusal(ErrorKind::InvalidArgs, "moves_into_itself", format!("{} would lie in itself.", path))
}

pub(crate) fn disk_full() -> ToolError {
    refusal(ErrorKind::Failed, "disk_full", "The disk is full.".to_owned())
}

pub(crate) fn file_busy(path: &str) -> ToolError {
    refusal(ErrorKind::Unavailable, "file_busy", format!("{} is being written by another.", path))
}

/// What the kernel said, in the words of this group.
pub(crate) fn system(path: &str, errno: Errno) -> ToolError {
    match errno {
        Errno::XDEV => path_escape(path),
        Errno::LOOP => symlink_loop(path),
        Errno::NOENT => path_not_found(path),
        Errno::NOTDIR => not_a_directory(path),
        Errno::ISDIR => is_a_directory(path),
        Errno::NAMETOOLONG => path_too_long(path, path.len(), super::resolve::PATH_BYTES),
        Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::TXTBSY => permission_denied(path),
        Errno::EXIST => already_exists(path),
        Errno::NOSPC | Errno::DQUOT => disk_full(),
        Errno::AGAIN | Errno::STALE => path_changed(path),
        _ => refusal(ErrorKind::Failed, "io_error", format!("{} could not be read or written.", path))
            .source(std::io::Error::from(errno)),
    }
}

/// What a change could be undone by cannot be kept, so it is not made.
pub(crate) fn evidence(folder: &std::path::Path, error: &std::io::Error) -> ToolError {
    let told = io(&folder.display().to_string(), error);
    if told.code_str() == "disk_full" {
        return told;
    }
    let message = format!("What undoes the change cannot be kept in {}.", folder.display());
    refusal(ErrorKind::Failed, "io_error", message)
        .hint("set XDG_STATE_HOME to a writable place, or TOOLBOX_JOURNAL to off")
        .source(std::io::Error::new(error.kind(), error.to_string()))
}

/// What an I/O operation on an open file said, in the words of this group.
pub(crate) fn io(path: &str, error: &std::io::Error) -> ToolError {
    match Errno::from_io_error(error) {
        Some(errno) => system(path, errno),
        None => system(path, Errno::IO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_is_cut_to_the_echo_limit_at_a_character() {
        let path = "é".repeat(200);
        assert_eq!(echo(&path, 80), "é".repeat(80));
        assert_eq!(echo(&path, 200), path);
    }

    #[test]
    fn every_errno_of_the_opening_rules_has_its_code() {
        let rows = [
            (Errno::XDEV, "path_escape"),
            (Errno::LOOP, "symlink_loop"),
            (Errno::NOENT, "path_not_found"),
            (Errno::NOTDIR, "not_a_directory"),
            (Errno::ISDIR, "is_a_directory"),
            (Errno::NAMETOOLONG, "path_too_long"),
            (Errno::ACCESS, "permission_denied"),
            (Errno::PERM, "permission_denied"),
            (Errno::ROFS, "permission_denied"),
            (Errno::TXTBSY, "permission_denied"),
            (Errno::EXIST, "already_exists"),
            (Errno::AGAIN, "path_changed"),
            (Errno::STALE, "path_changed"),
            (Errno::NOSPC, "disk_full"),
            (Errno::DQUOT, "disk_full"),
            (Errno::IO, "io_error"),
        ];
        for (errno, code) in rows {
            assert_eq!(system("p", errno).code_str(), code);
        }
    }

    #[test]
    fn what_is_no_regular_file_is_called_by_its_kind() {
        let rows = [
            (FileType::Fifo, "FIFO"),
            (FileType::Socket, "socket"),
            (FileType::CharacterDevice, "character device"),
            (FileType::BlockDevice, "block device"),
            (FileType::Symlink, "symbolic link"),
            (FileType::Unknown, "special file"),
        ];
        for (kind, name) in rows {
            let told = not_regular_file("p", kind);
            assert_eq!(told.message(), format!("p is not a regular file (it is a {name})."));
        }
    }

    #[test]
    fn evidence_that_cannot_be_kept_says_where_it_would_be_unless_the_disk_is_full() {
        let folder = std::path::Path::new("/state");
        let refused = evidence(folder, &Errno::ACCESS.into());
        assert_eq!(refused.message(), "What undoes the change cannot be kept in /state.");
        assert_eq!((refused.code_str(), refused.kind()), ("io_error", ErrorKind::Failed));
        assert_eq!(evidence(folder, &Errno::NOSPC.into()).code_str(), "disk_full");
    }
}
