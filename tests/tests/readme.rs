//! The README: its transcripts are run, its tool is the one of the example, and its test passes.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use tests::built::program;
use tests::streams::mixed;

const README: &str = include_str!("../../README.md");
const QUICKSTART: &str = include_str!("../../examples/quickstart/src/main.rs");

#[test]
fn its_transcripts_are_what_the_program_prints() {
    tool_trials::keep_from_overwriting("TRYCMD");
    let cases = trycmd::TestCases::new();
    // The settings of whoever runs this are not those of the reader, who has none yet.
    cases.env("XDG_CONFIG_HOME", "/no-such-place");
    cases.env("NO_COLOR", "1").register_bin("quickstart", program("quickstart"));
    cases.case(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md"));
}

#[test]
fn each_of_its_transcripts_is_on_one_stream() {
    let (lines, wrong) = mixed(README, "quickstart", &program("quickstart"));
    assert!(lines >= 5, "{lines} lines");
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn its_tool_is_the_one_of_the_example_in_at_most_twelve_lines() {
    let tool = README.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(tool.lines().count() <= 12, "{} lines", tool.lines().count());
    assert!(QUICKSTART.contains(tool), "the tool of the README is not in the example");
    assert!(QUICKSTART.lines().count() < 40);
}

#[test]
fn its_test_is_the_one_of_the_example() {
    let test = README.split("```rust\n").nth(2).and_then(|rest| rest.split("```").next()).unwrap();
    let written = include_str!("../../examples/quickstart/src/greet_test.rs");
    assert!(written.contains(test), "the test of the README is not that of the example");
}
