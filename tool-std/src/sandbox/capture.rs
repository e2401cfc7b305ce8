//! What is kept of one output stream: its head and its tail within a budget (sandbox.md §12).
//!
//! Pure. The result depends on the bytes alone, never on how they arrived; a cut splits no UTF-8 sequence.

use std::collections::VecDeque;

/// The longest UTF-8 sequence less its first byte: as far as a cut moves.
const MOVE: usize = 3;

/// Takes a stream and keeps at most a budget of it, and a few bytes to place the cuts.
#[derive(Clone, Debug)]
pub struct Capture {
    budget: usize,
    total: u64,
    /// The first `budget + 1` bytes.
    head: Vec<u8>,
    /// The last `⌊budget/2⌋ + 3` bytes.
    tail: VecDeque<u8>,
}

/// A stream as results show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The text, with a mark where something is left out.
    pub text: String,
    /// Bytes that were written in all.
    pub total: u64,
    /// Bytes that were left out.
    pub omitted: u64,
    /// Some of it was not UTF-8.
    pub lossy: bool,
}

impl Captured {
    /// Whether something was left out.
    pub fn truncated(&self) -> bool {
        self.omitted > 0
    }
}

impl Capture {
    /// Keeps up to `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self { budget, total: 0, head: Vec::new(), tail: VecDeque::new() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = (self.budget + 1).saturating_sub(self.head.len());
        self.head.extend(bytes.iter().take(room));
        let keep = self.tail_room();
        let last = bytes.get(bytes.len().saturating_sub(keep)..).unwrap_or_default();
        let over = (self.tail.len() + last.len()).saturating_sub(keep);
        self.tail.drain(..over);
        self.tail.extend(last);
    }

    /// Bytes that were taken so far.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The stream as it stands.
    pub fn finish(&self) -> Captured {
        if self.total <= self.budget as u64 {
            let (text, lossy) = decode(&self.head);
            return Captured { text, total: self.total, omitted: 0, lossy };
        }
        let (head, tail) = (self.kept_head(), self.kept_tail());
        let omitted = self.total - (head.len() + tail.len()) as u64;
        let ((before, lossy_before), (after, lossy_after)) = (decode(head), decode(&tail));
        Captured {
            text: format!("{before}\n[... {omitted} bytes omitted ...]\n{after}"),
            total: self.total,
            omitted,
            lossy: lossy_before || lossy_after,
        }
    }

    fn tail_room(&self) -> usize {
        self.budget / 2 + MOVE
    }

    /// The first half of the budget, cut before a sequence that it would split.
    fn kept_head(&self) -> &[u8] {
        let cut = self.budget.div_ceil(2);
        let back = split_sequence(&self.head, cut).map_or(0, |split| split.before);
        self.head.get(..cut - back).unwrap_or_default()
    }

    /// The last half of the budget, cut behind a sequence that it would split.
    fn kept_tail(&self) -> Vec<u8> {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let cut = tail.len().saturating_sub(self.budget / 2);
        let forward = split_sequence(&tail, cut).map_or(0, |split| split.after);
        tail.get(cut + forward..).unwrap_or_default().to_vec()
    }
}

/// The bytes of a sequence on either side of a cut.
struct Split {
    before: usize,
    after: usize,
}

/// The UTF-8 sequence that a cut before `bytes[cut]` would split, told by lead and continuation bytes.
fn split_sequence(bytes: &[u8], cut: usize) -> Option<Split> {
    let (left, right) = bytes.split_at_checked(cut)?;
    let before = left.iter().rev().take(MOVE).position(|byte| !is_continuation(*byte))? + 1;
    let length = sequence_length(*left.get(cut - before)?);
    let after =
        right.iter().take(length.saturating_sub(before)).take_while(|byte| is_continuation(**byte)).count();
    (after > 0).then_some(Split { before, after })
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn sequence_length(lead: u8) -> usize {
    match lead.leading_ones() {
        length @ 2..=4 => length as usize,
        _ => 1,
    }
}

fn decode(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn capture(chunks: &[&[u8]], budget: usize) -> Captured {
        let mut capture = Capture::new(budget);
        chunks.iter().for_each(|chunk| capture.push(chunk));
        capture.finish()
    }

    #[test]
    fn what_fits_is_whole_and_one_byte_more_is_cut() {
        assert_eq!(capture(&[b"abc"], 3).text, "abc");
        let cut = capture(&[b"abcdef"], 3);
        assert_eq!((cut.text.as_str(), cut.omitted), ("ab\n[... 3 bytes omitted ...]\nf", 3));
    }

    #[test]
    fn no_cut_splits_a_sequence() {
        let cut = capture(&["あいう".as_bytes()], 7);
        assert_eq!((cut.text.as_str(), cut.lossy), ("あ\n[... 3 bytes omitted ...]\nう", false));
        assert_eq!(capture(&[b"\xf0\x9f", b"\x98\x80"], 3).text, "\n[... 4 bytes omitted ...]\n");
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_replacements_and_said_to_be_lossy() {
        let seen = capture(&[b"abc\xe2\x82"], 10);
        assert_eq!((seen.text.as_str(), seen.lossy), ("abc\u{fffd}", true));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(tool_trials::cases()))]

        #[test]
        fn the_text_does_not_depend_on_the_chunks_and_the_sums_hold(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0x80_u8..0xc0, Just(0xe2), Just(b'a')], 0..80),
            cuts in prop::collection::vec(0_usize..80, 0..6),
            budget in 1_usize..40,
        ) {
            let whole = capture(&[&bytes], budget);
            let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            ends.sort_unstable();
            let mut pieces = Vec::new();
            let mut start = 0;
            for end in ends {
                pieces.push(&bytes[start..end]);
                start = end;
            }
            pieces.push(&bytes[start..]);
            prop_assert_eq!(&capture(&pieces, budget), &whole);
            prop_assert_eq!(whole.total, bytes.len() as u64);
            let mut kept = Capture::new(budget);
            kept.push(&bytes);
            if whole.truncated() {
                let sum = kept.kept_head().len() + kept.kept_tail().len();
                prop_assert_eq!(sum as u64 + whole.omitted, whole.total);
                prop_assert!(sum <= budget && sum + 2 * MOVE >= budget);
            } else {
                prop_assert!(bytes.len() <= budget);
            }
        }

        #[test]
        fn text_stays_text_wherever_it_is_cut(text in "\\PC{0,60}", budget in 1_usize..60) {
            prop_assert!(!capture(&[text.as_bytes()], budget).lossy);
        }
    }
}
