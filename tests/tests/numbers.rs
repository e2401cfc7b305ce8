//! The scripts keep to the numbers that the tests have. (testing.md, acceptance 10)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::fs;
use std::path::Path;

use tool_trials::{COVERED, FUZZ_SECONDS, SHARDS};

#[test]
fn every_script_has_the_number_that_is_written_down() {
    let shards: Vec<String> = (0..SHARDS).map(|shard| shard.to_string()).collect();
    for (script, line) in [
        ("tests/fuzz.sh", format!("seconds=${{1:-{FUZZ_SECONDS}}}\n")),
        ("tests/coverage.sh", format!("LEAST = {COVERED}  # percent of lines\n")),
        (".github/workflows/nightly.yml", format!("shard: [{}]\n", shards.join(", "))),
        (
            ".github/workflows/nightly.yml",
            format!("tests/nightly.sh mutants ${{{{ matrix.shard }}}}/{SHARDS}\n"),
        ),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(script);
        assert!(fs::read_to_string(path).unwrap().contains(&line), "{line:?} is not in {script}");
    }
}
