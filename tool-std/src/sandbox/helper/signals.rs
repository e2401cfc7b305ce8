//! Signals of the helper's processes: a child's end as a readable descriptor, and a clean slate for the command.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::io::Errno;

use super::process::last_error;

/// The first signal that a libc keeps for itself; those below have dispositions of ours to reset.
const FIRST_RESERVED: i32 = 32;

/// Becomes readable when a child has ended.
pub(super) struct ChildEnds(OwnedFd);

impl ChildEnds {
    /// Blocks `SIGCHLD` and has it delivered here.
    pub(super) fn watch() -> Result<Self, Errno> {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: `sigemptyset` initialises the set before anything reads it; the other calls take valid pointers; the
        // descriptor that `signalfd` returns is new and owned by nobody else.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
            if libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut()) != 0 {
                return Err(last_error());
            }
            match libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                ..0 => Err(last_error()),
                fd => Ok(Self(OwnedFd::from_raw_fd(fd))),
            }
        }
    }

    /// Takes what has been delivered, so that the descriptor is quiet again.
    pub(super) fn drain(&self) {
        let mut space = [0; 512];
        while rustix::io::read(&self.0, &mut space).is_ok_and(|bytes| bytes > 0) {}
    }
}

impl AsFd for ChildEnds {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Sets every signal to its default and unblocks all.
pub(super) fn reset() {
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `signal` with `SIG_DFL` installs no handler; `sigemptyset` initialises the set before it is read.
    unsafe {
        for signal in 1..FIRST_RESERVED {
            libc::signal(signal, libc::SIG_DFL);
        }
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
    }
}
