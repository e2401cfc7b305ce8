//! What the command line tells of itself, as transcripts: `TRYCMD=overwrite` writes them again. Those of calls are in
//! `cli/demo.md`, and the tests of the terminal run them.

use std::path::Path;

use tests::streams::mixed;

const TOPICS: &str = include_str!("../cli/topics.trycmd");

#[test]
fn every_transcript_is_what_the_program_prints() {
    tool_trials::keep_from_overwriting("TRYCMD");
    trycmd::TestCases::new().env("DEMO_FORMAT", "").case("cli/*.trycmd");
}

#[test]
fn a_transcript_is_on_one_stream() {
    let (lines, wrong) = mixed(TOPICS, "demo", Path::new(env!("CARGO_BIN_EXE_demo")));
    assert!(lines >= 6, "{lines} lines");
    assert!(wrong.is_empty(), "{wrong:?}");
}
