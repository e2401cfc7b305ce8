//! What the documents name is there: files, tests, and the packages that have them.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::fs;
use std::path::{Path, PathBuf};

/// The documents whose paths are those of this tree; what the changelog names may be gone.
const DOCUMENTS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "tests/mutants.md"];

/// Where the tests of the packages are.
const PACKAGES: [&str; 9] = [
    "tests",
    "tool-agent",
    "tool-cli",
    "tool-core",
    "tool-http",
    "tool-macros",
    "tool-mcp",
    "tool-std",
    "tool-store",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What stands between backticks on one line.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Whether a word is a path of this tree: it has a directory that is there, and no part that stands for another.
fn is_path(word: &str) -> bool {
    let (directory, rest) = word.split_once('/').unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-".contains(c);
    !rest.is_empty() && word.chars().all(is_plain) && root().join(directory).is_dir()
}

#[test]
fn every_file_that_is_named_is_there() {
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let words = code(&text).flat_map(|code| code.split([' ', ',', ';']));
        let missing: Vec<&str> = words.filter(|word| is_path(word) && !root().join(word).exists()).collect();
        assert_eq!(missing, [""; 0], "{document}");
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let own = links.filter(|link| !link.contains("://") && !link.starts_with('#'));
        let beside = root().join(document).parent().unwrap().to_owned();
        let broken: Vec<&str> =
            own.filter(|link| !beside.join(link.split('#').next().unwrap()).exists()).collect();
        assert_eq!(broken, [""; 0], "{document}");
    }
}

#[test]
fn every_test_that_is_named_is_there() {
    let has = |package: &str, test: &str| {
        let tests = root().join(package).join("tests");
        tests.join(format!("{test}.rs")).exists() || tests.join(test).join("main.rs").exists()
    };
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for command in code(&text).filter(|code| code.contains("cargo test")) {
            let words: Vec<&str> = command.split_whitespace().collect();
            let behind = |option: &str| {
                let at: Vec<usize> = (0..words.len()).filter(|at| words.get(*at) == Some(&option)).collect();
                at.into_iter().filter_map(|at| words.get(at + 1).copied()).collect::<Vec<_>>()
            };
            let named = behind("-p");
            let packages = if named.is_empty() { PACKAGES.to_vec() } else { named };
            for test in behind("--test").into_iter().filter(|test| !test.contains(['{', '[', '<'])) {
                assert!(packages.iter().any(|package| has(package, test)), "{document}: {test} of {command}");
            }
        }
    }
}
