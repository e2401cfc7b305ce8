//! What lies where a journal is to be, or beside it: what is not ours is left as it is. (journal.md §10)

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;

use tool_core::journal::{
    Begin, Begun, Class, Journal as _, Outcome, RevertStatus, Row, RowQuery, VerifyOptions,
};
use tool_store::sqlite::Key;
use tool_store::{SqliteJournal, SqliteOptions};

fn open(path: &Path) -> tool_core::journal::Result<SqliteJournal> {
    let mut options = SqliteOptions::default();
    options.synchronous = false;
    options.key = Key::File;
    SqliteJournal::open(path, options)
}

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    let mut names: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().mode() & 0o777
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    for (what, sql) in [
        ("with an id", "PRAGMA application_id = 77; CREATE TABLE theirs (x)"),
        ("with a version", "PRAGMA user_version = 3; CREATE TABLE theirs (x)"),
        ("with neither", "CREATE TABLE theirs (x)"),
        ("with a log", "PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)"),
    ] {
        let home = tool_trials::directory();
        let path = home.path().join("theirs.db");
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        chmod(&path, 0o644);
        let before = (std::fs::read(&path).unwrap(), names(home.path()));
        let error = open(&path).unwrap_err();
        assert_eq!(error.code(), "journal_not_ours", "{what}: {error}");
        assert_eq!((std::fs::read(&path).unwrap(), names(home.path())), before, "{what}");
        assert_eq!(mode(&path), 0o644, "{what}");
    }
    // A file that is empty, and one that was only begun, are ours to fill.
    for sql in ["", "PRAGMA journal_mode = WAL"] {
        let home = tool_trials::directory();
        let path = home.path().join("empty.db");
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        open(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
    }
}

#[test]
fn what_is_no_file_is_not_waited_for_and_what_is_no_database_is_not_changed() {
    let home = tool_trials::directory();
    let pipe = home.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    assert_eq!(open(&pipe).unwrap_err().code(), "journal_not_ours");
    assert_eq!(tool_store::sqlite::catalogue_at(&pipe).unwrap_err().code(), "journal_not_ours");
    let text = home.path().join("notes.txt");
    std::fs::write(&text, "Buy milk. ".repeat(100)).unwrap();
    chmod(&text, 0o644);
    let error = open(&text).unwrap_err();
    assert_eq!((error.code(), mode(&text)), ("journal_corrupt", 0o644), "{error}");
    assert_eq!(names(home.path()), ["notes.txt", "pipe"]);
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let home = tool_trials::directory();
    let path = home.path().join("journal.db");
    let made = open(&path).unwrap().pepper().0;
    let key = path.with_extension("key");
    chmod(&key, 0o644);
    let error = open(&path).unwrap_err();
    assert_eq!(error.code(), "journal_unsafe_permissions");
    assert!(error.to_string().contains("journal.key") && error.to_string().contains("644"), "{error}");
    chmod(&key, 0o600);
    assert_eq!(open(&path).unwrap().pepper().0, made);
}

#[tokio::test]
async fn pruning_keeps_every_long_value_of_the_calls_that_stay() {
    let home = tool_trials::directory();
    let journal = open(&home.path().join("journal.db")).unwrap();
    let row = Row {
        run_id: "run".to_owned(),
        attempt: 1,
        tool_name: "build".to_owned(),
        input_json: "{}".to_owned(),
        call_id: "a".to_owned(),
        call_key: "k".to_owned(),
        tool_key: "k".to_owned(),
        caller: "test".to_owned(),
        class: Class::Manual,
        side_effect: Some(true),
        idempotent: Some(false),
        ..Row::default()
    };
    let Begun::Run(lease) = journal.begin(Begin { row, ..Begin::default() }).await.unwrap() else {
        panic!("the key is new")
    };
    journal.finish(lease, Outcome::ok("{}")).await.unwrap();
    let why = format!("{{\"message\":\"{}\"}}", "x".repeat(100_000));
    journal.revert("a".to_owned(), RevertStatus::Failed, Some(why.clone())).await.unwrap();
    journal.prune(Duration::from_secs(3_600)).unwrap();
    let rows = journal.rows(&RowQuery::default()).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.revert_error_json.clone()).collect::<Vec<_>>(), [Some(why)]);
    let report = journal.verify(VerifyOptions { full: true, expect: None }).await.unwrap();
    assert!(report.verdict.is_ok(), "{}", report.verdict);
}
