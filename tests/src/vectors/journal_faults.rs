//! The faults of journal.json, each injected for real: files are replaced, processes killed, commits made to fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use tool_core::journal::{Journal, JournalError, MemoryJournal, RowQuery, Status, VerifyOptions};
use tool_core::{
    Behavior, Call, Caller, Coordinates, DynTool, Executor, JournalMode, Registry, ToolContext, ToolError,
    ToolOutput, ToolResult,
};
use tool_store::conformance::{CASES, Memory};
use tool_store::{SqliteJournal, SqliteOptions};

/// What the worker of a fault is told by.
const WORKER: &str = "TOOL_JOURNAL_WORKER";

type Checked = Result<(), String>;

pub(super) fn fault_case(case: &Value) -> Checked {
    let expect = &case["expect"];
    match case["id"].as_str().unwrap() {
        "fault-disk-full-at-outcome" => disk_full_at_outcome(),
        "fault-read-only-directory" => refused(open(Path::new("/sys/kernel/journal.db")), expect),
        "fault-network-fs" => network(expect),
        "fault-newer-schema" => untouched("PRAGMA user_version = 99", expect),
        "fault-foreign-file" => untouched("PRAGMA application_id = 77", expect),
        "fault-replaced" => {
            replaced(|path| std::fs::rename(path.with_extension("copy"), path).unwrap(), expect)
        }
        "fault-unlinked" => replaced(|path| std::fs::remove_file(path).unwrap(), expect),
        "fault-recovery-killed" => recovery_killed(),
        "fault-migration-killed" => migration_killed(),
        "fault-sigterm" => sigterm(),
        "fault-same-key-other-tenant" => other_tenant(expect),
        "fault-cancel-races-finish" => cancel_races_finish(),
        other => Err(format!("no injection for {other}")),
    }
}

fn open(path: &Path) -> Result<SqliteJournal, JournalError> {
    SqliteJournal::open(path, SqliteOptions::default())
}

fn folder() -> (tool_trials::Directory, PathBuf) {
    let folder = tool_trials::directory();
    let path = folder.path().join("journal.db");
    (folder, path)
}

fn refused<T>(result: Result<T, JournalError>, expect: &Value) -> Checked {
    let Err(error) = result else { return Err("it was not refused".to_owned()) };
    let error = ToolError::from(error);
    let mut got = json!({"kind": error.kind().as_str(), "code": error.code_str()});
    if expect["retryable"].is_boolean() {
        got["retryable"] = json!(error.is_retryable());
    }
    super::journal::same(got, expect)
}

/// An executor with one side effect that counts how often it runs.
fn counting(journal: Arc<dyn Journal>, effects: &Arc<AtomicU32>) -> Executor {
    let effects = Arc::clone(effects);
    let behavior = Behavior { side_effect: true, idempotent: false, destructive: false, open_world: false };
    let tool = DynTool::builder("charge").description("Charges.").behavior(behavior).handler(move |_, _| {
        effects.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolOutput::text("charged")) }
    });
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
    Executor::standard(registry).journal(journal, JournalMode::All, "test 1").build().unwrap()
}

fn charge(executor: &Executor, ctx: &ToolContext, key: Option<&str>) -> ToolResult {
    let mut call = Call::new("charge", json!({}));
    call.idempotency_key = key.map(str::to_owned);
    executor.call_blocking(call, ctx, Caller::Test)
}

fn rows(journal: &dyn Journal, query: RowQuery) -> Vec<tool_core::journal::Row> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(journal.rows(&query)).unwrap()
}

