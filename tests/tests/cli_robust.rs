//! The command line under words that nobody meant.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::ffi::OsString;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::inotify;
use serde_json::Value;
use tests::demo;
use tests::numbers::Numbers;
use tool_cli::{ExitCode, Io};

/// Pieces that command lines are made of.
const PIECES: [&str; 41] = [
    "doctor",
    "store",
    "search",
    "file",
    "read",
    "copy",
    "math",
    "add",
    "draw",
    "shapes",
    "assign",
    "tag",
    "call",
    "tools",
    "list",
    "help",
    "process",
    "run",
    "--limit",
    "--limit=",
    "-n",
    "-n5",
    "-9",
    "-abc",
    "--",
    "-5",
    "-1e3",
    "--owner.name",
    "x",
    "--label",
    "a=b",
    "=",
    "{",
    "{\"a\":1}",
    "[1,2]",
    "--no-hidden",
    "--hidden=maybe",
    "--select",
    "--format",
    "json",
    "",
];

/// Pieces that name what is read or written, beside the words that they could name it with.
const SOURCES: [&str; 27] = [
    "@FILE",
    "@none",
    "@@x",
    "@",
    "-",
    "note",
    "write",
    "login",
    "--body",
    "--body=@x",
    "--attachment=@FILE",
    "--shape",
    "--shape=@-5",
    "--input",
    "--input=@json",
    "--password-file",
    "--pin-file=x",
    "--config",
    "--policy=FILE",
    "--jsonl",
    "--root",
    "--out=x",
    "--body=-",
    "--shape=-",
    "--input=-",
    "--password-file=-",
    "--jsonl=-",
];

/// Options that take a path, beside those that end with `-file`.
const PATHS: [&str; 6] = ["--config", "--policy", "--jsonl", "--root", "--out", "--input"];

/// A word, one of the pieces or bytes that nobody meant.
fn word(numbers: &mut Numbers, pieces: &[&str]) -> OsString {
    if numbers.below(12) > 0 {
        return pieces[numbers.below(pieces.len())].into();
    }
    let bytes: Vec<u8> = (0..numbers.below(6)).map(|_| u8::try_from(numbers.below(256)).unwrap()).collect();
    // Words that name a source are pieces; `-` and `@` would read one.
    OsString::from_vec(bytes.into_iter().filter(|byte| !b"@-\0".contains(byte)).collect())
}

/// The names that a command line allows to be opened: behind `@`, and as the value of an option that takes a path.
fn named(argv: &[OsString]) -> Vec<String> {
    let words: Vec<String> = argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let takes_path = |option: &str| PATHS.contains(&option) || option.ends_with("-file");
    let mut names = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (option, value) = word.split_once('=').map_or((word.as_str(), None), |(a, b)| (a, Some(b)));
        let value = value.or_else(|| words.get(at + 1).map(String::as_str));
        names.extend(value.filter(|_| takes_path(option)).map(str::to_owned));
        names.extend(word.split_once('@').map(|(_, name)| name.to_owned()));
    }
    names
}

/// Standard input, empty, which tells whether it was read.
#[derive(Clone, Default)]
struct Noticed(Arc<AtomicBool>);

impl Read for Noticed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.store(true, Ordering::Relaxed);
        Ok(0)
    }
}

/// Files that an accident could open: one for each piece that can be a name, in a directory that tells who opens what.
struct Watched {
    directory: tool_trials::Directory,
    watch: OwnedFd,
}

impl Watched {
    fn new() -> Watched {
        let directory = tool_trials::directory();
        let names = PIECES.iter().filter(|piece| !piece.is_empty() && !piece.contains('/'));
        for name in names.copied().chain(["FILE", "demo"]) {
            std::fs::write(directory.path().join(name), "{}").unwrap();
        }
        let watch = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
        inotify::add_watch(&watch, directory.path(), inotify::WatchFlags::OPEN).unwrap();
        Watched { directory, watch }
    }

    /// The files that were opened since this was asked.
    fn opened(&self) -> Vec<String> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.watch, &mut buffer);
        let mut names = Vec::new();
        while let Ok(event) = reader.next() {
            names.extend(event.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
        names
    }
}

/// Commands that take sources, in front of words that name them.
const HEADS: [&[&str]; 6] =
    [&[], &["ping"], &["note", "write", "T"], &["login", "ann"], &["draw", "shapes"], &["call"]];

/// Runs so many command lines of pieces behind one of some heads; how many files they opened, and how often they read standard
/// input.
fn run(lines: usize, heads: &[&[&str]], pieces: &[&str]) -> (usize, usize) {
    let (cli, _) = demo::demo(&Value::Null).unwrap();
    let watched = Watched::new();
    std::fs::read(watched.directory.path().join("FILE")).unwrap();
    assert_eq!(watched.opened(), ["FILE"], "an opened file is told");
    let mut numbers = Numbers::default();
    let (mut files, mut inputs) = (0, 0);
    for _ in 0..lines {
        let head = heads[numbers.below(heads.len())].iter().map(OsString::from);
        let rest: Vec<OsString> = (0..numbers.below(9)).map(|_| word(&mut numbers, pieces)).collect();
        let argv: Vec<OsString> = head.chain(rest).collect();
        let stdin = Noticed::default();
        let io = Io { stdin: Box::new(stdin.clone()), ..Io::detached(watched.directory.path()) };
        let code = cli.run_from(argv.clone(), io);
        assert_ne!(code, ExitCode(70), "{argv:?}");
        let allowed = named(&argv);
        let opened = watched.opened();
        for name in &opened {
            // What is written is written beside its place first.
            let is_named = |allowed: &String| allowed == name || name.starts_with(&format!("{allowed}."));
            assert!(allowed.iter().any(is_named), "{argv:?} opened {name}");
        }
        let read = stdin.0.load(Ordering::Relaxed);
        let asked = argv.iter().any(|word| word == "-" || word.to_string_lossy().ends_with("=-"));
        assert!(asked || !read, "{argv:?} read standard input");
        files += opened.len();
        inputs += usize::from(read);
    }
    (files, inputs)
}

#[test]
fn no_command_line_ends_as_a_bug_of_ours_or_opens_a_file_that_it_does_not_name() {
    assert_eq!(run(10_000, &[&[]], &PIECES), (0, 0));
}

#[test]
fn a_command_line_that_names_sources_opens_these_alone() {
    let often = SOURCES.iter().cycle().take(4 * SOURCES.len());
    let pieces: Vec<&str> = PIECES.iter().chain(often).copied().collect();
    let (files, inputs) = run(2_000, &HEADS, &pieces);
    assert!(files > 100 && inputs > 10, "{files} files, {inputs} times standard input");
}
