//! A journal that was changed behind its back: it never says that all is well while a row differs. (journal.md, acceptance 4)

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tool_core::journal::chain::Verdict;
use tool_core::journal::{Begin, Begun, Class, Journal as _, Outcome, Row, RowQuery, VerifyOptions};
use tool_store::{SqliteJournal, SqliteOptions};

const CALLS: usize = 40;
const PAGE: usize = 4_096;

/// Without waiting for the disk: nothing crashes here.
fn open(path: &Path) -> tool_core::journal::Result<SqliteJournal> {
    let mut options = SqliteOptions::default();
    options.synchronous = false;
    SqliteJournal::open(path, options)
}

fn block<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// A journal with some calls; the last commit is sealed.
fn filled(path: &Path, calls: usize) -> SqliteJournal {
    let journal = open(path).unwrap();
    block(async {
        for nth in 0..calls {
            let row = Row {
                run_id: "run".to_owned(),
                attempt: 1,
                tool_name: "charge".to_owned(),
                input_json: format!("{{\"amount\":{nth},\"note\":\"{}\"}}", "x".repeat(nth * 60)),
                call_key: format!("tk1_{nth:040}"),
                tool_key: format!("tk1_{nth:040}"),
                args_sha256: "0".repeat(64),
                caller: "test".to_owned(),
                class: Class::Keyed,
                side_effect: Some(true),
                idempotent: Some(false),
                takes_key: true,
                call_id: format!("call-{nth}"),
                ..Row::default()
            };
            let Begun::Run(lease) = journal.begin(Begin { row, ..Begin::default() }).await.unwrap() else {
                panic!("every key is new")
            };
            journal.finish(lease, Outcome::ok(format!("{{\"structured\":{nth}}}"))).await.unwrap();
        }
    });
    journal
}

fn rows(journal: &SqliteJournal) -> Option<Vec<String>> {
    let rows = block(journal.rows(&RowQuery::default())).ok()?;
    Some(rows.iter().map(|row| format!("{row:?}")).collect())
}

/// The files of a journal, elsewhere.
fn copied(from: &Path, to: &Path) -> PathBuf {
    std::fs::create_dir_all(to).unwrap();
    for name in ["journal.db", "journal.db-wal", "journal.seal", "journal.key"] {
        let source = from.with_file_name(name);
        if source.exists() {
            std::fs::copy(source, to.join(name)).unwrap();
        }
    }
    to.join("journal.db")
}

#[test]
fn a_flipped_byte_in_any_page_is_never_told_to_be_well_with_a_changed_row() {
    let home = tool_trials::directory();
    let path = home.path().join("a/journal.db");
    let journal = filled(&path, CALLS);
    let whole = rows(&journal).unwrap();
    drop(journal);
    let bytes = std::fs::read(&path).unwrap();
    assert!(path.with_file_name("journal.db-wal").metadata().map_or(0, |meta| meta.len()) == 0);
    let (mut found, mut harmless) = (0, 0);
    let pages = bytes.len() / PAGE;
    // Several places of each page: where its cells are, near its beginning, in the middle.
    let places: &[usize] = tool_trials::by_effort(&[4_080, 101, 1_900, 3_000], &[4_080]);
    for (page, at) in (0..pages).flat_map(|page| places.iter().map(move |at| (page, *at))) {
        let copy = copied(&path, &home.path().join(format!("{page}-{at}")));
        let file = std::fs::OpenOptions::new().write(true).open(&copy).unwrap();
        let place = page * PAGE + at;
        file.write_all_at(&[bytes[place] ^ 0x55], place as u64).unwrap();
        drop(file);
        let verdict = open(&copy).and_then(|journal| {
            let report = block(journal.verify(VerifyOptions { full: true, expect: None }))?;
            Ok((report.verdict.is_ok(), rows(&journal)))
        });
        match verdict {
            Ok((true, Some(now))) => {
                assert!(now == whole, "byte {at} of page {page}: well, and a row is another one");
                harmless += 1;
            }
            Ok((true, None)) => panic!("byte {at} of page {page}: well, and the rows cannot be read"),
            Ok((false, _)) | Err(_) => found += 1,
        }
        std::fs::remove_dir_all(copy.parent().unwrap()).unwrap();
    }
    println!("damaged: {pages} pages, {found} changes found, {harmless} changed no row");
    assert!(pages > 30 && found > pages / 2, "{found} of {pages} pages: the test proves nothing");
}

