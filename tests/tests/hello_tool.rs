//! What a crate needs to keep its tools right: one dev-dependency and a few lines. (testing.md, acceptance 1)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

const SOURCE: &str = include_str!("../../examples/hello-tool/src/lib.rs");
const MANIFEST: &str = include_str!("../../examples/hello-tool/Cargo.toml");

/// The most lines of its tests.
const LINES: usize = 25;

#[test]
fn two_tools_are_kept_right_by_few_lines_and_one_dev_dependency() {
    let (tools, tests) = SOURCE.split_once("#[cfg(test)]\n").unwrap();
    assert_eq!(tools.matches("#[tool]").count(), 2);
    assert!(tests.lines().count() <= LINES, "{} lines", tests.lines().count());
    for part in ["assert_tools!(", "lock!(", "snapshot_tools!(", "ToolKit::new("] {
        assert!(tests.contains(part), "{part} is missing");
    }
    let needed = MANIFEST.split_once("[dev-dependencies]\n").unwrap().1.split("\n\n").next().unwrap();
    assert_eq!(needed, "tool-core = { workspace = true, features = [\"test\"] }");
}
