//! What a terminal would act upon, in notes, errors, pages and answers: shown as text, and as it is in a pipe. (cli.md §8)

use std::fs;

use crate::program::{DEMO, PATIENT};
use crate::pty::start;

/// Escape, a C1 control, a bidirectional control and delete, as a shell writes them.
const WORD: &str = "\"$(printf 'a\\033[2J\\302\\205\\342\\200\\256\\177b')\"";

/// What a terminal would act upon.
const ACTS: [&str; 4] = ["\u{1b}[2J", "\u{85}", "\u{202e}", "\u{7f}"];

#[test]
fn nothing_that_a_terminal_acts_upon_reaches_it() {
    let folder = tool_trials::directory();
    let cd = format!("cd {};", folder.path().display());
    for line in [
        // A warning behind the result, one in front of it, and a note.
        format!("{DEMO} store search lamp --select {WORD}"),
        format!("{DEMO} note old-echo x --out {WORD}"),
        // Errors for people, for programs, and in an envelope.
        format!("{DEMO} store search lamp --level {WORD}"),
        format!("{DEMO} store search lamp --level {WORD} --json"),
        format!("{DEMO} store search lamp --level {WORD} --envelope"),
        format!("{DEMO} store search lamp --level {WORD} --envelope -o yaml"),
        format!("{DEMO} {WORD} --json"),
        // Answers of a batch, and its warnings.
        format!(
            "printf '{{\"id\":\"%s\",\"tool\":\"nope\"}}\\n' {WORD} | tr -d '\\033' | {DEMO} call --jsonl -"
        ),
        format!(
            "echo '{{\"tool\":\"store_search\",\"args\":{{\"query\":\"x\"}}}}' | {DEMO} call --jsonl - --select {WORD}"
        ),
    ] {
        let text = start(&format!("{cd} {line}"), &[("DEMO_COLOR", "never")]).kept();
        for acts in ACTS {
            assert!(!text.contains(acts), "{line}: {text:?}");
        }
        assert!(text.contains("\\u{202e}"), "{line}: {text:?}");
    }
}

#[test]
fn a_pipe_gets_the_bytes() {
    let folder = tool_trials::directory();
    let file = folder.path().join("err");
    for (line, to) in [
        (format!("{DEMO} store search lamp --select {WORD}"), "2"),
        (format!("{DEMO} store search lamp --level {WORD}"), "2"),
        (format!("{DEMO} store search lamp --level {WORD} --json"), "2"),
        (format!("{DEMO} store search lamp --level {WORD} --envelope"), "1"),
    ] {
        start(&format!("{line} {to}>{}", file.display()), &[]).end();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("\u{202e}\u{7f}b"), "{line}: {text:?}");
    }
}

#[test]
fn issues_stand_in_two_columns_although_one_is_escaped() {
    let line = format!("{PATIENT} take --bod{WORD} x --nope=1 --body=a");
    let (code, screen) = start(&line, &[]).end();
    let rows: Vec<usize> = screen.iter().filter_map(|line| line.find("  unknown")).collect();
    assert_eq!(code, Some(2));
    assert!(rows.len() == 2 && rows[0] == rows[1], "{screen:?}");
}
