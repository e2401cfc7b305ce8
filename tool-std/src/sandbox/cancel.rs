//! How a caller reaches the thread that supervises its command: an event that the thread waits for beside its pipes.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{EventfdFlags, eventfd};
use tokio::sync::Notify;

/// What is added to the counter of a [`Cancel`]: asking many times never adds up to one kill.
const ASK: u64 = 1;
pub(super) const KILL: u64 = 1 << 32;

/// Tells a running command that its caller went away.
#[derive(Debug)]
pub(super) struct Cancel {
    /// For the thread that waits beside pipes.
    pub(super) event: OwnedFd,
    /// For a command that only a test performs.
    told: Notify,
}

impl Cancel {
    pub(super) fn new() -> io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { event, told: Notify::new() })
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
        let _ = rustix::io::write(&self.event, &count.to_ne_bytes());
        self.told.notify_one();
    }

    /// Completes when something was asked for.
    pub(super) async fn told(&self) {
        self.told.notified().await;
    }

    /// Completes when the command is to end at once.
    pub(super) async fn killed(&self) {
        while self.take() < KILL {
            self.told().await;
        }
    }

    /// What was asked for since the last look.
    pub(super) fn take(&self) -> u64 {
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.event, &mut count);
        u64::from_ne_bytes(count)
    }
}
