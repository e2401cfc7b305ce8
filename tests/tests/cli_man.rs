//! Manual pages: one for each command, and every one of them is what the readers of manual pages take.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test, and tell why they are skipped"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The pages of the demo, written into a directory.
fn pages(directory: &Path) -> Vec<PathBuf> {
    pages_of(Path::new(env!("CARGO_BIN_EXE_demo")), directory)
}

/// The pages of a program, written into a directory.
fn pages_of(program: &Path, directory: &Path) -> Vec<PathBuf> {
    let written = Command::new(program)
        .args(["man", "--json", "--out", "pages"])
        .env("SOURCE_DATE_EPOCH", "86400")
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let listed: Vec<PathBuf> = serde_json::from_slice(&written.stdout).unwrap();
    let found: BTreeSet<PathBuf> =
        std::fs::read_dir(directory.join("pages")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), found);
    listed
}

/// Whether a reader takes every page without a word.
fn accepted(reader: &str, options: &[&str], pages: &[PathBuf]) {
    if Command::new(reader).arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        return tool_trials::skip(&format!("no {reader}"));
    }
    for page in pages {
        // `man` complains of a locale that is not installed.
        let read = Command::new(reader).args(options).arg(page).env("LC_ALL", "C.UTF-8").output().unwrap();
        let said = String::from_utf8_lossy(&read.stderr).into_owned();
        let told = if reader == "mandoc" { String::from_utf8_lossy(&read.stdout).into_owned() } else { said };
        assert!(read.status.success() && told.is_empty(), "{reader} of {}: {told}", page.display());
    }
}

#[test]
fn every_command_has_a_page_that_readers_accept() {
    let directory = tool_trials::directory();
    let pages = pages(directory.path());
    let names: Vec<&str> = pages.iter().filter_map(|page| page.file_name()?.to_str()).collect();
    for name in
        ["demo.1", "demo-store.1", "demo-store-search.1", "demo-ping.1", "demo-tools-list.1", "demo-man.1"]
    {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    for hidden in ["demo-store-lock.1", "demo-note-rank.1"] {
        assert!(!names.contains(&hidden), "{hidden}");
    }
    accepted("mandoc", &["-Tlint"], &pages);
    accepted("man", &["--warnings=w", "-E", "UTF-8", "-l"], &pages);
}

#[test]
fn readers_accept_every_page_of_the_standard_tools() {
    let toolbox = tests::built::program("toolbox");
    let directory = tool_trials::directory();
    let pages = pages_of(&toolbox, directory.path());
    assert!(pages.len() > 40, "{}", pages.len());
    accepted("mandoc", &["-Tlint"], &pages);
    accepted("man", &["--warnings=w", "-E", "UTF-8", "-l"], &pages);
    for (shell, script) in [("bash", "s.bash"), ("zsh", "_s"), ("fish", "s.fish")] {
        if !tool_trials::has_program(shell) {
            continue;
        }
        let printed = Command::new(&toolbox).args(["completions", shell]).output().unwrap();
        let script = directory.path().join(script);
        std::fs::write(&script, printed.stdout).unwrap();
        let checked = Command::new(shell).arg("-n").arg(&script).output().unwrap();
        assert!(checked.status.success() && checked.stderr.is_empty(), "{shell}: {checked:?}");
    }
}

#[test]
fn a_page_shows_its_date_its_options_and_its_examples() {
    let directory = tool_trials::directory();
    pages(directory.path());
    let page = std::fs::read_to_string(directory.path().join("pages/demo-store-search.1")).unwrap();
    for part in [
        ".TH DEMO\\-STORE\\-SEARCH 1 1970\\-01\\-02",
        "\\-\\-min\\-score",
        "[default:\\~10]",
        "demo store search lamp",
    ] {
        let plain = part.replace("\\-", "-");
        assert!(page.contains(part) || page.contains(&plain), "{part} in {page}");
    }
}

#[test]
fn no_name_is_broken_and_no_blank_added_at_any_width() {
    let directory = tool_trials::directory();
    let page = &pages(directory.path())[0];
    if Command::new("man").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        return;
    }
    for width in 40..100 {
        let width = width.to_string();
        let mut man = Command::new("man");
        let read = man.args(["-E", "UTF-8", "-l"]).arg(page).env("MANWIDTH", &width).output().unwrap();
        // The blank that breaks no line is one of its own where the reader has it.
        let text = String::from_utf8(read.stdout).unwrap().replace('\u{a0}', " ");
        for bracket in ["[env: DEMO_FORMAT]", "[env: DEMO_TIMEOUT]", "[default: .]"] {
            assert!(text.contains(bracket), "{bracket} at {width}: {text}");
        }
        assert!(text.contains("Colours: auto, always or never") || width.as_str() < "48", "{width}: {text}");
    }
}

#[test]
fn without_a_directory_the_page_of_the_program_is_printed() {
    let printed = Command::new(env!("CARGO_BIN_EXE_demo")).arg("man").output().unwrap();
    let page = String::from_utf8(printed.stdout).unwrap();
    assert!(page.contains(".TH DEMO 1 ") && page.contains("demo\\-store(1)"), "{page}");
}
