//! What is written in two crates because macros cannot share code with what runs, held together here.

use std::collections::BTreeSet;

use tool_cli::globals::{self, GLOBALS};
use tool_core::args::suggest;
use tool_core::def::Doc;
use tool_core::prelude::*;

#[path = "../../tool-macros/src/suggest.rs"]
mod nearest;
#[path = "../../tool-macros/src/check/reserved.rs"]
#[allow(dead_code, reason = "it is the macros' own file, read as it is")]
mod reserved;
#[path = "../../tool-macros/src/check/spelling.rs"]
#[allow(dead_code, reason = "it is the macros' own file, read as it is")]
mod spelling;

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

/// What is wrong with a name, and the right one near it.
#[test]
fn a_name_that_cannot_be_one_is_repaired_alike_by_macros_and_at_run_time() {
    let long = "a b".repeat(40);
    for name in ["2nd", "a b", "a  b", "a_ b", " a ", "-x", "größe", "a.b.c", "a--b!", "_ 2", &long] {
        let told =
            tool_core::DynTool::builder(name).description("Is.").build().map(drop).unwrap_err().to_string();
        let macros = spelling::NAME.refusal("name", name);
        let (_, right) = macros.split_once("; try ").unwrap();
        assert!(told.contains(spelling::NAME.pattern) && macros.contains(spelling::NAME.pattern), "{told}");
        assert!(told.ends_with(&format!("; try {right}")), "{told} is not {macros}");
    }
    assert!(tool_core::DynTool::builder("a_b").description("Is.").build().is_ok());
    assert!(spelling::NAME.fits("a_b"));
}

/// What of the table of `given` names is near, by the rule at run time and by the one of the macros.
#[test]
fn the_nearest_name_is_the_same_for_macros_and_at_run_time() {
    const NAMES: [&str; 14] = [
        "a",
        "ab",
        "abc",
        "path",
        "paths",
        "max_depth",
        "depth",
        "maxDepth",
        "group",
        "side_effect",
        "exactly_one",
        "Öffnen",
        "read_only",
        "",
    ];
    let given: Vec<String> = NAMES.iter().flat_map(|name| typos(name)).collect();
    let mut near = 0;
    for given in &given {
        for rotated in 0..NAMES.len() {
            let names: Vec<&str> = NAMES.iter().cycle().skip(rotated).take(NAMES.len()).copied().collect();
            let at_run_time = suggest(given, names.iter().map(|name| (*name, *name)));
            assert_eq!(nearest::nearest(given, names), at_run_time.first().copied(), "{given}");
            near += usize::from(!at_run_time.is_empty());
        }
    }
    assert!(near > 0 && near < given.len() * NAMES.len(), "{near} of {}", given.len());
}

/// A name as people misspell it: a letter less, more, other or exchanged, other words, other cases.
fn typos(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut typos =
        vec![name.to_owned(), name.to_uppercase(), name.replace('_', "-"), name.replace('_', " ")];
    typos.push(name.split('_').rev().collect::<Vec<_>>().join("_"));
    for at in 0..letters.len() {
        let with = |edit: &dyn Fn(&mut Vec<char>)| {
            let mut letters = letters.clone();
            edit(&mut letters);
            letters.into_iter().collect::<String>()
        };
        typos.push(with(&|letters| {
            letters.remove(at);
        }));
        typos.push(with(&|letters| letters.insert(at, 'x')));
        typos.push(with(&|letters| letters.iter_mut().skip(at).take(1).for_each(|letter| *letter = 'Q')));
        typos.push(with(&|letters| letters.rotate_left(at)));
    }
    typos
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
