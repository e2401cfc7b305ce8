//! Questions at the controlling terminal: consent and secrets.

use crate::program::{DEMO, PATIENT};
use crate::pty::start;

/// The question of cli.md §13.
const QUESTION: &str = "anything else = no: ";

#[test]
fn the_prompt_works_with_standard_input_from_a_pipe() {
    for (answer, code, last) in [
        ("n", 5, "error[approval_denied]: store_delete was not approved."),
        ("", 5, "error[approval_denied]: store_delete was not approved."),
        ("yes", 5, "error[approval_denied]: store_delete was not approved."),
        ("y", 0, "deleted: 1"),
        ("a", 0, "deleted: 1"),
    ] {
        let mut run = start(&format!("printf 'y\\ny\\n' | {DEMO} store delete 42 --cascade"), &[]);
        run.expect(QUESTION);
        run.send(&format!("{answer}\r"));
        let expected = [
            "'demo store delete' is destructive. The agent operator wants to run it with:",
            "  id       42",
            "  cascade  true",
            &format!("Run it? y = once, a = always for these arguments, {QUESTION}{answer}"),
            last,
        ]
        .map(|line| line.trim_end().to_owned());
        assert_eq!(run.end(), (Some(code), expected.to_vec()), "{answer}");
    }
}

#[test]
fn without_a_person_nothing_destructive_runs() {
    for line in [
        format!("{DEMO} store delete 42 --no-input"),
        format!("{DEMO} store delete 42 2>/dev/null"),
        format!("setsid --wait {DEMO} store delete 42"),
    ] {
        let (code, screen) = start(&line, &[]).end();
        assert_eq!(code, Some(5), "{line}: {screen:?}");
    }
    assert_eq!(start(&format!("setsid --wait {DEMO} store delete 42 --yes"), &[]).end().0, Some(0));
}

#[test]
fn a_prompt_shows_escapes_as_text_and_no_secret() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "hunter2hunter2\n").unwrap();
    let line = format!("{PATIENT} remove \"$(printf '\\033[2Jx')\" --token-file {}", file.path().display());
    let mut run = start(&line, &[]);
    run.expect(QUESTION);
    run.send("y\r");
    let text = run.kept();
    assert!(text.contains("names  [\"\\u001b[2Jx\"]\r\n  token  \"***\"\r\n"), "{text:?}");
    assert!(!text.contains("\u{1b}[2J") && !text.contains("hunter2"), "{text:?}");
    assert!(text.ends_with("1\r\n"), "{text:?}");
}

#[test]
fn a_secret_is_asked_for_without_showing_what_is_typed() {
    let mut run = start(&format!("printf 'x' | {PATIENT} login; stty -a"), &[]);
    run.expect("password: ");
    run.send("hunter2\r");
    let text = run.kept();
    assert!(!text.contains("hunter2"), "{text:?}");
    assert!(text.starts_with("password: \r\n7\r\n"), "{text:?}");
    assert!(text.contains(" echo "), "it is shown again: {text:?}");
}

#[test]
fn a_secret_that_is_read_from_the_terminal_is_not_shown_either() {
    let mut run = start(&format!("{PATIENT} login --password-file -"), &[]);
    run.expect("password: ");
    run.send("hunter2\r");
    let text = run.kept();
    assert_eq!(text, "password: \r\n7\r\n");
    // From a pipe it comes as it is.
    let run = start(&format!("printf 'hunter2\\n' | {PATIENT} login --password-file -"), &[]);
    assert_eq!(run.kept(), "7\r\n");
    let (code, screen) = start(&format!("{PATIENT} login --password-file - --no-input"), &[]).end();
    assert_eq!(code, Some(2), "{screen:?}");
}

#[test]
fn no_secret_is_asked_for_where_nobody_may_be() {
    let (code, screen) = start(&format!("{PATIENT} login --no-input"), &[]).end();
    assert_eq!(code, Some(2), "{screen:?}");
}
