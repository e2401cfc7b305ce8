//! Output of a running call, as it comes, for somebody who watches. The result is the same whether anybody does.

use crate::context::ToolContext;

/// Which stream a piece belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// A piece of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Where it was written.
    pub stream: OutputStream,
    /// The text, cut between code points.
    pub text: &'a str,
    /// Its bytes, as they were written.
    pub bytes: u64,
    /// The bytes in front of it that nobody got, because more came than is passed on.
    pub skipped_bytes: u64,
}

/// Receives the output of calls. It must not block.
pub trait LiveSink: Send + Sync {
    /// Takes one piece of a call's output.
    fn show(&self, ctx: &ToolContext, piece: Piece<'_>);
}
