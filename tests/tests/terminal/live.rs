//! The output of a command on the terminal while it runs, and in a pipe when it has ended.

use std::fs;
use std::path::Path;
use std::process::Command;

use tool_trials::by_effort;

use crate::program::{homeless, toolbox, until};
use crate::pty::{start, start_unread};

/// Writes `one`, waits for the file `go`, and writes `two` to standard error.
const SCRIPT: &str = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two >&2";

fn line(folder: &Path, options: &str, script: &str) -> String {
    format!(
        "{} --yes --root {} {options} shell bash --no-check sh -- -c '{script}'",
        toolbox(),
        folder.display()
    )
}

#[test]
fn output_comes_while_the_command_runs_and_then_only_how_it_ended() {
    for (end, last) in [("", None), ("; exit 7", Some("[exit code 7]"))] {
        let folder = tool_trials::directory();
        let run = start(&line(folder.path(), "", &format!("{SCRIPT}{end}")), &[]);
        run.expect("one\r\n");
        fs::write(folder.path().join("go"), "").unwrap();
        let expected: Vec<&str> = ["one", "two"].into_iter().chain(last).collect();
        assert_eq!(run.end(), (Some(0), expected.iter().map(ToString::to_string).collect()));
    }
}

#[test]
fn what_is_out_stays_out_when_the_call_fails() {
    let folder = tool_trials::directory();
    let script = line(folder.path(), "", "printf half; exit 7").replace(" --no-check", "");
    let (code, screen) = start(&script, &[]).end();
    assert_eq!((code, screen[0].as_str()), (Some(1), "half"));
    assert!(screen[1].starts_with("error[command_failed]"), "{screen:?}");
}

#[test]
fn what_a_failed_call_wrote_is_told_where_nobody_saw_it() {
    let folder = tool_trials::directory();
    let script = "printf \"one\\n\\n two\"; echo three >&2; exit 7";
    let failed = |options: &str| {
        let line = line(folder.path(), options, script).replace(" --no-check", "");
        let output = homeless(Command::new("sh").args(["-c", &line])).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{options}");
        String::from_utf8(output.stderr).unwrap()
    };
    let head = "error[command_failed]: Command failed with exit code 7\n";
    assert_eq!(failed(""), format!("{head}stdout:\n  one\n\n   two\nstderr:\n  three\n"));
    // All details hold the output already.
    let verbose = failed("-v");
    assert_eq!((verbose.matches("three").count(), verbose.matches("\nstderr:").count()), (1, 0), "{verbose}");
    assert_eq!(failed("--json").lines().count(), 1);
}

#[test]
fn what_is_shown_of_output_and_what_is_not_is_told_of_a_failed_call_too() {
    let folder = tool_trials::directory();
    let script = line(folder.path(), "", "seq 100000; exit 7").replace(" --no-check", "");
    let (code, screen) = start(&script, &[]).end();
    assert_eq!((code, screen.iter().filter(|line| *line == "100000").count()), (Some(1), 1));
    let [.., skipped, error] = screen.as_slice() else { panic!("{screen:?}") };
    assert!(skipped.ends_with(" bytes not shown; -o json shows all"), "{skipped}");
    assert!(error.starts_with("error[command_failed]"), "{error}");
}

#[test]
fn what_a_terminal_acts_upon_is_shown_as_text() {
    let folder = tool_trials::directory();
    let (code, screen) = start(&line(folder.path(), "", "printf \"\\033[2Jx\\n\""), &[]).end();
    assert_eq!((code, screen), (Some(0), vec!["\\u{1b}[2Jx".to_owned()]));
}

#[test]
fn more_than_is_passed_on_is_counted() {
    let folder = tool_trials::directory();
    let (code, screen) = start(&line(folder.path(), "", "seq 100000"), &[]).end();
    assert_eq!((code, screen.iter().any(|line| line == "100000")), (Some(0), true), "the end is there");
    let last = screen.last().unwrap();
    assert!(last.ends_with(" bytes not shown; -o json shows all"), "{last:?}");
}

#[test]
fn elsewhere_output_is_collected() {
    let folder = tool_trials::directory();
    fs::write(folder.path().join("go"), "").unwrap();
    for (options, to, expected) in [
        ("-o text", "", "one\n[stderr]\ntwo\n"),
        ("--select stdout", "", "\"one\\n\"\n"),
        ("-o text --out out", "", ""),
    ] {
        let line = format!("{}{to}", line(folder.path(), options, SCRIPT));
        let output =
            homeless(Command::new("sh").args(["-c", &line])).current_dir(folder.path()).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{options}");
    }
    let run = start(&line(folder.path(), "--json --select stdout", SCRIPT), &[]);
    assert_eq!(run.end(), (Some(0), vec!["\"one\\n\"".to_owned()]));
}

/// The most memory that a process has had in use, in bytes.
fn highest_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1_024
}

#[test]
fn a_gibibyte_for_a_terminal_that_nobody_reads_costs_no_memory_and_stops_nobody() {
    let folder = tool_trials::directory();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("settings.toml"), "[limits]\nmax_total_output_bytes = 2_147_483_648\n").unwrap();
    let output: u64 = by_effort(1 << 30, 1 << 27);
    let script = format!(
        "head -c 1000000 /dev/zero | tr \"\\\\0\" x; touch begun; while [ ! -e go ]; do sleep 0.01; done; \
         yes | head -c {output}; touch done"
    );
    let options = format!("--config {}", file("settings.toml").display());
    let (run, unread) = start_unread(&format!("exec {}", line(folder.path(), &options, &script)), &[]);
    until("the command has begun", || file("begun").exists());
    let before = highest_memory(run.pid);
    fs::write(file("go"), "").unwrap();
    until("the command is done though nobody reads", || file("done").exists());
    let growth = highest_memory(run.pid) - before;
    println!("{output} bytes for a terminal that nobody reads: {growth} bytes of memory");
    assert!(growth < 16 << 20, "{growth}");
    drop(unread);
    let (code, screen) = run.end();
    assert_eq!(code, Some(0), "{screen:?}");
}
