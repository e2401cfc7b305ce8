//! A text on its way out: what was written for it, and in between parts of texts that many have, which nobody copies.

use std::io::IoSlice;

use crate::listing::Shared;

/// The most pieces that are written at once.
pub(super) const PIECES: usize = 16;

/// What is shorter is copied: each piece costs more than so many bytes.
const COPIED_BYTES: usize = 4 * 1024;

/// A text on its way out.
#[derive(Default)]
pub(super) struct Text {
    own: Vec<u8>,
    /// The parts, each with where it stands in what is the text's own.
    shared: Vec<(usize, Shared)>,
    /// How long the parts are.
    shared_bytes: usize,
}

impl Text {
    /// What is the text's own, to be added to at its end.
    pub(super) fn own(&mut self) -> &mut Vec<u8> {
        &mut self.own
    }

    /// Adds a part at the end.
    pub(super) fn share(&mut self, part: Shared) {
        let bytes = part.as_bytes();
        if bytes.len() < COPIED_BYTES {
            self.own.extend_from_slice(bytes);
            return;
        }
        self.shared_bytes += bytes.len();
        self.shared.push((self.own.len(), part));
    }

    pub(super) fn len(&self) -> usize {
        self.own.len() + self.shared_bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pieces behind so many bytes, as far as there is room for them; how many that are.
    pub(super) fn behind<'t>(&'t self, mut skipped: usize, pieces: &mut [IoSlice<'t>; PIECES]) -> usize {
        let mut room = pieces.iter_mut();
        let mut count = 0;
        let mut put = |piece: &'t [u8]| {
            let rest = piece.get(skipped..).unwrap_or_default();
            skipped = skipped.saturating_sub(piece.len());
            if !rest.is_empty()
                && let Some(place) = room.next()
            {
                *place = IoSlice::new(rest);
                count += 1;
            }
        };
        let mut from = 0;
        for (at, part) in &self.shared {
            put(self.own.get(from..*at).unwrap_or_default());
            put(part.as_bytes());
            from = *at;
        }
        put(self.own.get(from..).unwrap_or_default());
        count
    }

    /// Forgets the text, and memory beyond so many bytes.
    pub(super) fn clear(&mut self, kept: usize) {
        self.own.clear();
        self.own.shrink_to(kept);
        self.shared.clear();
        self.shared_bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_behind_any_byte_are_the_rest_of_the_text() {
        let long = "y".repeat(COPIED_BYTES);
        let shared = |text: &str, part: std::ops::Range<usize>| Shared { whole: text.into(), part };
        let mut text = Text::default();
        assert!(text.is_empty());
        text.own().extend_from_slice(b"head");
        text.share(shared(&format!("x{long}x"), 1..1 + COPIED_BYTES));
        text.share(shared(&long, 0..COPIED_BYTES));
        text.own().extend_from_slice(b"tail");
        text.share(shared("short", 1..3));
        let whole = format!("head{long}{long}tailho");
        assert_eq!((text.len(), text.shared.len()), (whole.len(), 2), "what is short is copied");
        for skipped in (0..8).chain(COPIED_BYTES..COPIED_BYTES + 8).chain(whole.len() - 8..whole.len() + 8) {
            let mut pieces = [IoSlice::new(&[]); PIECES];
            let count = text.behind(skipped, &mut pieces);
            let rest: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_vec()).collect();
            assert_eq!(rest, whole.as_bytes().get(skipped..).unwrap_or_default(), "{skipped}");
            assert!(pieces.iter().take(count).all(|piece| !piece.is_empty()));
        }
        text.clear(0);
        assert!(text.is_empty() && text.own.capacity() == 0);
    }
}
