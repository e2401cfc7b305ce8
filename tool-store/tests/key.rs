//! What keyed digests are made with: made once for all processes, or given. (journal.md §3)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::thread;

use tool_core::journal::Journal as _;
use tool_store::sqlite::Key;
use tool_store::{SqliteJournal, SqliteOptions};

fn pepper(path: &Path, key: Key) -> [u8; 32] {
    let mut options = SqliteOptions::default();
    options.key = key;
    SqliteJournal::open(path, options).unwrap().pepper().0
}

#[test]
fn those_who_make_a_journal_at_once_share_its_key() {
    for _ in 0..8 {
        let home = tool_trials::directory();
        let path = home.path().join("journal.db");
        let peppers: Vec<[u8; 32]> = thread::scope(|scope| {
            let openers: Vec<_> = (0..8).map(|_| scope.spawn(|| pepper(&path, Key::File))).collect();
            openers.into_iter().map(|opener| opener.join().unwrap()).collect()
        });
        assert!(peppers.iter().all(|pepper| *pepper == peppers[0] && *pepper != [0; 32]), "{peppers:?}");
        assert_eq!(std::fs::read(path.with_extension("key")).unwrap(), peppers[0]);
    }
}

#[test]
fn a_key_that_was_left_half_written_is_made_anew_and_a_whole_one_stays() {
    let home = tool_trials::directory();
    let path = home.path().join("journal.db");
    std::fs::write(path.with_extension("key"), [7; 5]).unwrap();
    let made = pepper(&path, Key::File);
    assert_ne!(made[..5], [7; 5]);
    assert_eq!(pepper(&path, Key::File), made);
}

#[test]
fn a_key_that_is_given_is_used_and_written_nowhere() {
    let home = tool_trials::directory();
    let path = home.path().join("journal.db");
    let given = Key::of_text("DEMO_JOURNAL_KEY", &"ab".repeat(32)).unwrap();
    assert_eq!(pepper(&path, given), [0xab; 32]);
    assert!(!path.with_extension("key").exists());
    let wrong = Key::of_text("DEMO_JOURNAL_KEY", "ab").unwrap_err();
    assert_eq!(wrong.to_string(), "DEMO_JOURNAL_KEY must be 64 hex digits.");
}
