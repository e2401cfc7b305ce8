//! What may stand behind the body of a hunk. Text is never dropped in silence: what is none of these is an error.

use super::body::Role;
use super::source::{Source, Text};

/// A line behind a body, by what it means there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// The header of a hunk, well written or not.
    Hunk,
    /// Nothing.
    Blank,
    /// `-- `: a mail signature; the rest is ignored.
    Signature,
    /// Three backquotes: the end of a code block; the rest is ignored unless a patch goes on in it.
    Fence,
    /// The patch of another file.
    NextFile,
    /// A line that belongs into a body.
    Body,
    /// Anything else.
    Other,
}

/// How the patch of another file starts, besides its pair of file headers.
const NEXT_FILE: [&[u8]; 3] = [b"diff --git ", b"Index: ", b"index "];

impl Tail {
    /// What a line means behind a body; `None` at the end of the patch.
    pub(super) fn of(source: &Source<'_>, position: usize) -> Option<Self> {
        let text = source.get(position)?;
        let line = text.bare();
        Some(match line {
            [] => Tail::Blank,
            b"-- " => Tail::Signature,
            _ if line.starts_with(b"@@") => Tail::Hunk,
            _ if line.starts_with(b"```") => Tail::Fence,
            _ if NEXT_FILE.iter().any(|start| line.starts_with(start)) => Tail::NextFile,
            _ if text.is_old_name() && source.get(position + 1).is_some_and(Text::is_new_name) => {
                Tail::NextFile
            }
            _ if Role::of(text).is_some() => Tail::Body,
            _ => Tail::Other,
        })
    }

    /// Whether the line could rightly follow a body.
    pub(super) fn may_follow(self) -> bool {
        !matches!(self, Tail::Body | Tail::Other)
    }
}
