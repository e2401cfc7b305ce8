//! Command lines that are wrong, given to a real process: each has its message and its status, and nothing is on standard
//! output. Beside each stands what is right.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tests::captured::Captured;
use tool_cli::{Cli, Io};
use tool_core::Registry;
use tool_core::prelude::*;

const DEMO: &str = env!("CARGO_BIN_EXE_demo");

/// How the message of a call with one mistake begins.
const ONE: &str = "error[invalid_args]: 1 argument does not fit.\n";

/// More than arguments may be.
const TOO_MUCH: usize = 17 << 20;

/// The longest single argument that the kernel passes on.
const LONGEST: usize = (128 << 10) - 1;

/// What a run left behind.
#[derive(Debug, PartialEq)]
struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Ended {
    /// Refused with a status, a first line and a further part, and in few words.
    fn refused(&self, status: i32, first: &str, part: &str) {
        assert_eq!((self.status, self.stdout.as_str()), (Some(status), ""), "{}", self.stderr);
        assert!(self.stderr.starts_with(first), "{first:?} does not begin: {}", self.stderr);
        assert!(self.stderr.contains(part), "{part:?} is not in: {}", self.stderr);
        assert!(self.stderr.len() < 1000, "{} bytes", self.stderr.len());
    }

    /// Done, with this in the result.
    fn done(&self, part: &str) {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""));
        assert!(self.stdout.contains(part), "{} bytes without what was given", self.stdout.len());
    }
}

/// A directory with the files that the command lines name.
struct Place(tool_trials::Directory);

