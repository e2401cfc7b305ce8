//! Writing a target: whole, through a temporary file and a rename, or at its end (files.md §4 and §6).
//!
//! Whatever fails, the file is the old one or the new one.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr,
    fsetxattr, fstat, fsync, ftruncate, linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use tool_core::ToolError;

use super::evidence::Access;
use super::fault::Operation;
use super::target::Target;
use super::temporary::Temporary;
use super::{Handle, Workspace, refusal};

/// Bits of a mode that `chmod` sets.
const PERMISSIONS: u32 = 0o7777;
/// Bits of a mode that give the rights of the owner or group away.
const SET_ID: u32 = 0o6000;
/// Bytes of the names and of one value of a file's attributes.
const ATTRIBUTE_BYTES: usize = 65_536;

impl Workspace {
    /// Puts a content in the place of a target, at once or not at all. `last_look` may still refuse just before.
    ///
    /// # Errors
    /// `path_changed`, `already_exists`, `disk_full`, `io_error`.
    pub(crate) fn replace(
        &self,
        given: &str,
        target: &Target,
        content: &[u8],
        last_look: impl FnOnce() -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        self.replace_as(given, target, None, content, last_look)
    }

    /// The same, with the owner and the permissions that a file had; none: those of the file that is there, or of a new one.
    ///
    /// # Errors
    /// As [`Workspace::replace`].
    pub(crate) fn replace_as(
        &self,
        given: &str,
        target: &Target,
        access: Option<Access>,
        content: &[u8],
        last_look: impl FnOnce() -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let failed = |errno| refusal::system(given, errno);
        let is_new = target.existing.is_none() && access.is_none();
        let mode = if is_new { 0o666 } else { 0o600 };
        let faults = self.faults();
        let temporary = Temporary::create(faults.clone(), target.directory(), Mode::from_raw_mode(mode))
            .map_err(failed)?;
        for piece in content.chunks(65_536) {
            self.check()?;
            temporary.write(piece).map_err(|error| refusal::io(given, &error))?;
        }
        if let Some(old) = &target.existing {
            faults.before(Operation::SetMode).and_then(|()| inherit(&temporary.file, old)).map_err(failed)?;
        }
        if let Some(access) = access {
            faults
                .before(Operation::SetMode)
                .and_then(|()| grant(&temporary.file, access))
                .map_err(failed)?;
        }
        faults.before(Operation::Sync).and_then(|()| fsync(&temporary.file)).map_err(failed)?;
        last_look()?;
        faults.before(Operation::Look).map_err(failed)?;
        if !self.is_unchanged(target) {
            return Err(refusal::path_changed(given));
        }
        faults.before(Operation::Rename).and_then(|()| rename(&temporary, target)).map_err(failed)?;
        temporary.keep();
        faults.before(Operation::SyncDirectory).and_then(|()| sync_directory(target)).map_err(failed)
    }

    /// Writes at the end of an existing target, all or nothing.
    ///
    /// # Errors
    /// `hardlink_refused`, `disk_full`, `io_error`.
    pub(crate) fn append(&self, given: &str, existing: &Handle, content: &[u8]) -> Result<(), ToolError> {
        let failed = |errno| refusal::system(given, errno);
        if existing.stat.st_nlink > 1 {
            let hint = "write the whole file, which replaces this name alone, or copy it first";
            return Err(refusal::hardlink_refused(given).hint(hint));
        }
        let file = existing.reopen(OFlags::WRONLY | OFlags::APPEND).map_err(failed)?;
        let before = fstat(&file).map_err(failed)?.st_size.cast_unsigned();
        let faults = self.faults();
        let errno = match self.write_once(&file, content) {
            Ok(written) if written == content.len() => {
                match faults.before(Operation::Sync).and_then(|()| fsync(&file)) {
                    Ok(()) => return Ok(()),
                    Err(errno) => errno,
                }
            }
            Ok(_) => Errno::NOSPC,
            Err(errno) => errno,
        };
        if faults.before(Operation::Truncate).is_ok() {
            let _ = ftruncate(&file, before);
        }
        Err(failed(errno))
    }

    /// Writes what the system takes at once.
    fn write_once(&self, file: &File, content: &[u8]) -> Result<usize, Errno> {
        let taken = self.faults().taken(content)?;
        rustix::io::write(file, taken)
    }
}

/// The new file gets owner, permission bits and `user.*` attributes of the old one, where that is permitted.
fn inherit(new: &File, old: &Handle) -> Result<(), Errno> {
    grant(new, Access::of(&old.stat))?;
    if let Ok(old) = old.reopen(OFlags::RDONLY) {
        copy_attributes(new, &old);
    }
    Ok(())
}

/// Gives a file an owner, where that is permitted, and permission bits.
fn grant(file: &File, access: Access) -> Result<(), Errno> {
    let own = fstat(file)?;
    let is_same_owner = (own.st_uid, own.st_gid) == (access.user, access.group);
    let (user, group) = (Uid::from_raw(access.user), Gid::from_raw(access.group));
    let keeps_owner = is_same_owner || fchown(file, Some(user), Some(group)).is_ok();
    let bits = access.mode & PERMISSIONS & if keeps_owner { PERMISSIONS } else { !SET_ID };
    fchmod(file, Mode::from_raw_mode(bits))
}

/// Copies the `user.*` attributes; a file system that has none, or refuses one, is no error.
fn copy_attributes(new: &File, old: &File) {
    let mut names = vec![0u8; ATTRIBUTE_BYTES];
    let Ok(length) = flistxattr(old, names.as_mut_slice()) else { return };
    let mut value = vec![0u8; ATTRIBUTE_BYTES];
    for name in names.get(..length).unwrap_or_default().split(|byte| *byte == 0) {
        if !name.starts_with(b"user.") {
            continue;
        }
        if let Ok(length) = fgetxattr(old, name, value.as_mut_slice()) {
            let _ = fsetxattr(new, name, value.get(..length).unwrap_or_default(), XattrFlags::empty());
        }
    }
}

/// Gives the temporary file the target's name; a name that was free must still be.
fn rename(temporary: &Temporary<'_>, target: &Target) -> Result<(), Errno> {
    let (directory, from, to) = (target.directory(), temporary.name(), target.name.as_slice());
    if target.existing.is_some() {
        return renameat(directory, from, directory, to);
    }
    match renameat_with(directory, from, directory, to, RenameFlags::NOREPLACE) {
        // A file system that does not know the flag.
        Err(Errno::INVAL | Errno::NOSYS) => {
            linkat(directory, from, directory, to, AtFlags::empty())?;
            unlinkat(directory, from, AtFlags::empty())
        }
        other => other,
    }
}

fn sync_directory(target: &Target) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = openat(target.directory().as_fd(), ".", flags, Mode::empty())?;
    fsync(open)
}