#[test]
fn opening_looks_at_the_rows_of_the_last_entries_and_a_full_look_at_every_row() {
    let home = tool_trials::directory();
    let path = home.path().join("journal.db");
    let calls = usize::try_from(tool_store::sqlite::RECENT).unwrap() / 2 + 20;
    drop(filled(&path, calls));
    let change = |call: &str| {
        let db = rusqlite::Connection::open(&path).unwrap();
        let sql = "UPDATE tool_calls SET node_id = 'elsewhere' WHERE call_id = ?1";
        assert_eq!(db.execute(sql, [call]).unwrap(), 1);
    };
    change("call-0");
    let journal = open(&path).unwrap();
    let report = |full: bool| block(journal.verify(VerifyOptions { full, expect: None })).unwrap();
    let recent = report(false);
    assert!(recent.verdict.is_ok() && recent.rows <= recent.entries && recent.entries < 1_001, "{recent:?}");
    let whole = report(true).verdict;
    assert!(matches!(&whole, Verdict::RowChanged { call_id } if call_id == "call-0"), "{whole}");
    drop(journal);
    change(&format!("call-{}", calls - 1));
    let error = tool_core::ToolError::from(open(&path).unwrap_err());
    assert_eq!((error.kind().as_str(), error.code_str()), ("internal", "journal_corrupt"));
}

#[test]
fn a_log_that_lost_its_end_is_told_to_be_truncated() {
    let home = tool_trials::directory();
    let path = home.path().join("a/journal.db");
    let journal = filled(&path, 20);
    let head = journal.head().unwrap();
    // The seal is written by a thread of its own.
    let deadline = Instant::now() + tool_trials::patience();
    let sealed = || {
        let seal = std::fs::read(path.with_extension("seal")).unwrap();
        let n =
            |at: usize| seal.get(at + 8..at + 16).map_or(0, |n| u64::from_le_bytes(n.try_into().unwrap()));
        n(0).max(n(128))
    };
    while sealed() < head.n {
        assert!(Instant::now() < deadline, "the end was not sealed");
        std::thread::yield_now();
    }
    // As a kill leaves it: nothing of the log is in the database yet.
    let whole = copied(&path, &home.path().join("whole"));
    let cut = copied(&path, &home.path().join("cut"));
    let log = cut.with_file_name("journal.db-wal");
    let length = log.metadata().unwrap().len();
    assert!(length > 100_000, "{length}");
    std::fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(length * 6 / 10).unwrap();
    let error = tool_core::ToolError::from(open(&cut).unwrap_err());
    assert_eq!((error.kind().as_str(), error.code_str()), ("internal", "journal_truncated"));
    assert!(
        error.message().contains("truncated") && error.message().contains(&format!("sealed {}", head.n)),
        "{error}"
    );
    // Its twin is whole, all the calls of the dead owner in it.
    let twin = open(&whole).unwrap();
    let report = block(twin.verify(VerifyOptions { full: true, expect: Some(head) })).unwrap();
    assert!(matches!(report.verdict, Verdict::Ok(_)), "{}", report.verdict);
    assert_eq!(rows(&twin).unwrap().len(), 20);
}

