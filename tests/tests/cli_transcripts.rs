//! What the command line prints, as transcripts: `TRYCMD=overwrite` writes them again.

#[test]
fn every_transcript_is_what_the_program_prints() {
    trycmd::TestCases::new().env("DEMO_FORMAT", "").case("cli/*.trycmd").case("cli/*.toml");
}
