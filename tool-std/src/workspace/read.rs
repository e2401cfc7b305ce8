//! A whole file in memory, as it was when it was opened: read where it will stay, piece by piece so that a call can end.

use std::fs::File;

use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use tool_core::ToolError;

use super::fault::Operation;
use super::{Workspace, WorkspacePath, refusal};

/// Bytes between two looks at the call.
const PIECE: usize = 65_536;
/// Bytes that are read at once where no more are left: a moment.
const AT_ONCE: usize = 1_048_576;

impl Workspace {
    /// The bytes of a regular file. What it grows by meanwhile is left out.
    ///
    /// # Errors
    /// Those of files.md §3 for paths; `file_too_large`, `io_error`, `cancelled`, `timeout`.
    pub fn read(&self, path: &WorkspacePath) -> Result<Vec<u8>, ToolError> {
        let handle = self.file_to_read(path)?;
        let size = handle.stat.st_size.cast_unsigned();
        let limit = self.limits().max_read_file_bytes;
        if size > limit {
            return Err(refusal::file_too_large(size, limit));
        }
        let file = handle.into_reader().map_err(|errno| refusal::system(path.given(), errno))?;
        self.read_open(path.given(), &file, size)
    }

    /// The bytes of an open file, at most as many as it had.
    pub(crate) fn read_open(&self, given: &str, file: &File, size: u64) -> Result<Vec<u8>, ToolError> {
        let size = usize::try_from(size).unwrap_or_default();
        let mut bytes = Vec::with_capacity(size);
        let faults = self.faults();
        while bytes.len() < size {
            self.check()?;
            let more = |()| read_more(file, &mut bytes, size);
            match faults.before(Operation::Read).and_then(more) {
                Ok(0) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(refusal::system(given, errno)),
            }
        }
        bytes.truncate(size);
        Ok(bytes)
    }
}

/// Reads behind what there is; the end without writing zeroes over it first.
fn read_more(file: &File, bytes: &mut Vec<u8>, size: usize) -> Result<usize, Errno> {
    let end = bytes.len();
    if size - end <= AT_ONCE {
        return rustix::io::read(file, spare_capacity(bytes));
    }
    bytes.resize(end + PIECE, 0);
    let read = rustix::io::read(file, bytes.get_mut(end..).unwrap_or_default());
    bytes.truncate(end + read.unwrap_or_default());
    read
}