#[test]
fn an_intent_that_nobody_took_is_not_open_for_ever() {
    let home = tool_trials::directory();
    let journal = filled(&home.path().join("journal.db"), 1);
    let row = |id: &str| Row {
        run_id: "run".to_owned(),
        attempt: 1,
        tool_name: "charge".to_owned(),
        input_json: "{}".to_owned(),
        call_key: format!("key {id}"),
        tool_key: format!("key {id}"),
        caller: "test".to_owned(),
        class: Class::Manual,
        side_effect: Some(true),
        idempotent: Some(false),
        call_id: id.to_owned(),
        ..Row::default()
    };
    block(async {
        let mut left = 0;
        for nth in 0.. {
            let mut begin = journal.begin(Begin { row: row(&format!("left-{nth}")), ..Begin::default() });
            // Queued, and its caller goes away: unless the writer was quicker than this thread, and the caller has it.
            let polled = std::future::poll_fn(|cx| std::task::Poll::Ready(begin.as_mut().poll(cx))).await;
            drop(begin);
            match polled {
                std::task::Poll::Pending => left += 1,
                std::task::Poll::Ready(Ok(Begun::Run(lease))) => {
                    let outcome = Outcome::error(&tool_core::ToolError::cancelled("Taken."));
                    journal.finish(lease, outcome).await.unwrap();
                }
                std::task::Poll::Ready(other) => panic!("{other:?}"),
            }
            if left == 8 {
                break;
            }
        }
        let deadline = Instant::now() + tool_trials::patience();
        loop {
            let rows = journal.rows(&RowQuery::default()).await.unwrap();
            let left: Vec<_> = rows.iter().filter(|row| row.call_id.starts_with("left")).collect();
            if left.len() >= 8 && left.iter().all(|row| !row.status.is_open()) {
                break;
            }
            assert!(Instant::now() < deadline, "{:?}", left.iter().map(|row| row.status).collect::<Vec<_>>());
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn what_is_salvaged_goes_on_behind_the_damage_and_can_be_opened() {
    let home = tool_trials::directory();
    let path = home.path().join("a/journal.db");
    drop(filled(&path, 200));
    let whole = std::fs::read(&path).unwrap();
    let pages = whole.len() / PAGE;
    let (mut complete, mut partial, mut lost) = (0, 0, 0);
    // Each page that is not the first, which says whose file it is.
    let places: Vec<usize> = (1..pages).step_by(pages / tool_trials::by_effort(&40, &6)).collect();
    for page in places {
        let damaged = copied(&path, &home.path().join(page.to_string()));
        let file = std::fs::OpenOptions::new().write(true).open(&damaged).unwrap();
        file.write_all_at(&[0xff; PAGE], (page * PAGE) as u64).unwrap();
        drop(file);
        let to = damaged.with_file_name("copy.db");
        let salvaged = tool_store::sqlite::salvage(&damaged, &to).unwrap();
        let (name, calls, why) = &salvaged.tables[0];
        assert_eq!(name, "tool_calls");
        assert!(*calls == 200 || why.is_some(), "page {page}: {salvaged:?}");
        let journal = open(&to).unwrap();
        let report = block(journal.verify(VerifyOptions { full: true, expect: None })).unwrap();
        assert!(report.verdict.is_ok(), "page {page}: {}", report.verdict);
        assert_eq!((rows(&journal).unwrap().len(), report.rows), (*calls, *calls as u64), "page {page}");
        match *calls {
            200 => complete += 1,
            150..200 => partial += 1,
            // What points to the pages of all calls.
            _ => lost += 1,
        }
        drop(journal);
        std::fs::remove_dir_all(damaged.parent().unwrap()).unwrap();
    }
    println!("salvaged: {complete} copies with all calls, {partial} with most, {lost} with fewer");
    assert!(partial > 0 && lost <= 2, "{complete} {partial} {lost}");
}

#[test]
fn an_error_of_damage_names_the_file_and_the_way_out() {
    let home = tool_trials::directory();
    let path = home.path().join("a/journal.db");
    drop(filled(&path, CALLS));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..16].copy_from_slice(b"SQLite format 9\0");
    std::fs::write(&path, bytes).unwrap();
    let error = tool_core::ToolError::from(open(&path).unwrap_err());
    assert_eq!(error.code_str(), "journal_corrupt");
    assert!(error.message().contains(&path.display().to_string()), "{error}");
    assert!(error.hint_str().unwrap().contains("journal salvage"), "{error}");
}
