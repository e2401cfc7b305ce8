//! Files with what is expected are written in one way: nothing reads `UPDATE` by itself, which would write them in CI, too.
//! (testing.md, acceptance 8)

use tests::sources::sources;

/// Where variables that write are read: for the macros of the kit, and for everything else.
const READERS: [&str; 2] = ["tool-core/src/test/update.rs", "tests/trials/src/lib.rs"];

/// What would read one, or hand it to a library that does.
const READING: [&str; 4] = ["(\"UPDATE\")", "(\"SNAPSHOTS\")", "TestCases::new()", "action_env("];

/// What stands in a file that leaves the decision to the one place.
const ASKING: [&str; 4] = [
    "tool_trials::updates()",
    "tool_trials::overwrites(",
    "tool_trials::keep_from_overwriting(",
    "env_remove(",
];

#[test]
fn nothing_writes_expected_files_without_a_look_at_ci() {
    let mut readers = 0;
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let is_own = READERS.contains(&name.as_str()) || name.ends_with("expected_files.rs");
        if is_own || !READING.iter().any(|words| text.contains(words)) {
            continue;
        }
        readers += 1;
        if !ASKING.iter().any(|words| text.contains(words)) {
            wrong.push(name);
        }
    }
    assert!(readers >= 4 && wrong.is_empty(), "{readers} files; without a look at CI: {wrong:?}");
}
