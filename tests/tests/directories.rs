//! The directory of a test that fails is kept and named: tests have it from one place. (testing.md §7)

use tests::sources::sources;

/// Examples show what users have, and the peers are measured by themselves.
const OTHERS: [&str; 2] = ["examples/", "tests/peers"];

/// What would make one that is gone with whatever happened.
const PLAIN: &str = "tempfile::tempdir().unwrap()";

#[test]
fn every_test_has_its_directory_from_one_place() {
    let sources = sources();
    let own = |(name, text): &&(String, String)| {
        let is_code = |line: &str| !line.trim_start().starts_with("//");
        !OTHERS.iter().any(|other| name.starts_with(other))
            && text.lines().any(|line| is_code(line) && line.contains(PLAIN))
    };
    let plain: Vec<&str> = sources.iter().filter(own).map(|(name, _)| name.as_str()).collect();
    assert_eq!(plain, ["tests/tests/directories.rs"]);
    assert!(sources.iter().filter(|(_, text)| text.contains("tool_trials::directory()")).count() > 50);
}
