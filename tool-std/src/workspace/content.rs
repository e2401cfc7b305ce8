//! The content of a file copied into another, piece by piece, with its permission bits.

use std::fs::File;
use std::io::Read;

use rustix::fs::{Mode, Stat, fchmod};
use tool_core::ToolError;

use super::fault::Operation;
use super::{Workspace, refusal};

/// Bytes between two looks at the call.
const PIECE: usize = 65_536;
/// Bits of a mode that a copy keeps; those that give rights away are not copied.
const COPIED_BITS: u32 = 0o777;

impl Workspace {
    /// Copies a file into a new one and says how many bytes it has.
    ///
    /// # Errors
    /// `file_too_large` above the limit of one copy, even if the file grows; `disk_full`, `io_error`.
    pub(crate) fn copy_content(
        &self,
        given: &str,
        mut source: File,
        stat: &Stat,
        copy: &File,
    ) -> Result<u64, ToolError> {
        let failed = |error: std::io::Error| refusal::io(given, &error);
        let limit = self.limits().copy_bytes;
        let faults = self.faults();
        let mut buffer = vec![0; PIECE];
        let mut bytes = 0;
        loop {
            self.check()?;
            let more = |()| source.read(&mut buffer);
            let read = match faults.before(Operation::Read).map_err(Into::into).and_then(more) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failed(error)),
            };
            bytes += read as u64;
            if bytes > limit {
                return Err(refusal::file_too_large(bytes, limit));
            }
            faults.write(copy, buffer.get(..read).unwrap_or_default()).map_err(failed)?;
        }
        faults
            .before(Operation::SetMode)
            .and_then(|()| fchmod(copy, Mode::from_raw_mode(stat.st_mode & COPIED_BITS)))
            .map_err(|errno| refusal::system(given, errno))?;
        Ok(bytes)
    }
}
