//! What the command line tells of itself, as transcripts: `TRYCMD=overwrite` writes them again. Those of calls are in
//! `cli/demo.md`, and the tests of the terminal run them.

#[test]
fn every_transcript_is_what_the_program_prints() {
    trycmd::TestCases::new().env("DEMO_FORMAT", "").case("cli/*.trycmd");
}
