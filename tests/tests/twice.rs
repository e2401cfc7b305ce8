//! What is written in two crates because macros cannot share code with what runs, held together here.

use std::collections::BTreeSet;

use tool_cli::globals::{self, GLOBALS};
use tool_core::def::Doc;
use tool_core::prelude::*;

#[path = "../../tool-macros/src/check/reserved.rs"]
#[allow(dead_code, reason = "it is the macros' own file, read as it is")]
mod reserved;

#[test]
fn the_flags_that_macros_refuse_are_those_of_the_command_line() {
    let of_macros: BTreeSet<&str> = reserved::LONG.into_iter().collect();
    let of_program: BTreeSet<&str> = GLOBALS.iter().map(|row| row.long).collect();
    assert_eq!(of_macros, of_program);
    assert_eq!(of_macros.len(), reserved::LONG.len(), "one is listed twice");
    assert!(of_macros.iter().all(|long| globals::is_reserved(long)));
    assert!(!globals::is_reserved("limit"));

    let of_macros: BTreeSet<char> = reserved::SHORT.into_iter().collect();
    let of_program: BTreeSet<char> = GLOBALS.iter().filter_map(|row| row.short).collect();
    assert_eq!(of_macros, of_program);
    assert_eq!(of_macros.len(), reserved::SHORT.len(), "one is listed twice");
    assert!(GLOBALS.iter().any(|row| row.long == reserved::DRY_RUN));
}

/// Each text as a literal comment, and as what only const evaluation knows.
macro_rules! documented {
    ($($literal:ident $raw:ident: $($line:literal)+;)+) => {
        $(
            $(#[doc = $line])+
            #[tool(register = false)]
            fn $literal() {}

            #[tool(register = false, description = concat!($($line, "\n"),+))]
            fn $raw() {}
        )+
    };
}

documented! {
    short short_raw: " Reads a file.";
    wrapped wrapped_raw: " Reads a" " text file." "" " Returns its" " lines.";
    listed listed_raw: " Reads:" " - lines" "   of text" " - a count" " 1. one" " 2) two" "" " Ends.";
    fenced fenced_raw: " Like so:" "" " ```text" " a" "   b" "" " c" " ```" " And" " on.";
    headed headed_raw: " # Heading" " Text" " goes on." " | a | b |" " > quoted" "     code";
    spaced spaced_raw: "" "  Indented.  " "" "" " Last. " "";
}

#[test]
fn a_literal_comment_and_a_constant_one_become_the_same_text() {
    let pairs = [
        (ShortTool::DEF, ShortRawTool::DEF),
        (WrappedTool::DEF, WrappedRawTool::DEF),
        (ListedTool::DEF, ListedRawTool::DEF),
        (FencedTool::DEF, FencedRawTool::DEF),
        (HeadedTool::DEF, HeadedRawTool::DEF),
        (SpacedTool::DEF, SpacedRawTool::DEF),
    ];
    for (literal, raw) in pairs {
        assert!(matches!(literal.doc, Doc::Text(_)), "{}", literal.name);
        assert!(matches!(raw.doc, Doc::Raw(_)), "{}", raw.name);
        assert_eq!(literal.doc.text(), raw.doc.text(), "{}", literal.name);
        assert_eq!(literal.summary(), raw.summary(), "{}", literal.name);
    }
    assert_eq!(WrappedTool::DEF.doc.text(), "Reads a text file.\n\nReturns its lines.");
}
