//! Ctrl-C and SIGTERM: the first cancels, the second ends, and nothing stays behind.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::program::{DEMO, PATIENT, has, toolbox, until};
use crate::pty::start;

const CTRL_C: &str = "\u{3}";
const NOTE: &str = "cancelling; press Ctrl-C again to stop at once";

#[test]
fn the_first_ctrl_c_cancels_the_call() {
    let mut run = start(&format!("exec {PATIENT} wait /nowhere"), &[]);
    run.expect("wait 30%");
    run.send(CTRL_C);
    let (code, screen) = run.end();
    assert_eq!(code, Some(130));
    assert_eq!(screen, [NOTE, "error[cancelled]: The call was cancelled."], "and progress is gone");
}

#[test]
fn two_ctrl_c_end_a_tool_that_ignores_cancellation_and_one_does_after_the_grace() {
    let begin = || {
        let run = start(&format!("exec {PATIENT} stubborn /nowhere"), &[]);
        run.expect("stubborn");
        run
    };
    let (mut once, mut twice) = (begin(), begin());
    once.send(CTRL_C);
    once.expect(NOTE);
    twice.send(CTRL_C);
    twice.expect(NOTE);
    twice.send(CTRL_C);
    // The grace of the other began before: were it the grace that ends this one, it would be the later of the two.
    assert_eq!(twice.end().0, Some(130));
    assert!(once.is_running(), "the second Ctrl-C did nothing that the grace does not do");
    assert_eq!(once.end().0, Some(130));
}

#[test]
fn sigterm_is_the_same() {
    let run = start(&format!("exec {PATIENT} wait /nowhere"), &[]);
    run.expect("wait 30%");
    assert!(Command::new("kill").args(["-TERM", &run.pid.to_string()]).status().unwrap().success());
    assert_eq!(run.end().0, Some(130));
}

#[test]
fn waiting_for_a_person_or_for_standard_input_ends_too() {
    let body = format!("{PATIENT} take --body -");
    let delete = format!("{DEMO} store delete 42");
    let login = format!("{PATIENT} login");
    let rows = [
        (&body, "reading --body from standard input"),
        (&delete, "anything else = no: "),
        (&login, "password: "),
    ];
    for (line, shown) in rows {
        let mut run = start(&format!("trap : INT; {line}; echo ended $?; stty -a"), &[]);
        run.expect(shown);
        run.send(CTRL_C);
        run.expect("ended 130");
        let text = run.kept();
        assert!(text.contains("error[cancelled]"), "{line}: {text:?}");
        assert!(text.contains(" echo "), "what is typed is shown again: {text:?}");
    }
}

#[test]
fn ctrl_c_ends_a_command_in_the_sandbox_and_leaves_no_process() {
    if !has("pgrep") {
        return;
    }
    let folder = tool_trials::directory();
    // A length of time that no other process has.
    let seconds = format!("60.{}", std::process::id());
    let line =
        format!("cd {} && exec {} --yes shell bash sleep -- {seconds}", folder.path().display(), toolbox());
    let running = || {
        let pattern = format!("^sleep {}$", seconds.replace('.', "[.]"));
        !Command::new("pgrep").args(["-f", &pattern]).output().unwrap().stdout.is_empty()
    };
    let mut run = start(&line, &[]);
    until("the command", running);
    let began = Instant::now();
    run.send(CTRL_C);
    let (code, screen) = run.end();
    assert_eq!(code, Some(130), "{screen:?}");
    // cli.md, acceptance 7; the grace of a call that ignores cancellation is five times as long.
    let took = began.elapsed();
    assert!(took < Duration::from_secs(1) * tool_trials::load_factor(), "{took:?}");
    assert!(!running(), "it is still there");
}

#[test]
fn a_batch_answers_what_runs_and_ends() {
    let folder = tool_trials::directory();
    let (lines, begun) = (folder.path().join("lines"), folder.path().join("begun"));
    let call = serde_json::json!({"id": 1, "tool": "wait", "args": {"file": "/nowhere", "begun": begun}});
    fs::write(&lines, format!("{call}\n")).unwrap();
    // A pipe that the shell itself holds open: there is no end of input to end by.
    let pipe = folder.path().join("pipe");
    let (lines, pipe) = (lines.display(), pipe.display());
    let fill = format!("mkfifo {pipe}; exec 3<>{pipe}; cat {lines} >&3");
    let mut run = start(&format!("trap : INT; {fill}; {PATIENT} call --jsonl - <&3; echo ended $?"), &[]);
    until("the call", || begun.exists());
    run.send(CTRL_C);
    let text = run.kept();
    assert!(text.contains("\"kind\":\"cancelled\""), "{text:?}");
    assert!(text.contains("ended 130"), "{text:?}");
}
