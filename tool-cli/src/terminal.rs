//! The controlling terminal of the process, where a person can be asked although the standard streams are redirected.
//!
//! It reads lines itself, for its waiting must end with a signal, and echo must be on again whatever happens.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;

use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};

use crate::interrupt::Interrupt;
use crate::io::Terminal;

/// A longer line is no answer.
const LINE_MAX: usize = 4096;

/// The terminal.
#[derive(Debug)]
pub(crate) struct Controlling {
    pub(crate) device: File,
    pub(crate) interrupt: Interrupt,
}

impl Terminal for Controlling {
    fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        // What was typed before the question is no answer to it.
        tcflush(&self.device, QueueSelector::IFlush)?;
        self.device.write_all(question.as_bytes())?;
        self.line()
    }

    fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>> {
        let hidden = Hidden::start(self.device.try_clone()?)?;
        self.device.write_all(question.as_bytes())?;
        let line = self.line();
        drop(hidden);
        line
    }
}

impl Controlling {
    /// The next line without its end; `None` at the end of input.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut byte = [0];
        loop {
            if let Err(error) = self.interrupt.wait(self.device.as_fd()) {
                // The cursor stands behind the question.
                let _ = self.device.write_all(b"\n");
                return Err(error);
            }
            match (self.device.read(&mut byte)?, byte) {
                (0, _) if line.is_empty() => {
                    let _ = self.device.write_all(b"\n");
                    return Ok(None);
                }
                (0, _) | (_, [b'\n']) => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
                (_, [byte]) => line.push(byte),
            }
            if line.len() > LINE_MAX {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
    }
}

/// A terminal that does not show what is typed but the end of the line, until this is dropped.
struct Hidden {
    device: File,
    before: Termios,
}

impl Hidden {
    fn start(device: File) -> io::Result<Hidden> {
        let before = tcgetattr(&device)?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ECHO);
        modes.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(&device, OptionalActions::Flush, &modes)?;
        Ok(Hidden { device, before })
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.device, OptionalActions::Now, &self.before);
    }
}
