//! Arbitrary bytes as a file and a patch: nothing panics, and what is applied is what the hunks report.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_std::Limits;
use tool_std::edit::{Document, Line, unified};

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let file = parts.next().unwrap_or_default();
    let patch = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let Ok(edited) = unified::apply(file, &patch, "f", &Limits::default()) else { return };
    assert_ne!(edited.bytes, file);
    let (before, after) = (Document::new(file), Document::new(&edited.bytes));
    let (mut old, mut new) = (0, 0);
    for hunk in &edited.hunks {
        assert!(hunk.old_start + hunk.old_lines <= before.len() + 1);
        let above = hunk.old_start.saturating_sub(old + 1);
        for line in 0..above {
            let text = |document: &Document<'_>, at| document.line(at).map(Line::text).map(<[u8]>::to_vec);
            assert_eq!(text(&before, old + line), text(&after, new + line));
        }
        (old, new) = (hunk.old_start - 1 + hunk.old_lines, hunk.new_start - 1 + hunk.new_lines);
    }
});
