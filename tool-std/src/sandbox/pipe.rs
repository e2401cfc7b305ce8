//! One stream of a command as it is read: kept, followed and watched.

use std::os::fd::OwnedFd;

use rustix::io::Errno;

use super::background;
use super::capture::Capture;
use super::live::Live;
use super::supervise::Follower;

/// The reading end of a stream.
pub(super) struct Pipe {
    which: background::Stream,
    pub(super) pipe: OwnedFd,
    pub(super) kept: Capture,
    pub(super) open: bool,
}

impl Pipe {
    pub(super) fn new(which: background::Stream, pipe: OwnedFd, budget: usize) -> Self {
        Self { which, pipe, kept: Capture::new(budget), open: true }
    }

    /// Reads what is there, at most one chunk; says whether there may be more.
    pub(super) fn read(
        &mut self,
        chunk: &mut [u8],
        follower: Option<&Follower>,
        live: Option<&mut Live>,
    ) -> bool {
        match rustix::io::read(&self.pipe, &mut *chunk) {
            Ok(0) => self.open = false,
            Ok(bytes) => {
                let bytes = chunk.get(..bytes).unwrap_or_default();
                self.kept.push(bytes);
                if let Some(follower) = follower {
                    follower.progress.push(self.which, bytes);
                }
                if let Some(live) = live {
                    live.push(self.which, bytes);
                }
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.open = false,
        }
        false
    }
}
