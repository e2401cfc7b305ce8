//! The input as lines: whole ones, of a length that is allowed, whatever the pieces that they come in.

use std::io;

use memchr::memchr;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The longest message.
pub const LINE_BYTES: usize = 16 * 1024 * 1024;

/// How much is read at once.
const READ_BYTES: usize = 64 * 1024;

/// The largest line whose memory is kept for the next one.
const KEPT_BYTES: usize = 256 * 1024;

/// A stream that is read line by line.
pub(super) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is being dropped.
    dropping: bool,
}

/// What came of reading a line.
pub(super) enum Read {
    /// [`Lines::line`] is whole.
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R) -> Lines<R> {
        Lines { read: BufReader::with_capacity(READ_BYTES, read), line: Vec::new(), dropping: false }
    }

    /// The line that was read, without what surrounds its message.
    pub(super) fn line(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    /// Whether the end of a line has been read already, so that the next one need not be waited for.
    pub(super) fn is_ready(&self) -> bool {
        memchr(b'\n', self.read.buffer()).is_some()
    }

    /// Reads on until a line is whole. What was read stays in `self` when the future is dropped.
    pub(super) async fn read(&mut self) -> io::Result<Read> {
        loop {
            let ready = self.read.fill_buf().await?;
            if ready.is_empty() {
                return Ok(Read::End);
            }
            let end = memchr(b'\n', ready);
            let take = end.map_or(ready.len(), |at| at + 1);
            let fits = self.line.len() + take <= LINE_BYTES + 1;
            if !self.dropping && fits {
                self.line.extend_from_slice(ready.get(..take).unwrap_or_default());
            }
            self.read.consume(take);
            let was_dropping = self.dropping;
            if !was_dropping && !fits {
                self.line.clear();
                self.dropping = end.is_none();
                return Ok(Read::TooLong);
            }
            if end.is_some() {
                self.dropping = false;
                if !was_dropping {
                    return Ok(Read::Line);
                }
            }
        }
    }

    /// Forgets the line.
    pub(super) fn done(&mut self) {
        self.line.clear();
        self.line.shrink_to(KEPT_BYTES);
    }
}
