//! The scripts keep to the numbers that the tests have. (testing.md, acceptance 10)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::fs;
use std::path::{Path, PathBuf};

use tool_trials::{COVERED, FUZZ_SECONDS, SHARDS};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_script_has_the_number_that_is_written_down() {
    let nightly = fs::read_to_string(root().join("tests/nightly.sh")).unwrap();
    let parts = nightly.split_once("\nparts=(").unwrap().1.split(')').next().unwrap().replace(' ', ", ");
    let shards: Vec<String> = (0..SHARDS).map(|shard| shard.to_string()).collect();
    for (script, line) in [
        ("tests/fuzz.sh", format!("seconds=${{1:-{FUZZ_SECONDS}}}\n")),
        ("tests/coverage.sh", format!("LEAST = {COVERED}  # percent of lines\n")),
        (".github/workflows/nightly.yml", format!("part: [{parts}]\n")),
        (".github/workflows/nightly.yml", format!("shard: [{}]\n", shards.join(", "))),
        (
            ".github/workflows/nightly.yml",
            format!("tests/nightly.sh mutants ${{{{ matrix.shard }}}}/{SHARDS}\n"),
        ),
    ] {
        assert!(
            fs::read_to_string(root().join(script)).unwrap().contains(&line),
            "{line:?} is not in {script}"
        );
    }
}
