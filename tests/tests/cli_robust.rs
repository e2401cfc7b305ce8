//! The command line under words that nobody meant.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

#[path = "../src/demo/mod.rs"]
mod demo;

use std::ffi::OsString;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;

use rustix::fs::inotify;
use serde_json::Value;
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

/// Numbers that are the same in every run (xorshift64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn word(&mut self) -> OsString {
        if self.below(12) > 0 {
            return PIECES[self.below(PIECES.len())].into();
        }
        let bytes: Vec<u8> = (0..self.below(6)).map(|_| u8::try_from(self.below(256)).unwrap()).collect();
        // Words that name a source are another test's; `-` and `@` would read one.
        OsString::from_vec(bytes.into_iter().filter(|byte| !b"@-\0".contains(byte)).collect())
    }
}

/// Standard input that must not be read.
struct Untouched;

impl Read for Untouched {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("standard input was read")
    }
}

/// Files that an accident could open: one for each piece that can be a name, in a directory that tells who opens what.
struct Watched {
    directory: tempfile::TempDir,
    watch: OwnedFd,
}

impl Watched {
    fn new() -> Watched {
        let directory = tempfile::tempdir().unwrap();
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

#[test]
fn no_command_line_ends_as_a_bug_of_ours_or_opens_a_file_that_it_does_not_name() {
    let (cli, _) = demo::demo(&Value::Null).unwrap();
    let watched = Watched::new();
    std::fs::read(watched.directory.path().join("FILE")).unwrap();
    assert_eq!(watched.opened(), ["FILE"], "an opened file is told");
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..10_000 {
        let argv: Vec<OsString> = (0..numbers.below(9)).map(|_| numbers.word()).collect();
        let io = Io { stdin: Box::new(Untouched), ..Io::detached(watched.directory.path()) };
        let code = cli.run_from(argv.clone(), io);
        assert_ne!(code, ExitCode(70), "{argv:?}");
        assert_eq!(watched.opened(), [""; 0], "{argv:?}");
    }
}
