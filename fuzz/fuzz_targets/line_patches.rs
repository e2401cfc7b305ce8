//! Arbitrary bytes as a file and line patches: nothing panics, and the lines are as many as were added and removed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_std::Limits;
use tool_std::edit::{Document, LinePatch, line_patch};

/// A patch of two bytes for the numbers and text behind them; a NUL divides content and expectation.
fn patch(bytes: &[u8]) -> Option<LinePatch> {
    let (start, rest) = bytes.split_first()?;
    let (end, text) = rest.split_first()?;
    let mut texts = text.splitn(2, |byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned());
    Some(LinePatch {
        start_line: u64::from(*start),
        end_line: u64::from(*end),
        content: texts.next().unwrap_or_default(),
        expect: texts.next(),
    })
}

fuzz_target!(|data: &[u8]| {
    let mut parts = data.split(|byte| *byte == 0xff);
    let file = parts.next().unwrap_or_default();
    let patches: Vec<LinePatch> = parts.filter_map(patch).collect();
    let Ok(edited) = line_patch::apply(file, &patches, &Limits::default()) else { return };
    assert_ne!(edited.bytes, file);
    assert_eq!(edited.excerpts.len(), patches.len());
    let (before, after) = (Document::new(file).len(), Document::new(&edited.bytes).len());
    // A blank last line of a file without final newline is no line.
    let expected = before + edited.lines_added - edited.lines_removed;
    assert!(after == expected || after + 1 == expected, "{after} lines, {expected} expected");
});
