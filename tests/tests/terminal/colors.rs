//! Colour on and off, by every row of cli.md §6.

use crate::program::DEMO;
use crate::pty::{Pty, start};

/// The head of an error in colour.
const RED: &str = "\u{1b}[1;31merror";

/// Options, variables, whether standard error is the terminal, and whether there is colour.
type Row = (&'static str, &'static [(&'static str, &'static str)], bool, bool);

const ROWS: [Row; 16] = [
    ("", &[], true, true),
    ("", &[], false, false),
    ("", &[("TERM", "dumb")], true, false),
    ("", &[("NO_COLOR", "1")], true, false),
    ("", &[("NO_COLOR", "")], true, true),
    ("", &[("CLICOLOR_FORCE", "1")], false, true),
    ("", &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true, true),
    ("", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false, false),
    ("", &[("DEMO_COLOR", "never")], true, false),
    ("", &[("DEMO_COLOR", "always")], false, true),
    ("", &[("DEMO_COLOR", "auto")], true, true),
    ("--color never", &[("DEMO_COLOR", "always")], true, false),
    ("--color never", &[("CLICOLOR_FORCE", "1")], true, false),
    ("--color always", &[], false, true),
    ("--color always", &[("NO_COLOR", "1")], false, true),
    ("--color auto", &[("DEMO_COLOR", "never")], true, true),
];

#[test]
fn colour_is_on_and_off_by_every_row() {
    for (options, env, terminal, colored) in ROWS {
        let file = tempfile::NamedTempFile::new().unwrap();
        let to = if terminal { String::new() } else { format!("2>{}", file.path().display()) };
        let run = start(&format!("{DEMO} {options} store serch {to}"), env);
        let output = Pty::kept(run);
        let text = if terminal { output } else { std::fs::read_to_string(file.path()).unwrap() };
        assert!(text.contains("unknown_command"), "{text:?}");
        assert_eq!(text.contains(RED), colored, "{options} {env:?} {terminal}: {text:?}");
        assert_eq!(text.contains('\u{1b}'), colored, "{options} {env:?} {terminal}: {text:?}");
    }
}

#[test]
fn results_have_no_colour() {
    let run = start(&format!("{DEMO} --color always math add 1 2"), &[]);
    assert_eq!(run.end(), (Some(0), vec!["a: 1.0".to_owned(), "b: 2.0".to_owned()]));
}
