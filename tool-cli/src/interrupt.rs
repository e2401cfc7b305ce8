//! Waiting that a signal ends: for standard input and for the controlling terminal.
//!
//! The interrupt is the reading end of a pipe; the signal closes the writing end, and everybody who waits sees it.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

/// Ends all waiting when it is dropped.
#[derive(Debug)]
pub(crate) struct Trigger {
    _end: OwnedFd,
}

/// What ends waiting.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(Arc<OwnedFd>);

/// A trigger and what it triggers.
pub(crate) fn pair() -> io::Result<(Trigger, Interrupt)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((Trigger { _end: write }, Interrupt(Arc::new(read))))
}

impl Interrupt {
    /// Waits until something can be read.
    ///
    /// # Errors
    /// `Other` when it was interrupted: unlike `Interrupted`, no reader tries again.
    pub(crate) fn wait(&self, readable: BorrowedFd<'_>) -> io::Result<()> {
        loop {
            let mut fds = [
                PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(readable, PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
                Ok(_) => {}
            }
            let [interrupt, readable] = &fds;
            if !interrupt.revents().is_empty() {
                return Err(io::Error::other("interrupted"));
            }
            if !readable.revents().is_empty() {
                return Ok(());
            }
        }
    }
}

/// A reader whose waiting can be interrupted.
#[derive(Debug)]
pub(crate) struct Interruptible<R> {
    pub(crate) reader: R,
    pub(crate) interrupt: Interrupt,
}

impl<R: Read + AsFd> Read for Interruptible<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.interrupt.wait(self.reader.as_fd())?;
        self.reader.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::thread;

    use super::*;

    #[test]
    fn what_is_there_is_read_and_waiting_ends_with_the_trigger() {
        let (trigger, interrupt) = pair().unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        let mut reader = Interruptible { reader, interrupt };
        writer.write_all(b"typed").unwrap();
        let mut bytes = [0; 8];
        assert_eq!(reader.read(&mut bytes).unwrap(), 5);
        let waiting = thread::spawn(move || reader.read_to_end(&mut Vec::new()).unwrap_err().kind());
        drop(trigger);
        assert_eq!(waiting.join().unwrap(), io::ErrorKind::Other);
        drop(writer);
    }
}
