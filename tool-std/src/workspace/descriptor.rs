//! The magic links of this program's own descriptors: an open file by its number, whatever its name is now.
//!
//! Their directory is opened once: to walk there costs more than all the rest of opening a file.

use std::ffi::CString;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::OnceLock;

use rustix::fs::{CWD, Mode, OFlags, open, openat, readlinkat};
use rustix::io::Errno;
use rustix::path::DecInt;

const DIRECTORY: &str = "/proc/self/fd";

/// Opens the file behind a descriptor once more, for another access.
pub(crate) fn reopen(fd: BorrowedFd<'_>, flags: OFlags) -> Result<OwnedFd, Errno> {
    match directory() {
        Some(directory) => openat(directory, DecInt::from_fd(fd), flags, Mode::empty()),
        None => open(in_full(fd), flags, Mode::empty()),
    }
}

/// The path of the file behind a descriptor, as the kernel tells it now.
pub(crate) fn path(fd: BorrowedFd<'_>) -> Result<CString, Errno> {
    match directory() {
        Some(directory) => readlinkat(directory, DecInt::from_fd(fd), Vec::new()),
        None => readlinkat(CWD, in_full(fd), Vec::new()),
    }
}

fn directory() -> Option<&'static OwnedFd> {
    static OPENED: OnceLock<Option<OwnedFd>> = OnceLock::new();
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    OPENED.get_or_init(|| open(DIRECTORY, flags, Mode::empty()).ok()).as_ref()
}

fn in_full(fd: BorrowedFd<'_>) -> String {
    use std::os::fd::AsRawFd;
    format!("{DIRECTORY}/{}", fd.as_raw_fd())
}