fn disk_full_at_outcome() -> Checked {
    let (_folder, path) = folder();
    let journal: Arc<dyn Journal> = Arc::new(open(&path).unwrap());
    let ballast = path.with_extension("ballast");
    assert!(ballast.exists(), "no ballast");
    let effects = Arc::new(AtomicU32::new(0));
    let behavior = Behavior { side_effect: true, idempotent: false, destructive: false, open_world: false };
    let count = Arc::clone(&effects);
    let tool = DynTool::builder("charge").description("Charges.").behavior(behavior).handler(move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        // The next commit of an outcome meets a full disk.
        fail::cfg("journal.finish.full", "1*return(full)").unwrap();
        async { Ok(ToolOutput::text("charged")) }
    });
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
    let executor = Executor::standard(registry)
        .journal(Arc::clone(&journal), JournalMode::All, "test 1")
        .build()
        .unwrap();
    let result = charge(&executor, &ToolContext::empty(), None);
    fail::remove("journal.finish.full");
    if result.is_err() || effects.load(Ordering::SeqCst) != 1 {
        return Err(format!("{result:?}"));
    }
    if ballast.exists() {
        return Err("the ballast was not given up".to_owned());
    }
    let written = rows(&*journal, RowQuery::default());
    super::journal::same(
        json!(written.iter().map(|row| row.status == Status::Ok).collect::<Vec<_>>()),
        &json!([true]),
    )
}

fn network(expect: &Value) -> Checked {
    let (_folder, path) = folder();
    // What statfs says of NFS.
    fail::cfg("open.file_system", "return(26985)").unwrap();
    let result = open(&path);
    fail::remove("open.file_system");
    refused(result, expect)?;
    open(&path).map(drop).map_err(|error| format!("the twin on a local disk: {error}"))
}

/// A database that must not be written to.
fn untouched(sql: &str, expect: &Value) -> Checked {
    let (_folder, path) = folder();
    drop(open(&path).unwrap());
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch(sql).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(db);
    let before = std::fs::read(&path).unwrap();
    refused(open(&path), expect)?;
    if std::fs::read(&path).unwrap() == before { Ok(()) } else { Err("it was written to".to_owned()) }
}

fn replaced(how: impl Fn(&Path), expect: &Value) -> Checked {
    let (_folder, path) = folder();
    let journal: Arc<dyn Journal> = Arc::new(open(&path).unwrap());
    let effects = Arc::new(AtomicU32::new(0));
    let executor = counting(journal, &effects);
    charge(&executor, &ToolContext::empty(), None).map_err(|error| error.to_string())?;
    std::fs::copy(&path, path.with_extension("copy")).unwrap();
    how(&path);
    let deadline = Instant::now() + tool_trials::patience();
    loop {
        let before = effects.load(Ordering::SeqCst);
        match charge(&executor, &ToolContext::empty(), None) {
            // It is looked at once a second at most.
            Ok(_) if Instant::now() < deadline => {}
            Ok(_) => return Err("it goes on for ever".to_owned()),
            Err(error) => {
                if effects.load(Ordering::SeqCst) != before {
                    return Err("the effect ran".to_owned());
                }
                let got = json!({"kind": error.kind().as_str(), "code": error.code_str(), "retryable": error.is_retryable()});
                return super::journal::same(got, expect);
            }
        }
    }
}

/// Starts this test program once more, as a worker.
fn worker(mode: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "vectors::journal_faults::a_worker", "--nocapture", "--test-threads=1"]);
    command.env(WORKER, format!("{mode}:{}", path.display()));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn die() {
    let me = rustix::process::getpid();
    let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
}

/// What a worker does; without being told, nothing.
#[test]
fn a_worker() {
    let Ok(told) = std::env::var(WORKER) else { return };
    let (mode, path) = told.split_once(':').unwrap();
    let path = Path::new(path);
    let nth = mode.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap_or(0);
    let hits = AtomicU32::new(0);
    let at = move || {
        if hits.fetch_add(1, Ordering::SeqCst) >= nth {
            die();
        }
    };
    if mode.starts_with("intents") {
        // Leaves calls open, and dies.
        let journal = open(path).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for call in 0..5 {
            let row = tool_core::journal::Row {
                call_id: format!("{nth}-{call}"),
                run_id: "run".to_owned(),
                attempt: nth + 1,
                tool_name: "charge".to_owned(),
                call_key: format!("{nth}-{call}"),
                side_effect: Some(true),
                ..tool_core::journal::Row::default()
            };
            let begin = tool_core::journal::Begin { row, ..tool_core::journal::Begin::default() };
            runtime.block_on(journal.begin(begin)).unwrap();
        }
        die();
    }
    if mode.starts_with("recover") {
        fail::cfg_callback("recover.between_rows", at).unwrap();
        drop(open(path));
    } else if mode.starts_with("migrate") {
        fail::cfg_callback("migrate.between_statements", at).unwrap();
        drop(open(path));
    } else if mode.starts_with("term") {
        serve_until_term(path);
    }
}