impl Place {
    fn new() -> Place {
        let folder = tool_trials::directory();
        let large = "a".repeat(TOO_MUCH);
        let document = json!({"title": "T", "body": large}).to_string();
        for (name, bytes) in [
            ("bad.json", &b"{\n\"kind\":}"[..]),
            ("circle.json", b"{\"kind\":\"circle\",\"radius\":1}"),
            ("broken", b"ok\xff"),
            ("large", large.as_bytes()),
            ("large.json", document.as_bytes()),
        ] {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        Place(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, argv: &[impl AsRef<OsStr>], stdin: &[u8], env: &[(&str, &str)]) -> Ended {
        let mut child = Command::new(DEMO)
            .args(argv)
            .current_dir(self.path())
            .env_clear()
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read may have ended before.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap().into()
    }

    /// Through a shell that closes standard input.
    fn closed(&self, line: &str) -> Ended {
        let line = format!("exec {DEMO} {line} <&-");
        Command::new("sh").args(["-c", &line]).env_clear().current_dir(self.path()).output().unwrap().into()
    }
}

/// Command lines as a shell splits them, their status, their first line and a further part of the message.
const WRONG: [(&str, i32, &str, &str); 37] = [
    // command
    (
        "zzz",
        3,
        "error[unknown_command]: no command 'zzz' in 'demo'\n",
        "\nhint: 'demo --help' lists the commands\n",
    ),
    (
        "store zzz",
        3,
        "error[unknown_command]: no command 'zzz' in 'demo store'\n",
        "'demo store --help' lists the commands",
    ),
    (
        "store serch x",
        3,
        "error[unknown_command]: no command 'serch' in 'demo store'\n",
        "hint: did you mean 'demo store search'?",
    ),
    // tool
    ("call store_serch", 3, "error[unknown_tool]: ", "did you mean: store_search?"),
    ("tools show store_serch", 3, "error[unknown_tool]: ", "did you mean: store_search?"),
    ("tools show xyzzy", 3, "error[unknown_tool]: ", "`demo tools list` lists those that there are"),
    // flag
    ("--nope ping", 2, "error[invalid_args]: ", "\n\nhelp: demo --help\n"),
    ("store search x --lmit 5", 2, ONE, "\n  --lmit  unknown; did you mean --limit?\n"),
    // What goes in front of the words is not swallowed between them.
    ("store --version search x", 2, ONE, "--version goes before the command"),
    ("store -V", 2, ONE, "--version goes before the command"),
    ("ping --llms", 2, ONE, "--llms goes before the command"),
    (
        "--input {} ping",
        2,
        ONE,
        "expected a command or an option of the program; --input goes after the command",
    ),
    ("store search x -Z", 2, ONE, "to pass it as text, put -- before it"),
    ("store search x y", 2, ONE, "no more arguments"),
    (
        "help zzz",
        3,
        "error[unknown_command]: no command 'zzz' in 'demo'\n",
        "'demo --help' lists the commands",
    ),
    ("help enviroment", 3, "error[unknown_command]: ", "hint: did you mean 'demo help environment'?"),
    ("help sotre", 3, "error[unknown_command]: ", "hint: did you mean 'demo store'?"),
    ("help --frob", 2, ONE, "\n  --frob  unknown; expected one of <WORDS>\n"),
    ("help exit-codes --color blue", 2, ONE, "\n  --color  expected one of "),
    // A hidden option is in no list.
    ("deploy app x", 2, ONE, "no more arguments"),
    (
        "deploy app -Z",
        2,
        ONE,
        "  -Z  unknown; expected one of --region, --retries, --force, --hosts, --size; ",
    ),
    ("deploy app --frobnicate", 2, ONE, "expected one of --region, --retries, --force, --hosts, --size\n"),
    // value
    ("--timeout 5", 2, ONE, "\n  --timeout  expected a time of 1ms to 1h"),
    ("store --color blue", 2, ONE, "\n  --color  expected one of "),
    ("store search x --limit many", 2, ONE, "\n  --limit  expected integer 1..=100, got string \"many\"\n"),
    ("store search x --limit", 2, ONE, "write --limit=VALUE"),
    ("ping --timeout 5", 2, ONE, "--timeout"),
    // format
    (
        "ping -o xml",
        2,
        ONE,
        "\n  --format  expected one of \"text\", \"json\", \"jsonl\", \"yaml\", \"table\", got string \"xml\"",
    ),
    // file
    ("draw shapes --shape @none.json", 2, ONE, "cannot read 'none.json': no such file"),
    ("draw shapes --shape @.", 2, ONE, "cannot read '.': it is a directory"),
    ("note write T --body @broken", 2, ONE, "not UTF-8 at byte 2"),
    // standard input
    ("note write T --body - --attachment -", 2, ONE, "it can be read only once"),
    // JSON
    (r#"draw shapes --shape {"kind":}"#, 2, ONE, "line 1, column 9"),
    ("draw shapes --shape=", 2, ONE, "got line 1, column 1: "),
    ("draw shapes --shape @bad.json", 2, ONE, "got line 2, column 8: {\\n\"kind\":}\n"),
    (
        "store search --input {\"query\":\n1,,}",
        2,
        "error[malformed_json]: The arguments are not valid JSON.\n",
        "line 2, column 3",
    ),
    (
        "store search --input []",
        2,
        "error[not_an_object]: The arguments must be a JSON object.\n",
        "--input  expected a JSON object, got array of 0 items",
    ),
];

#[test]
fn each_mistake_has_its_message_its_status_and_no_output() {
    let place = Place::new();
    for (line, status, first, part) in WRONG {
        let argv: Vec<&str> = line.split(' ').collect();
        place.run(&argv, b"", &[]).refused(status, first, part);

        // The same for programs, on one line. An option wins over the variable.
        let asked = place.run(&argv, b"", &[("DEMO_FORMAT", "json")]);
        if line.contains("-o ") {
            continue;
        }
        asked.refused(status, "{\"ok\":false,", "");
        assert_eq!(asked.stderr.lines().count(), 1, "{line}");
        assert!(serde_json::from_str::<Value>(&asked.stderr).is_ok(), "{line}: {}", asked.stderr);
    }
    place.run(&["draw", "shapes", "--shape", "@circle.json"], b"", &[]).done("circle");
}

#[test]
fn words_that_are_no_text_are_told_by_place_and_other_words_are_read() {
    let place = Place::new();
    let broken = OsStr::from_bytes(b"ok\xff");
    let search = ["store", "search"].map(OsStr::new);
    let program = ["--idempotency-key", "--select", "--timeout"].map(|option| ["x", option]);
    let own = [&[][..], &["x", "--tag"], &["--input"], &["x", "--limit"]];
    for behind in own.into_iter().chain(program.iter().map(|words| &words[..])) {
        let behind: Vec<&OsStr> = behind.iter().map(OsStr::new).collect();
        let line = [&search[..], &behind, &[broken]].concat();
        place.run(&line, b"", &[]).refused(2, ONE, "not UTF-8 at byte 2");
    }
    place.run(&[broken], b"", &[]).refused(3, "error[unknown_command]: ", "");
    place.run(&["store", "search", "oké"], b"", &[]).done("");
}

#[test]
fn what_is_wrong_with_the_options_of_the_program_is_told_at_once() {
    let place = Place::new();
    let line = ["ping", "--color", "blue", "--timeout", "5", "--root", "/nope", "--frob"];
    let ended = place.run(&line, b"", &[]);
    ended.refused(2, "error[invalid_args]: 4 arguments do not fit.\n", "--color");
    for part in ["--timeout", "--root   ", "an existing directory", "--frob"] {
        assert!(ended.stderr.contains(part), "{part:?} is not in: {}", ended.stderr);
    }
    place.run(&["ping", "--root", "/nope"], b"", &[]).refused(3, "error[root_not_found]: ", "--root");
    place.run(&["ping", "--root", "/"], b"", &[]).done("pong");
}

#[test]
fn help_is_a_command_like_the_others() {
    let place = Place::new();
    let json = |words: &[&str]| -> Value {
        let ended = place.run(words, b"", &[]);
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{words:?}");
        serde_json::from_str(&ended.stdout).unwrap()
    };
    let page = place.run(&["ping", "--help"], b"", &[]).stdout;
    for words in [&["help", "ping"][..], &["help", "--input", r#"{"words":["ping"]}"#]] {
        assert_eq!(place.run(words, b"", &[]).stdout, page, "{words:?}");
    }
    assert_eq!(json(&["help", "ping", "--json"]), page);
    assert_eq!(json(&["help", "ping", "--envelope"])["tool"], "help");
    assert_eq!(json(&["help", "ping", "--dry-run", "--json"])["args"], json!({"words": ["ping"]}));
    assert_eq!(json(&["help", "--schema"])["properties"]["words"]["type"], "array");
    let missing = place.run(&["help", "nope", "--envelope"], b"", &[]);
    assert_eq!((missing.status, missing.stderr.as_str()), (Some(3), ""));
    assert!(missing.stdout.contains("\"code\":\"unknown_command\""), "{}", missing.stdout);
    let codes = place.run(&["help", "exit-codes", "--select", "x"], b"", &[]);
    assert!(codes.stdout.starts_with("Exit codes:\n"), "{}", codes.stdout);
    assert!(codes.stderr.starts_with("warning: --select changes nothing"), "{}", codes.stderr);
    place.run(&["help", "exit-codes", "--out", "codes"], b"", &[]);
    assert_eq!(std::fs::read_to_string(place.path().join("codes")).unwrap(), codes.stdout);
    // A mistake in the settings file stops nobody who looks for help.
    std::fs::write(place.path().join("c.toml"), "rot = 1\n").unwrap();
    assert_eq!(place.run(&["help", "ping", "--config", "c.toml"], b"", &[]).stdout, page);
}

#[test]
fn what_is_too_large_is_refused_in_few_words_and_what_is_not_is_read() {
    let place = Place::new();
    let large = vec![b'a'; TOO_MUCH];
    for (line, stdin) in [
        ("note write T --body -", large.as_slice()),
        ("note write T --body @large", b""),
        ("note write --input @large.json", b""),
        ("draw shapes --shape -", &large),
    ] {
        let argv: Vec<&str> = line.split(' ').collect();
        place.run(&argv, stdin, &[]).refused(2, "error[", "16777216");
    }
    let fits = "a".repeat(2 << 20);
    let write = ["note", "write", "T", "-o", "json", "--body"];
    place.run(&[&write[..], &["-"]].concat(), fits.as_bytes(), &[]).done(&fits);
    let longest = &fits[..LONGEST];
    place.run(&[&write[..], &[longest]].concat(), b"", &[]).done(longest);
    // An argument is longer still where it is split over two.
    let [first, second] = [longest, longest].map(|text| ["--tag", text]);
    let search = ["store", "search", "lamp"];
    place.run(&[&search[..], &first, &second].concat(), b"", &[]).done("");
    place.run(&["note", "write", "T", "--bdy", longest], b"", &[]).refused(
        2,
        "error[",
        "did you mean --body?",
    );
    place.run(&[longest], b"", &[]).refused(3, "error[unknown_command]: ", "");
}

/// Gives its text back.
#[tool(register = false)]
fn echo(
    /// The text.
    #[arg(positional)]
    text: &str,
) -> String {
    text.to_owned()
}

/// A process is given no such argument, whose bound is [`LONGEST`]; a program inside another one may be.
#[test]
fn an_argument_of_two_mebibytes_is_read_and_where_it_is_wrong_not_repeated() {
    let large = "a".repeat(2 << 20);
    let run = |argv: &[&str]| {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let io =
            Io { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()), ..Io::detached("/") };
        let cli = Cli::new(Registry::builder().add::<EchoTool>().build().unwrap()).name("demo");
        let status = Some(i32::from(cli.run_from(argv, io).0));
        Ended { status, stdout: stdout.text(), stderr: stderr.text() }
    };
    run(&["echo", &large]).done(&large);
    run(&["echo", "x", &large]).refused(2, ONE, "no more arguments");
    run(&["echo", "x", &format!("--{large}")]).refused(2, ONE, "--aaa");
    run(&["echo", "x", &format!("--timeout={large}")]).refused(2, ONE, "a time of 1ms to 1h");
    run(&["echo", "--input", &large]).refused(2, "error[malformed_json]: ", "line 1, column 1");
    run(&[&large]).refused(3, "error[unknown_command]: ", "");
}

#[test]
fn a_closed_standard_input_is_an_empty_one_and_stops_nobody_else() {
    let place = Place::new();
    place.closed("ping -o json").done("\"pong\"\n");
    place.closed("note write T --body - -o json").done("\"body\":\"\"");
    place.closed("draw shapes --shape -").refused(2, ONE, "--shape");
    place.closed("call --jsonl -").done("");
}
