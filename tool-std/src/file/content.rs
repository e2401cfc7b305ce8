//! The bytes of an open file, read piece by piece so that a call can end between two of them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use tool_core::ToolError;

use super::version::Hasher;
use crate::Workspace;
use crate::workspace::refusal;

/// Bytes between two looks at the call.
const PIECE: usize = 65_536;

/// A file that was opened for reading, with the path as the caller gave it.
#[derive(Debug)]
pub(crate) struct Content<'w> {
    workspace: &'w Workspace,
    /// The path as the caller gave it.
    pub(crate) path: &'w str,
    file: File,
    /// Bytes when it was opened.
    pub(crate) size: u64,
}

impl<'w> Content<'w> {
    pub(crate) fn new(workspace: &'w Workspace, path: &'w str, file: File, size: u64) -> Self {
        Self { workspace, path, file, size }
    }

    /// The whole file as it was when it was opened; what grew since is left out.
    ///
    /// # Errors
    /// `file_too_large`, `io_error`, `cancelled`, `timeout`.
    pub(crate) fn read(self, limit: u64) -> Result<Vec<u8>, ToolError> {
        if self.size > limit {
            return Err(refusal::file_too_large(self.size, limit));
        }
        self.workspace.read_open(self.path, &self.file, self.size)
    }

    /// A range of bytes, cut at the end of the file.
    ///
    /// # Errors
    /// `io_error`, `cancelled`, `timeout`.
    pub(crate) fn range(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, ToolError> {
        let mut bytes = Vec::new();
        self.pieces(offset, length, |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }

    /// The version, or `None` for a file above the limit.
    ///
    /// # Errors
    /// `io_error`, `cancelled`, `timeout`.
    pub(crate) fn version(&mut self, limit: u64) -> Result<Option<String>, ToolError> {
        if self.size > limit {
            return Ok(None);
        }
        let mut hasher = Hasher::default();
        let size = self.size;
        self.pieces(0, size, |piece| hasher.update(piece))?;
        Ok(Some(hasher.finish()))
    }

    fn pieces(&mut self, offset: u64, length: u64, mut take: impl FnMut(&[u8])) -> Result<(), ToolError> {
        let failed = |error: std::io::Error| refusal::io(self.path, &error);
        self.file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let mut left = length;
        let mut buffer = vec![0; PIECE];
        while left > 0 {
            self.workspace.check()?;
            let room = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            let piece = buffer.get_mut(..room).unwrap_or_default();
            let read = match self.file.read(piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failed(error)),
            };
            take(piece.get(..read).unwrap_or_default());
            left -= read as u64;
        }
        Ok(())
    }
}
