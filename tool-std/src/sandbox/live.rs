//! The output of a command while it runs, passed on in few and small pieces (shell.md §5).
//!
//! Whoever watches never slows the command down: what is too much is left out and counted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_core::{LiveSink, OutputStream, Piece, ToolContext};

use super::background::Stream;

/// Both streams are passed on once in this time: at most ten pieces a second.
const ROUND: Duration = Duration::from_millis(200);

/// The largest piece.
const PIECE_BYTES: usize = 8_192;

/// Passes output on.
pub(super) struct Live {
    sink: Arc<dyn LiveSink>,
    ctx: ToolContext,
    streams: [Pending; 2],
    /// When the next round begins.
    next: Instant,
}

/// What was written and not passed on.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    skipped: u64,
}

impl Live {
    /// For the caller of a command, if somebody watches it.
    pub(super) fn of(ctx: &ToolContext) -> Option<Live> {
        let sink = ctx.live()?;
        Some(Live { sink, ctx: ctx.clone(), streams: Default::default(), next: Instant::now() })
    }

    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let [out, err] = &mut self.streams;
        let pending = if stream == Stream::Out { out } else { err };
        pending.bytes.extend_from_slice(bytes);
        let over = pending.bytes.len().saturating_sub(PIECE_BYTES);
        if over > 0 {
            pending.bytes.drain(..over);
            pending.skipped += over as u64;
        }
    }

    /// When something has to be passed on.
    pub(super) fn due(&self) -> Option<Instant> {
        self.streams.iter().any(|pending| !pending.bytes.is_empty()).then_some(self.next)
    }

    /// Passes on what is there if it is time, at the end all of it.
    pub(super) fn flush(&mut self, end: bool) {
        let now = Instant::now();
        if !end && (now < self.next || self.due().is_none()) {
            return;
        }
        self.next = now + ROUND;
        for (pending, stream) in self.streams.iter_mut().zip([OutputStream::Out, OutputStream::Err]) {
            let Some((text, bytes)) = pending.take(end) else { continue };
            let skipped_bytes = std::mem::take(&mut pending.skipped);
            self.sink.show(&self.ctx, Piece { stream, text: &text, bytes, skipped_bytes });
        }
    }
}

impl Pending {
    /// The text up to the last whole code point, at the end all of it; and its bytes.
    fn take(&mut self, end: bool) -> Option<(String, u64)> {
        if self.skipped > 0 {
            // The cut may have gone through a code point.
            let rest = self.bytes.iter().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count();
            self.bytes.drain(..rest);
            self.skipped += rest as u64;
        }
        let whole = match std::str::from_utf8(&self.bytes) {
            // The beginning of a code point whose rest has not come.
            Err(error) if !end && error.error_len().is_none() => error.valid_up_to(),
            _ => self.bytes.len(),
        };
        if whole == 0 {
            return None;
        }
        let taken: Vec<u8> = self.bytes.drain(..whole).collect();
        Some((String::from_utf8_lossy(&taken).into_owned(), whole as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_between_code_points_and_joined_give_what_was_written() {
        let mut pending = Pending::default();
        pending.bytes.extend_from_slice(&"aé😀".as_bytes()[..5]);
        assert_eq!(pending.take(false), Some(("aé".to_owned(), 3)));
        assert_eq!(pending.take(false), None);
        pending.bytes.extend_from_slice(&"😀".as_bytes()[2..]);
        assert_eq!(pending.take(false), Some(("😀".to_owned(), 4)));
        pending.bytes.push(0xf0);
        assert_eq!(pending.take(true), Some(("\u{fffd}".to_owned(), 1)));
    }

    #[test]
    fn what_is_not_text_is_shown_at_once_as_a_mark() {
        let mut pending = Pending { bytes: b"a\xffb".to_vec(), skipped: 0 };
        assert_eq!(pending.take(false), Some(("a\u{fffd}b".to_owned(), 3)));
    }

    #[test]
    fn too_much_is_left_out_and_counted() {
        struct Nobody;
        impl LiveSink for Nobody {
            fn show(&self, _: &ToolContext, _: Piece<'_>) {}
        }
        let ctx = ToolContext::builder().live(Nobody).build();
        let mut live = Live::of(&ctx).unwrap();
        live.push(Stream::Out, "é".repeat(PIECE_BYTES).as_bytes());
        live.push(Stream::Out, b"x");
        let [out, _] = &mut live.streams;
        let (text, bytes) = out.take(true).unwrap();
        assert!(text.starts_with('é') && text.ends_with("éx"));
        assert_eq!(bytes + out.skipped, 2 * PIECE_BYTES as u64 + 1);
        assert!(Live::of(&ToolContext::empty()).is_none());
    }
}
