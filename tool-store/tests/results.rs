//! Parked results in the journal's file: what every store keeps to, and that they outlast the process. (calls.md §10)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tool_core::journal::{Journal as _, RowQuery};
use tool_core::prelude::*;
use tool_core::redact::KnownSecrets;
use tool_core::test::FakeClock;
use tool_core::{
    Call, Caller, Clock, Content, Coordinates, ErrorKind, Executor, JournalMode, MemoryResults, Parked,
    ReadResultTool, Registry, ResultLimits, ResultScope, ResultStore, ShapeSettings,
};
use tool_store::conformance::results::RESULTS;
use tool_store::{LazyJournal, SqliteJournal, SqliteOptions, StoredResults};
use tool_trials::Directory;

#[test]
fn results_in_memory_pass_the_suite() {
    for (name, case) in RESULTS {
        println!("{name}");
        case(&|limits, clock| Arc::new(MemoryResults::new(limits, clock)));
    }
}

#[test]
fn results_in_a_file_pass_the_suite() {
    for (name, case) in RESULTS {
        println!("{name}");
        let home = tool_trials::directory();
        case(&|limits, clock| Arc::new(StoredResults::within(lazy(&home), limits, clock)));
    }
}

fn place(home: &Directory) -> PathBuf {
    home.path().join("journal.db")
}

fn lazy(home: &Directory) -> Arc<LazyJournal> {
    Arc::new(LazyJournal::new(place(home), SqliteOptions::default()))
}

/// What a process keeps within the usual limits, at a time.
fn at(home: &Directory, clock: &Arc<FakeClock>) -> StoredResults {
    StoredResults::within(lazy(home), ResultLimits::default(), Arc::clone(clock) as Arc<dyn Clock>)
}

fn own() -> ResultScope {
    ResultScope { tenant: "t".to_owned(), run: "run-1".to_owned() }
}

fn parked(text: &str) -> Parked {
    let (media, tool) = ("text/plain".to_owned(), "look".to_owned());
    Parked { text: text.into(), media, tool, call_id: None, is_private: false }
}

/// Whether a text stands in one of the files of a journal.
fn is_on_disk(home: &Directory, text: &str) -> bool {
    let has = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    };
    std::fs::read_dir(home.path()).unwrap().any(|entry| has(&entry.unwrap().path()))
}

#[test]
fn the_next_process_finds_what_was_parked_and_what_is_gone() {
    let (home, clock) = (tool_trials::directory(), Arc::new(FakeClock::default()));
    let first = at(&home, &clock);
    let id = first.put(&own(), parked("kept on disk")).unwrap();
    drop(first);
    assert!(is_on_disk(&home, "kept on disk"));
    assert_eq!(at(&home, &clock).get(&own(), &id).unwrap(), parked("kept on disk"));
    clock.advance(Duration::from_secs(24 * 3_600));
    // Whoever parks next tidies up.
    at(&home, &clock).put(&own(), parked("later")).unwrap();
    assert_eq!(at(&home, &clock).get(&own(), &id).unwrap_err().code_str(), "result_expired");
}

#[test]
fn what_must_not_be_written_is_not() {
    let (home, clock) = (tool_trials::directory(), Arc::new(FakeClock::default()));
    let store = at(&home, &clock);
    let id = store.put(&own(), Parked { is_private: true, ..parked("between us") }).unwrap();
    assert_eq!(&*store.get(&own(), &id).unwrap().text, "between us");
    drop(store);
    assert!(!is_on_disk(&home, "between us"));
    assert_eq!(at(&home, &clock).get(&own(), &id).unwrap_err().code_str(), "unknown_result");
}

#[test]
fn asking_for_a_result_makes_no_journal() {
    let (home, clock) = (tool_trials::directory(), Arc::new(FakeClock::default()));
    assert_eq!(at(&home, &clock).get(&own(), "res_0").unwrap_err().code_str(), "unknown_result");
    assert!(!place(&home).exists());
}

#[test]
fn a_journal_that_cannot_be_opened_leaves_results_in_memory() {
    let home = tool_trials::directory();
    let store = StoredResults::new(Arc::new(LazyJournal::new(
        home.path().join("file/journal.db"),
        SqliteOptions::default(),
    )));
    std::fs::write(home.path().join("file"), "in the way").unwrap();
    let id = store.put(&own(), parked("in memory")).unwrap();
    assert_eq!(&*store.get(&own(), &id).unwrap().text, "in memory");
}

#[test]
fn results_do_not_take_the_room_that_is_kept_for_outcomes() {
    let home = tool_trials::directory();
    let mut options = SqliteOptions::default();
    options.min_free = u64::MAX;
    let store = StoredResults::new(Arc::new(LazyJournal::new(place(&home), options)));
    let refused = store.put(&own(), parked("too much")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
    let roomy = StoredResults::new(lazy(&home));
    roomy.put(&own(), parked("fits")).unwrap();
}

const SECRET: &str = "sk-CANARY-4711-xyz";

/// Says a lot.
#[tool(register = false)]
fn look() -> String {
    format!("begin {SECRET} {} {SECRET} end", "much ".repeat(4_000))
}

/// Changes something, and says a lot.
#[tool(side_effect, idempotent, register = false)]
fn change() -> String {
    format!("changed {} done", "much ".repeat(4_000))
}

/// What somebody is handed.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Handed {
    #[schemars(extend("x-log" = "secret"))]
    pin: String,
    more: String,
}

/// Hands out a secret that nobody knows of yet.
#[tool(register = false)]
fn hand_out() -> Handed {
    Handed { pin: "PIN-98431-new".to_owned(), more: "much ".repeat(4_000) }
}

