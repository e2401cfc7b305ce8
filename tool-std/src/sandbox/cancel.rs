//! How a caller reaches the thread that supervises its command: an event that the thread waits for beside its pipes.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{EventfdFlags, eventfd};

/// What is added to the counter of a [`Cancel`]: asking many times never adds up to one kill.
const ASK: u64 = 1;
pub(super) const KILL: u64 = 1 << 32;

/// Tells a running command that its caller went away.
#[derive(Debug)]
pub(super) struct Cancel(pub(super) OwnedFd);

impl Cancel {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Asks the command to end.
    pub(super) fn cancel(&self) {
        self.write(ASK);
    }

    /// Ends the command at once.
    pub(super) fn kill(&self) {
        self.write(KILL);
    }

    fn write(&self, count: u64) {
        let _ = rustix::io::write(&self.0, &count.to_ne_bytes());
    }

    /// What was asked for since the last look.
    pub(super) fn take(&self) -> u64 {
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.0, &mut count);
        u64::from_ne_bytes(count)
    }
}
