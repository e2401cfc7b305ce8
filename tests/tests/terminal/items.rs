//! Elements of a list as they come: beside progress, to a reader who takes his time, and to one who does not read.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::program::{PATIENT, homeless, until};
use crate::pty::start;

#[test]
fn progress_stands_aside_for_elements_that_a_reader_shows_on_the_same_terminal() {
    let folder = tool_trials::directory();
    for (to, elements) in [(" | cat", "-o jsonl"), ("", "-o jsonl"), ("", "")] {
        let go = folder.path().join("go");
        let run = start(&format!("{PATIENT} emit 3 {} {elements}{to}", go.display()), &[]);
        run.expect("2\r\n");
        if !to.is_empty() {
            run.expect("emit");
        }
        fs::write(&go, "").unwrap();
        assert_eq!(run.end(), (Some(0), ["1", "2", "3"].map(str::to_owned).to_vec()), "{elements}{to}");
        fs::remove_file(go).unwrap();
    }
}

/// A program that has emitted all but the last of so many elements, which nobody reads.
fn unread(count: u32, folder: &Path) -> Child {
    let waiting = folder.join("waiting");
    let mut patient = Command::new(PATIENT);
    let words = ["emit", &count.to_string(), "go", "--waiting", "waiting", "-o", "jsonl"];
    let child = homeless(patient.args(words)).current_dir(folder).stdout(Stdio::piped()).spawn().unwrap();
    until("all but the last though nobody reads", || waiting.exists());
    fs::remove_file(waiting).unwrap();
    child
}

/// The most memory that a process had at any time, in KiB.
fn peak_memory(child: &Child) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn elements_that_nobody_reads_take_about_as_much_memory_as_they_are_long() {
    const COUNT: u32 = 400_000;
    let folder = tool_trials::directory();
    let (few, mut many) = (unread(2, folder.path()), unread(COUNT, folder.path()));
    let growth = peak_memory(&many) - peak_memory(&few);
    println!("{COUNT} elements that nobody reads: {growth} KiB");
    // 2.6 MiB of JSON, which are kept as the result, too.
    assert!(growth < 14 << 10, "{growth} KiB");
    fs::write(folder.path().join("go"), "").unwrap();
    let mut text = String::new();
    many.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(many.wait().unwrap().success());
    assert!(few.wait_with_output().unwrap().status.success());
    assert!(text.lines().eq((1..=COUNT).map(|number| number.to_string())), "all of them, in order");
}

#[test]
fn ctrl_c_ends_a_call_whose_elements_nobody_reads() {
    let folder = tool_trials::directory();
    let mut child = unread(100_000, folder.path());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