/// A process with this journal.
fn process(home: &Directory, unscrubbed: &[&str], options: SqliteOptions) -> Executor {
    let journal = Arc::new(LazyJournal::new(place(home), options));
    let registry = Registry::builder().add::<LookTool>().add::<ChangeTool>().add::<HandOutTool>();
    let shape = ShapeSettings {
        secrets: Arc::new(KnownSecrets::new([("API_KEY", SECRET)])),
        unscrubbed: unscrubbed.iter().map(|name| (*name).to_owned()).collect(),
        ..ShapeSettings::default()
    };
    Executor::standard(registry.add::<ReadResultTool>().build().unwrap())
        .journal(Arc::clone(&journal) as Arc<dyn tool_core::journal::Journal>, JournalMode::All, "test 1")
        .shape(ShapeSettings { results: Some(Arc::new(StoredResults::new(journal))), ..shape })
        .build()
        .unwrap()
}

fn call(executor: &Executor, run: &str, tool: &str, args: serde_json::Value) -> ToolResult {
    let ctx = ToolContext::builder().agent("bot").at(Coordinates::new(run)).build();
    executor.call_blocking(Call::new(tool, args), &ctx, Caller::Llm)
}

fn text(output: &ToolOutput) -> &str {
    match &output.content[..] {
        [Content::Text { text }] => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_later_process_of_the_run_reads_a_result_and_no_secret_is_on_the_disk() {
    let home = tool_trials::directory();
    let first = process(&home, &[], SqliteOptions::default());
    let output = call(&first, "run-1", "look", json!({})).unwrap();
    let id = output.meta["parked"].as_str().unwrap().to_owned();
    drop(first);
    assert!(is_on_disk(&home, "[secret:API_KEY] end") && !is_on_disk(&home, SECRET));

    let next = process(&home, &[], SqliteOptions::default());
    let page = call(&next, "run-1", "read_result", json!({"id": id, "page": 1})).unwrap();
    assert!(text(&page).contains("begin [secret:API_KEY] much"), "{}", text(&page));
    let stranger = call(&next, "run-2", "read_result", json!({"id": id, "page": 1})).unwrap_err();
    assert_eq!(stranger.code_str(), "unknown_result");
}

#[test]
fn secrets_of_a_result_stay_in_memory_where_they_are_not_taken_out() {
    let home = tool_trials::directory();
    let first = process(&home, &["look"], SqliteOptions::default());
    let raw = call(&first, "run-1", "look", json!({})).unwrap().meta["parked"].clone();
    let marked = call(&first, "run-1", "hand_out", json!({})).unwrap().meta["parked"].clone();
    let page = call(&first, "run-1", "read_result", json!({"id": marked, "find": "PIN-"})).unwrap();
    assert!(text(&page).contains("PIN-98431-new"), "{}", text(&page));
    drop(first);
    let next = process(&home, &["look"], SqliteOptions::default());
    for id in [raw, marked] {
        let gone = call(&next, "run-1", "read_result", json!({"id": id, "page": 1})).unwrap_err();
        assert_eq!(gone.code_str(), "unknown_result");
    }
}

#[test]
fn a_result_lives_as_long_as_the_row_of_its_call() {
    let home = tool_trials::directory();
    let first = process(&home, &[], SqliteOptions::default());
    let output = call(&first, "run-1", "change", json!({})).unwrap();
    let id = output.meta["parked"].as_str().unwrap().to_owned();
    drop(first);
    let scope = {
        let journal = SqliteJournal::open(place(&home), SqliteOptions::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let rows = runtime.block_on(journal.rows(&RowQuery::default())).unwrap();
        assert_eq!(rows.len(), 1);
        ResultScope { tenant: rows[0].tenant.clone(), run: "run-1".to_owned() }
    };
    let year = Duration::from_secs(365 * 24 * 3_600);
    let clock = Arc::new(FakeClock::new(std::time::SystemTime::now() + year));
    let later = at(&home, &clock);
    let alone = later.put(&scope, parked("of no call")).unwrap();
    assert_eq!(later.get(&scope, &id).unwrap().tool, "change", "its row is there");
    clock.advance(year);
    later.sweep();
    assert_eq!(later.get(&scope, &alone).unwrap_err().code_str(), "result_expired");
    later.get(&scope, &id).unwrap();
    drop(later);
    let journal = SqliteJournal::open(place(&home), SqliteOptions::default()).unwrap();
    assert_eq!(journal.prune(Duration::ZERO).unwrap().calls, 1);
    drop(journal);
    assert_eq!(at(&home, &clock).get(&scope, &id).unwrap_err().code_str(), "result_expired");
}

#[test]
fn a_result_that_cannot_be_kept_is_cut_and_not_lost() {
    let home = tool_trials::directory();
    let registry = Registry::builder().add::<LookTool>().add::<ReadResultTool>().build().unwrap();
    let mut options = SqliteOptions::default();
    options.min_free = u64::MAX;
    let full = StoredResults::new(Arc::new(LazyJournal::new(place(&home), options)));
    let shape = ShapeSettings { results: Some(Arc::new(full)), ..ShapeSettings::default() };
    let executor = Executor::standard(registry).shape(shape).build().unwrap();
    let output = call(&executor, "run-1", "look", json!({})).unwrap();
    let shown = text(&output);
    assert!(shown.starts_with("begin ") && shown.contains("\n…\n"), "{shown}");
    let all = look().chars().count();
    let told = format!(" end\n[cut: 10000 of {all} characters are shown; the rest could not be kept]");
    assert!(shown.ends_with(&told), "{shown}");
    assert_eq!(shown.chars().count(), 10_000 + "\n…\n".chars().count() + told.chars().count() - " end".len());
    assert_eq!(output.meta.get("parked"), None);
    assert_eq!(output.meta["truncated"]["total"], json!(all));
}
