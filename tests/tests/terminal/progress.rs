//! Progress: there while somebody waits, and gone when there is something to read.

use std::fs;

use crate::program::{PATIENT, homeless};
use crate::pty::start;

#[test]
fn progress_appears_while_somebody_waits_and_leaves_no_trace() {
    let folder = tool_trials::directory();
    let file = folder.path().join("go");
    let run = start(&format!("{PATIENT} wait {}", file.display()), &[]);
    run.expect("wait 30%");
    run.expect("step\\u{1b}[2J three of ten");
    fs::write(&file, "").unwrap();
    assert_eq!(run.end(), (Some(0), vec!["done".to_owned()]));
}

#[test]
fn a_call_that_ends_at_once_shows_nothing() {
    let run = start(&format!("{PATIENT} take --handle x"), &[]);
    assert_eq!(run.kept(), "x\r\n");
}

#[test]
fn nothing_is_drawn_where_nobody_would_see_or_want_it() {
    for (options, to, env) in [("-q", "", &[][..]), ("", "2>$FILE", &[]), ("", "", &[("TERM", "dumb")])] {
        let folder = tool_trials::directory();
        let (file, other) = (folder.path().join("go"), folder.path().join("err"));
        let to = to.replace("$FILE", &other.display().to_string());
        let wait = format!("{PATIENT} wait {}", file.display());
        let run = start(&format!("{wait} {options} {to}"), env);
        // A twin that began later shows when drawing would have begun.
        let twin = start(&wait, &[]);
        twin.expect("wait 30%");
        fs::write(&file, "").unwrap();
        assert_eq!(run.kept(), "done\r\n", "{options} {env:?}");
        assert_eq!(twin.end().1, ["done"]);
        assert_eq!(fs::read_to_string(other).unwrap_or_default(), "");
    }
}

#[test]
fn without_a_terminal_lines_tell_those_who_want_to_know() {
    let folder = tool_trials::directory();
    let file = folder.path().join("go");
    fs::write(&file, "").unwrap();
    let run = |options: &[&str]| {
        let mut patient = std::process::Command::new(PATIENT);
        let output = homeless(patient.args(["wait", &file.display().to_string()]).args(options))
            .env_remove("PATIENCE_LOG")
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(run(&[]), "");
    assert!(run(&["-v"]).contains("wait: 3/10 step\\u{1b}[2J three of ten\n"), "{}", run(&["-v"]));
}
