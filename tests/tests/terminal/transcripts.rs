//! The transcripts of the command line, each line run by a shell as it stands there. (cli.md, §13)

use std::path::Path;
use std::process::{Command, Stdio};

use snapbox::{Assert, Data};

use crate::program::DEMO;
use crate::pty::start;

const TRANSCRIPTS: &str = include_str!("../../cli/demo.md");

/// What stands behind a line that is run at a terminal.
const AT_TERMINAL: &str = "# (tty)";

/// What asks for an answer.
const QUESTION: &str = "anything else = no: ";

/// A line with its exit status and all that it prints.
struct Transcript<'a> {
    line: &'a str,
    at_terminal: bool,
    answer: Option<&'a str>,
    expected: String,
}

/// The transcripts, in order.
fn transcripts() -> Vec<Transcript<'static>> {
    let block = TRANSCRIPTS.split("```console\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let mut all: Vec<Transcript<'static>> = Vec::new();
    for text in block.lines() {
        match text.strip_prefix("$ ") {
            Some(line) => {
                let (line, note) = line.split_once(AT_TERMINAL).map_or((line, None), |(a, b)| (a, Some(b)));
                let answer = note.and_then(|note| note.split_once("answered ")).map(|(_, answer)| answer);
                let (line, expected) = (line.trim_end(), String::new());
                all.push(Transcript { line, at_terminal: note.is_some(), answer, expected });
            }
            None => {
                let last = all.last_mut().unwrap();
                last.expected.push_str(text);
                last.expected.push('\n');
            }
        }
    }
    all
}

impl Transcript<'_> {
    /// What it prints, without the exit status in front of it.
    fn told(&self) -> &str {
        match self.expected.split_once('\n') {
            Some((status, text)) if status.starts_with("? ") => text,
            _ => &self.expected,
        }
    }

    /// What it prints here, with the exit status in front of it unless that is 0.
    fn run(&self) -> String {
        let (code, text) = if self.at_terminal { self.at_terminal() } else { self.piped() };
        let status = if code == 0 { String::new() } else { format!("? {code}\n") };
        format!("{status}{text}")
    }

    fn at_terminal(&self) -> (i32, String) {
        let mut run = start(self.line, &[("PATH", &path())]);
        if let Some(answer) = self.answer {
            run.expect(QUESTION);
            run.send(&format!("{answer}\r"));
        }
        let (code, lines) = run.end();
        (code.unwrap(), lines.iter().map(|line| format!("{line}\n")).collect())
    }

    /// A transcript shows one stream, and nothing is on the other: an error is told on standard error.
    fn piped(&self) -> (i32, String) {
        let mut command = Command::new("setsid");
        command.args(["--wait", "sh", "-c", self.line]).stdin(Stdio::null()).env_clear().env("PATH", path());
        let run = command.output().unwrap();
        let [stdout, stderr] = [run.stdout, run.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let is_error = ["error[", "{\"ok\":false,"].iter().any(|head| self.told().starts_with(head));
        let (shown, other) = if is_error { (stderr, stdout) } else { (stdout, stderr) };
        assert_eq!(other, "", "$ {}: beside what is shown", self.line);
        (run.status.code().unwrap(), shown)
    }
}

/// Where the shell finds `demo` and its own commands.
fn path() -> String {
    let folder = Path::new(DEMO).parent().unwrap().display();
    format!("{folder}:{}", std::env::var("PATH").unwrap())
}

#[test]
fn every_transcript_is_what_the_program_prints() {
    let all = transcripts();
    assert!(all.len() >= 14 && all.iter().filter(|one| one.at_terminal).count() >= 2, "{}", all.len());
    for one in all {
        let told = |text: String| Data::text(format!("$ {}\n{text}", one.line));
        Assert::new().normalize_paths(false).eq(told(one.run()), told(one.expected.clone()));
    }
}
