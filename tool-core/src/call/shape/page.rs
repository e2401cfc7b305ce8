//! Cutting a text into pages that give it back, byte for byte, when they are joined.

/// Characters of a page at most.
pub(super) const PAGE: usize = 8_000;

/// The pages of a text: cut behind the last line end within the last fifth, else between characters; never inside a CRLF.
pub(super) fn pages(text: &str) -> Vec<&str> {
    let mut pages = Vec::new();
    let mut rest = text;
    loop {
        let (page, after) = rest.split_at(cut(rest));
        pages.push(page);
        if after.is_empty() {
            return pages;
        }
        rest = after;
    }
}

/// Where the first page of a text ends, in bytes.
fn cut(text: &str) -> usize {
    let end = byte_of(text, PAGE);
    if end == text.len() {
        return end;
    }
    let fifth = byte_of(text, PAGE - PAGE / 5);
    let line_end = text.get(fifth..end).and_then(|last| last.rfind('\n'));
    match line_end {
        Some(at) => fifth + at + 1,
        // A page that would end between CR and LF ends in front of both.
        None if text.get(..end).is_some_and(|page| page.ends_with('\r')) && rest_is_lf(text, end) => end - 1,
        None => end,
    }
}

fn rest_is_lf(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with('\n'))
}

/// The byte behind so many characters.
pub(super) fn byte_of(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |found| found.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(tool_trials::cases()))]

        #[test]
        fn pages_joined_are_the_text(pieces in prop::collection::vec(("[a-z\u{e9}\u{1f600}]{0,40}|\r\n|\n|\r", 1usize..60), 0..40)) {
            let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
            let pages = pages(&text);
            prop_assert_eq!(pages.concat(), text.clone());
            for (i, page) in pages.iter().enumerate() {
                prop_assert!(page.chars().count() <= PAGE);
                let split = page.ends_with('\r') && pages.get(i + 1).is_some_and(|next| next.starts_with('\n'));
                prop_assert!(!split, "a CRLF is cut");
            }
        }
    }

    #[test]
    fn a_page_ends_with_a_line_where_one_ends_in_its_last_fifth() {
        let late = format!("{}\n{}", "x".repeat(7_000), "y".repeat(5_000));
        assert_eq!(pages(&late)[0].len(), 7_001);
        let early = format!("{}\n{}", "x".repeat(6_000), "y".repeat(5_000));
        assert_eq!(pages(&early)[0].len(), 8_000);
        let crlf = format!("{}\r\n{}", "x".repeat(7_999), "y".repeat(10));
        assert_eq!(pages(&crlf)[0].len(), 7_999);
        let lone = format!("{}\r{}", "x".repeat(7_999), "y".repeat(10));
        assert_eq!(pages(&lone)[0].len(), 8_000);
    }
}
