//! What a durable journal costs its callers, in one run, on one disk, with `synchronous = FULL`. (journal.md §13)
//!
//! Prints calls per second at 32 callers of one task, by group commit against one commit per operation (each call is an intent
//! and an outcome); the slowest intents against the disk's own sync; what a million rows slow an intent; what a read costs.
//! `TOOL_BENCH_PEER` names a program that makes the same calls with another library, `TOOL_BENCH_ROWS` another number of rows.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tool_core::journal::{Begin, Begun, Class, Journal, Outcome, Row};
use tool_store::{SqliteJournal, SqliteOptions};

/// How many callers there are.
const CALLERS: usize = 32;

/// How long each way is measured.
const TIME: Duration = Duration::from_secs(4);

/// How many rows a journal has that was long in use.
const ROWS: usize = 1_000_000;

/// How many reads are recorded in a row: less than the writer's queue holds.
const READS: usize = 500;

/// The median time of a synced write of 400 bytes.
fn sync_median(folder: &Path) -> Duration {
    let file = std::fs::File::create(folder.join("sync")).unwrap();
    let mut times: Vec<Duration> = (0..200)
        .map(|nth| {
            file.write_all_at(&[b'x'; 400], nth * 400).unwrap();
            let started = Instant::now();
            file.sync_data().unwrap();
            started.elapsed()
        })
        .collect();
    quantile(&mut times, 0.5)
}

