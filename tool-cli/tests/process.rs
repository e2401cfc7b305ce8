//! A run touches nothing of the process: only `run.rs` names what belongs to it.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::fs;
use std::path::{Path, PathBuf};

/// What belongs to the process.
const PROCESS: [&str; 11] = [
    "std::env::",
    "io::stdin(",
    "io::stdout(",
    "io::stderr(",
    "env::current_dir(",
    "set_global_default",
    "set_hook(",
    "/dev/tty",
    "process::exit(",
    "tracing_subscriber::fmt",
    "tracing_subscriber::registry(",
];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn named(path: &Path) -> Vec<&'static str> {
    let text = fs::read_to_string(path).unwrap();
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    PROCESS.into_iter().filter(|word| code.iter().any(|line| line.contains(word))).collect()
}

#[test]
fn only_run_touches_the_process() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let run = folder.join("run.rs");
    // What tests a program is no part of one.
    for path in sources(&folder).into_iter().filter(|path| !path.starts_with(folder.join("test"))) {
        let found = named(&path);
        match path == run {
            true => assert!(found.contains(&"std::env::"), "the test looks for the right words"),
            false => assert!(found.is_empty(), "{} names {found:?}", path.display()),
        }
        let text = fs::read_to_string(&path).unwrap();
        let signals = text.contains("signal_hook::");
        assert_eq!(signals, path.ends_with("signals.rs"), "{}", path.display());
        let watches = text.contains("signals::watch(");
        assert_eq!(watches, path == run, "{}", path.display());
    }
}
