//! A file replaced whole: written beside its place and renamed, so that nobody ever reads half of it.
//!
//! What a name leads to stays what it is. Links are followed, a file keeps its mode and owner, and what is no regular file, as a
//! device, a FIFO or the standard output of this process, is written into.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

/// As many links as Linux follows (path_resolution(7)).
const LINKS: usize = 40;

/// Characters of a name that the file which is renamed to it begins with.
const NAME: usize = 32;

/// How many names are tried for the file that is renamed.
const NAMES: u32 = 1_000;

/// Writes a file in the place of what is there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What ends with a slash is a directory, which `Path` does not tell.
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let old = match fs::metadata(path) {
        Ok(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(old) if !old.is_file() => return write_into(path, bytes),
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let place = followed(path)?;
    // A link of the kernel's own, as to a file that somebody has open, need not name it.
    if old.as_ref().is_some_and(|old| !is_at(&place, old)) {
        return write_into(path, bytes);
    }
    let folder = place.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let (mut file, beside) = create_beside(&place, folder, old.is_some())?;
    let written = file
        .write_all(bytes)
        .and_then(|()| old.as_ref().map_or(Ok(()), |old| take_after(&file, old)))
        .and_then(|()| fs::rename(&beside, &place));
    written.inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

/// Writes from the beginning into what is there.
fn write_into(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).truncate(true).open(path)?.write_all(bytes)
}

/// The path that links lead to, whether or not anything is there.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&place) {
            Ok(target) => place = place.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether a file is the one at a path.
fn is_at(path: &Path, file: &Metadata) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| (found.dev(), found.ino()) == (file.dev(), file.ino()))
}

/// A new file that is called like the place, but shortly: a long name may leave no room for more. One that replaces another is
/// nobody else's until it has that one's mode.
fn create_beside(place: &Path, folder: &Path, replaces: bool) -> io::Result<(File, PathBuf)> {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(NAME).collect();
    let mode = if replaces { 0o600 } else { 0o666 };
    let mut taken = io::ErrorKind::AlreadyExists.into();
    for number in 0..NAMES {
        let beside = folder.join(format!("{name}.{}-{number}.part", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(mode).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

/// Gives a file the owner and mode of the one that it replaces.
fn take_after(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root can give a file away; anybody else's file is theirs.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}
