//! Resolving without `openat2`: `cap-std` walks the components and keeps to the root, with the kernel's answers.

use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// The root as `cap-std` sees it.
#[derive(Debug)]
pub(crate) struct Root(Dir);

impl Root {
    /// A second handle of the root.
    pub(crate) fn new(root: BorrowedFd<'_>) -> Result<Self, Errno> {
        let root = rustix::io::fcntl_dupfd_cloexec(root, 0)?;
        Ok(Self(Dir::from_std_file(File::from(root))))
    }

    /// An `O_PATH` handle, links followed as long as they stay beneath the root.
    pub(crate) fn resolve(&self, path: &Path) -> Result<OwnedFd, Errno> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(OFlags::PATH.bits().cast_signed());
        match self.0.open_with(path, &options) {
            Ok(file) => Ok(file.into_std().into()),
            Err(error) => Err(errno(&error)),
        }
    }
}

/// `cap-std` reports an escape as a refusal without an error number; the kernel says `EXDEV`.
fn errno(error: &io::Error) -> Errno {
    match Errno::from_io_error(error) {
        Some(errno) => errno,
        None if error.kind() == io::ErrorKind::PermissionDenied => Errno::XDEV,
        None => Errno::IO,
    }
}
