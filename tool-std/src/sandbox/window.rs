//! The last bytes of one stream of a background process, read by offset (shell.md §6).
//!
//! Pure. Reading changes nothing: the same offset gives the same text until it is dropped.

use std::collections::VecDeque;

/// The longest UTF-8 sequence less its last byte: as much of one as may have come.
const INCOMPLETE: usize = 3;

/// Takes a stream and keeps its last bytes.
#[derive(Clone, Debug)]
pub struct Window {
    room: usize,
    /// The offset of the first byte that is kept.
    start: u64,
    bytes: VecDeque<u8>,
}

/// A part of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The text.
    pub text: String,
    /// Where the next page begins.
    pub next_offset: u64,
    /// Bytes between the offset asked for and the first byte given that are kept no more.
    pub dropped_bytes: u64,
}

impl Window {
    /// Keeps the last `room` bytes.
    pub fn new(room: usize) -> Self {
        Self { room, start: 0, bytes: VecDeque::new() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let over = self.bytes.len().saturating_sub(self.room);
        self.bytes.drain(..over);
        self.start += over as u64;
    }

    /// Bytes that were taken so far.
    pub fn total(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// At most `most` bytes from an offset on. While the stream goes on, a character that has come in part is held back.
    pub fn read(&self, offset: u64, most: usize, ended: bool) -> Page {
        let from = offset.clamp(self.start, self.total());
        let skip = usize::try_from(from - self.start).unwrap_or(usize::MAX);
        let bytes: Vec<u8> = self.bytes.iter().skip(skip).take(most).copied().collect();
        let is_last = skip + bytes.len() == self.bytes.len();
        let keep = if ended && is_last { bytes.len() } else { whole_characters(&bytes) };
        let bytes = bytes.get(..keep).unwrap_or_default();
        Page {
            text: String::from_utf8_lossy(bytes).into_owned(),
            next_offset: from + bytes.len() as u64,
            dropped_bytes: from.saturating_sub(offset),
        }
    }
}

/// How many bytes there are before a sequence that is cut off at the end; all, if nothing but such a sequence came.
fn whole_characters(bytes: &[u8]) -> usize {
    let cut = |back: &usize| {
        let lead = bytes.len().checked_sub(*back).and_then(|at| bytes.get(at));
        lead.is_some_and(|lead| matches!(lead.leading_ones(), ones @ 2..=4 if ones as usize > *back))
    };
    let back = (1..=INCOMPLETE).find(cut).unwrap_or(0);
    bytes.len() - back
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_dropped_is_counted_and_what_is_kept_is_read_again() {
        let mut window = Window::new(4);
        window.push(b"abcdef");
        let page = Page { text: "cdef".to_owned(), next_offset: 6, dropped_bytes: 2 };
        assert_eq!(window.read(0, 10, false), page);
        assert_eq!(window.read(0, 10, false), page);
        assert_eq!(window.read(6, 10, false).text, "");
        assert_eq!(window.read(99, 10, false).next_offset, 6);
    }

    #[test]
    fn a_character_that_has_come_in_part_is_held_back_until_the_end() {
        let mut window = Window::new(10);
        window.push(b"a\xe2\x82");
        assert_eq!(window.read(0, 10, false).text, "a");
        assert_eq!(window.read(1, 10, true).text, "\u{fffd}");
        window.push(b"\xac");
        assert_eq!(window.read(1, 10, false).text, "€");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(tool_trials::cases()))]

        #[test]
        fn pages_joined_are_the_stream(text in "\\PC{0,40}", most in 4_usize..9) {
            let mut window = Window::new(1_000);
            window.push(text.as_bytes());
            let (mut joined, mut offset) = (String::new(), 0);
            while offset < window.total() {
                let page = window.read(offset, most, true);
                prop_assert!(page.next_offset > offset);
                joined.push_str(&page.text);
                offset = page.next_offset;
            }
            prop_assert_eq!(joined, text);
        }
    }
}
