//! Questions of a running tool at the controlling terminal.

use crate::program::{DEMO, PATIENT};
use crate::pty::{Pty, start};

const WHAT: &str = "  what: What to drink. (string): ";
const SIZE: &str = "  size (one of small, large) [default: small]: ";
const COUNT: &str = "  count (integer 1..=9) [optional]: ";
const SURE: &str = "y = yes, anything else = no: ";

/// Types an answer to each question once it is there.
fn talk(run: &mut Pty, lines: &[(&str, &str)]) {
    for (seen, (question, answer)) in lines.iter().enumerate() {
        let shown = |run: &Pty| run.text().matches(question).count();
        let before = lines[..seen].iter().filter(|line| line.0 == *question).count();
        crate::program::until(question, || shown(run) > before);
        run.send(&format!("{answer}\r"));
    }
}

#[test]
fn a_tool_asks_field_by_field_although_standard_input_is_a_pipe() {
    let mut run = start(&format!("printf 'x\\ny\\n' | {PATIENT} order --json 2>&1"), &[]);
    talk(&mut run, &[(WHAT, ""), (WHAT, "tea"), (SIZE, "tiny"), (SIZE, ""), (COUNT, "3"), (SURE, "y")]);
    let expected = [
        "'patience order' asks: What shall\\u{1b}[2J it be?",
        WHAT,
        "  a value is needed",
        &format!("{WHAT}tea"),
        &format!("{SIZE}tiny"),
        "  expected one of small, large",
        SIZE,
        &format!("{COUNT}3"),
        "'patience order' asks: Order it?",
        &format!("{SURE}y"),
        "{",
        "  \"what\": \"tea\",",
        "  \"size\": \"small\",",
        "  \"count\": 3",
        "}",
    ]
    .map(|line| line.trim_end().to_owned());
    assert_eq!(run.end(), (Some(0), expected.to_vec()));
}

#[test]
fn consent_that_was_given_with_the_command_is_no_answer() {
    let mut run = start(&format!("{PATIENT} order --yes -o json --select count"), &[]);
    talk(&mut run, &[(WHAT, "tea"), (SIZE, "large"), (COUNT, ""), (SURE, "n")]);
    let (code, screen) = run.end();
    assert_eq!(code, Some(5));
    assert!(screen.last().unwrap().contains("\"code\":\"declined\""), "{screen:?}");
}

#[test]
fn the_end_of_input_declines_and_ctrl_c_cancels() {
    for (keys, status, code) in [("\u{4}", 5, "error[declined]"), ("\u{3}", 130, "error[cancelled]")] {
        let mut run = start(&format!("exec {PATIENT} order"), &[]);
        talk(&mut run, &[(WHAT, "tea")]);
        run.expect(SIZE);
        run.send(keys);
        let (ended, screen) = run.end();
        assert_eq!(ended, Some(status), "{screen:?}");
        assert!(screen.iter().any(|line| line.starts_with(code)), "{screen:?}");
    }
}

#[test]
fn where_nobody_can_be_asked_the_call_is_denied() {
    for line in [
        format!("{PATIENT} order --no-input --json"),
        format!("{PATIENT} order --json 2>&1 >/dev/null | cat"),
        format!("setsid --wait {PATIENT} order --json"),
        format!("echo '{{\"tool\":\"order\"}}' | {PATIENT} call --jsonl -"),
    ] {
        let (_, screen) = start(&line, &[]).end();
        assert!(screen.concat().contains("\"code\":\"input_unavailable\""), "{line}: {screen:?}");
    }
    assert_eq!(start(&format!("{PATIENT} order --no-input"), &[]).end().0, Some(5));
}

#[test]
fn whoever_is_to_type_the_lines_of_a_batch_is_told_so_unless_nobody_is_to_be_asked() {
    let mut run = start(&format!("{DEMO} call --jsonl -"), &[]);
    run.expect("reading --jsonl from standard input; end with Ctrl-D");
    run.send("{\"id\":1,\"tool\":\"ping\"}\n");
    run.expect("\"data\":\"pong\"");
    run.send("\u{4}");
    assert_eq!(run.end().0, Some(0));
    let (code, screen) = start(&format!("{DEMO} call --jsonl - --no-input"), &[]).end();
    assert_eq!(code, Some(2));
    assert!(
        screen.iter().any(|line| line.contains("standard input is a terminal and --no-input")),
        "{screen:?}"
    );
}