/// The time below which this share of all is.
fn quantile(times: &mut [Duration], share: f64) -> Duration {
    times.sort();
    times[((times.len() - 1) as f64 * share) as usize]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A journal in a folder; at most so many operations share a commit.
fn opened(folder: &Path, name: &str, batch: usize, synchronous: bool) -> Arc<dyn Journal> {
    let mut options = SqliteOptions::default();
    (options.batch, options.synchronous) = (batch, synchronous);
    Arc::new(SqliteJournal::open(folder.join(name), options).unwrap())
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A call as the executor makes it: ids that grow, keys that are digests.
fn row() -> Row {
    let key = format!("tk1_{:.40}", uuid::Uuid::new_v4().simple().to_string().repeat(2));
    Row {
        run_id: "run".to_owned(),
        node_id: "node".to_owned(),
        attempt: 1,
        tool_name: "charge".to_owned(),
        input_json: "{\"amount\":5,\"to\":\"acme\"}".to_owned(),
        call_key: key.clone(),
        tool_key: key,
        args_sha256: "0".repeat(64),
        caller: "test".to_owned(),
        class: Class::Keyed,
        side_effect: Some(true),
        idempotent: Some(false),
        takes_key: true,
        call_id: uuid::Uuid::now_v7().to_string(),
        ..Row::default()
    }
}

/// What callers saw.
struct Seen {
    calls_per_second: f64,
    intents: Vec<Duration>,
}

/// Calls by so many callers at once, while more are wanted.
fn load(
    journal: &Arc<dyn Journal>,
    callers: usize,
    more: impl Fn(usize) -> bool + Send + Sync + 'static,
) -> Seen {
    let (made, more) = (Arc::new(AtomicUsize::new(0)), Arc::new(more));
    let started = Instant::now();
    let intents = runtime().block_on(async {
        let callers: Vec<_> = (0..callers)
            .map(|_| {
                let (journal, made, more) = (Arc::clone(journal), Arc::clone(&made), Arc::clone(&more));
                tokio::spawn(async move {
                    let mut intents = Vec::new();
                    while more(made.load(Ordering::Relaxed)) {
                        let (row, asked) = (row(), Instant::now());
                        let Begun::Run(lease) =
                            journal.begin(Begin { row, ..Begin::default() }).await.unwrap()
                        else {
                            unreachable!("every key is new")
                        };
                        intents.push(asked.elapsed());
                        journal.finish(lease, Outcome::ok("{\"structured\":5}")).await.unwrap();
                        made.fetch_add(1, Ordering::Relaxed);
                    }
                    intents
                })
            })
            .collect();
        let mut all = Vec::new();
        for caller in callers {
            all.append(&mut caller.await.unwrap());
        }
        all
    });
    Seen { calls_per_second: made.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64(), intents }
}

/// Calls by so many callers for [`TIME`].
fn timed(journal: &Arc<dyn Journal>, callers: usize) -> Seen {
    let started = Instant::now();
    load(journal, callers, move |_| started.elapsed() < TIME)
}

/// Calls per second of the program that does the same with another library.
fn of_peer(program: &std::ffi::OsStr, folder: &Path) -> f64 {
    let (callers, seconds) = (CALLERS.to_string(), TIME.as_secs().to_string());
    let output = Command::new(program).arg(folder).args([callers, seconds]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

/// Tells a ratio of three rounds, unless the disk is none: its median.
fn told(what: &str, mut ratios: Vec<f64>, syncs: bool) -> Option<f64> {
    ratios.sort_by(f64::total_cmp);
    let [least, median, most] = ratios[..] else { return None };
    match syncs {
        true => println!("{what}: ratio {median:.1} (from {least:.1} to {most:.1})"),
        false => {
            println!("{what}: storage does not sync: no ratio is claimed (seen {least:.1} to {most:.1})")
        }
    }
    Some(median)
}

/// The median time of an intent of one caller, in an empty journal and in one with many rows.
fn aged(folder: &Path) -> (Duration, Duration, usize) {
    let rows = std::env::var("TOOL_BENCH_ROWS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROWS);
    let median = |name: &str| quantile(&mut timed(&opened(folder, name, 256, true), 1).intents, 0.5);
    let empty = median("young.db");
    load(&opened(folder, "old.db", 256, false), 256, move |made| made < rows);
    (empty, median("old.db"), rows)
}

/// The median time that the record of a read takes its caller.
fn read_cost(folder: &Path) -> Duration {
    let journal = opened(folder, "reads.db", 256, true);
    let mut times = Vec::new();
    for _ in 0..10 {
        for row in std::iter::repeat_with(row).take(READS).collect::<Vec<_>>() {
            let asked = Instant::now();
            journal.record(row);
            times.push(asked.elapsed());
        }
        // What waits in the queue is written before this is answered.
        runtime().block_on(journal.mark_lost()).unwrap();
    }
    quantile(&mut times, 0.5)
}

/// The least ratio that passes.
fn least(variable: &str) -> f64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

fn main() {
    let folder = match std::env::var_os("TOOL_BENCH_FOLDER") {
        Some(folder) => tempfile::tempdir_in(folder).unwrap().into(),
        None => tool_trials::directory(),
    };
    let folder = folder.path();
    let sync = sync_median(folder);
    println!("fdatasync of 400 bytes: {:.2} ms at the median", milliseconds(sync));
    let syncs = sync >= Duration::from_micros(500);
    let peer = std::env::var_os("TOOL_BENCH_PEER");
    let (mut ratios, mut peers, mut slowest) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..3 {
        let alone = timed(&opened(folder, &format!("{round}-alone.db"), 1, true), CALLERS).calls_per_second;
        let mut group = timed(&opened(folder, &format!("{round}-group.db"), 256, true), CALLERS);
        slowest.push(quantile(&mut group.intents, 0.99).as_secs_f64() / sync.as_secs_f64());
        let group = group.calls_per_second;
        print!("{CALLERS} callers: commit per operation {alone:.0}/s, group commit {group:.0}/s");
        ratios.push(group / alone);
        if let Some(peer) = &peer {
            let sqlx = of_peer(peer, folder);
            print!(", sqlx {sqlx:.0}/s");
            peers.push(group / sqlx);
        }
        println!();
    }
    let single = timed(&opened(folder, "single.db", 256, true), 1).calls_per_second;
    println!("1 caller: {single:.0}/s");
    let rows = [
        ("group commit against one commit per operation", ratios, "TOOL_JOURNAL_RATIO"),
        ("group commit against sqlx", peers, "TOOL_SQLX_RATIO"),
    ];
    for (what, ratios, variable) in rows {
        if let Some(median) = told(what, ratios, syncs) {
            assert!(median >= least(variable), "{what}: the ratio is below {}", least(variable));
        }
    }
    told("p99 of an intent at 32 callers against the disk's sync", slowest, syncs);
    let (empty, old, rows) = aged(folder);
    let (times, ratio) = ((milliseconds(empty), milliseconds(old)), old.as_secs_f64() / empty.as_secs_f64());
    println!(
        "an intent of one caller: {:.2} ms in an empty journal, {:.2} ms with {rows} rows: {ratio:.2}",
        times.0, times.1
    );
    println!(
        "a recorded read costs its caller {:.1} us at the median",
        milliseconds(read_cost(folder)) * 1e3
    );
}
