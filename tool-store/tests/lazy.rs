//! A journal that is opened by the first call that needs it.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::time::Instant;

use tool_store::{LazyJournal, SqliteOptions};

#[test]
fn a_journal_that_could_not_be_opened_is_opened_when_it_can_be() {
    let home = tool_trials::directory();
    let folder = home.path().join("state");
    std::fs::write(&folder, "in the way").unwrap();
    let journal = LazyJournal::new(folder.join("journal.db"), SqliteOptions::default());
    let refused = journal.open().unwrap_err();
    std::fs::remove_file(&folder).unwrap();
    // For a moment the answer stays.
    assert_eq!(journal.open().unwrap_err().to_string(), refused.to_string());
    let deadline = Instant::now() + tool_trials::patience();
    while let Err(error) = journal.open() {
        assert!(Instant::now() < deadline, "{error}");
        std::thread::yield_now();
    }
    assert!(folder.join("journal.db").is_file());
}