fn recovery_killed() -> Checked {
    let (_folder, path) = folder();
    let mut killed = 0;
    for round in 0..25 {
        worker(&format!("intents{round}"), &path).status().unwrap();
        // Each start finds what is left of the five, and dies behind one row more.
        for nth in 0..4 {
            let status = worker(&format!("recover{nth}"), &path).status().unwrap();
            killed += u32::from(!status.success());
        }
    }
    let journal = open(&path).unwrap();
    let all = rows(&journal, RowQuery::default());
    let doubtful = all.iter().filter(|row| row.status == Status::InDoubt).count();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let report = runtime.block_on(journal.verify(VerifyOptions { full: true, expect: None })).unwrap();
    if (all.len(), doubtful, report.verdict.is_ok()) != (125, 125, true) || killed < 100 {
        return Err(format!("{} rows, {doubtful} in doubt, {}, {killed} killed", all.len(), report.verdict));
    }
    Ok(())
}

fn migration_killed() -> Checked {
    for nth in 0..12 {
        let (_folder, path) = folder();
        let status = worker(&format!("migrate{nth}"), &path).status().unwrap();
        if status.success() {
            return if nth < 8 { Err(format!("only {nth} statements")) } else { Ok(()) };
        }
        let db = rusqlite::Connection::open(&path).unwrap();
        let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        let tables: i64 = db.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        drop(db);
        if (version, tables) != (0, 0) {
            return Err(format!("between: version {version}, {tables} tables"));
        }
        open(&path).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Runs one call that ends only by being cancelled; SIGTERM cancels it.
fn serve_until_term(path: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let journal: Arc<dyn Journal> = Arc::new(open(path).unwrap());
    let behavior = Behavior { side_effect: true, idempotent: false, destructive: false, open_world: false };
    let begun = path.with_extension("begun");
    let tool = DynTool::builder("charge").description("Charges.").behavior(behavior).handler(
        move |_, ctx: ToolContext| {
            std::fs::write(&begun, "").unwrap();
            async move {
                ctx.cancelled().await;
                Err(ToolError::cancelled("told to stop"))
            }
        },
    );
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
    let executor = Executor::standard(registry).journal(journal, JournalMode::All, "test 1").build().unwrap();
    let ctx = ToolContext::empty();
    runtime.block_on(async {
        let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).unwrap();
        let call = executor.call(Call::new("charge", json!({})), &ctx, Caller::Test);
        let stop = async {
            term.recv().await;
            ctx.cancel();
        };
        let (_, ()) = tokio::join!(call, stop);
    });
}

fn sigterm() -> Checked {
    let (_folder, path) = folder();
    let mut child = worker("term", &path).spawn().unwrap();
    let deadline = Instant::now() + tool_trials::patience();
    while !path.with_extension("begun").exists() {
        assert!(Instant::now() < deadline, "the call does not begin");
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    child.wait().unwrap();
    let all = rows(&open(&path).unwrap(), RowQuery::default());
    let statuses: Vec<bool> = all.iter().map(|row| row.status == Status::InDoubt).collect();
    let recorded = all.iter().all(|row| row.finished_at_ms.is_some());
    super::journal::same(json!([statuses, recorded]), &json!([[true], true]))
}

fn other_tenant(expect: &Value) -> Checked {
    let effects = Arc::new(AtomicU32::new(0));
    let executor = counting(Arc::new(MemoryJournal::new()), &effects);
    for tenant in ["t1", "t2", "t1"] {
        let ctx = ToolContext::empty().for_run(Coordinates::default().tenant(tenant));
        charge(&executor, &ctx, Some("order-1")).map_err(|error| error.to_string())?;
    }
    super::journal::same(json!({"executions": effects.load(Ordering::SeqCst)}), expect)
}

fn cancel_races_finish() -> Checked {
    let name = "cancel_and_finish_at_once_leave_one_outcome";
    let case = CASES.iter().find(|case| case.0 == name).ok_or("no such case")?.1;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(case(&Memory::default()));
    Ok(())
}
