//! Group commit against one commit per operation, in one run, on one disk, both with `synchronous = FULL`. (journal.md §13)
//!
//! Prints the ratio of calls per second at 32 callers of one task; each call is an intent and an outcome. `TOOL_BENCH_PEER` names
//! a program that does the same with another library, for a second ratio.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tool_core::journal::{Begin, Begun, Class, Journal, Outcome, Row};
use tool_store::{SqliteJournal, SqliteOptions};

/// How many callers there are.
const CALLERS: usize = 32;

/// How long each way is measured.
const TIME: Duration = Duration::from_secs(4);

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
    times.sort();
    times[times.len() / 2]
}

/// Calls per second.
fn calls_per_second(folder: &Path, batch: usize, callers: usize) -> f64 {
    let mut options = SqliteOptions::default();
    options.batch = batch;
    let path = folder.join(format!("{batch}-{callers}-{:?}.db", Instant::now()).replace(' ', ""));
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(path, options).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let made = Arc::new(AtomicU64::new(0));
    let started = Instant::now();
    runtime.block_on(async {
        let callers: Vec<_> = (0..callers)
            .map(|_| {
                let (journal, made) = (Arc::clone(&journal), Arc::clone(&made));
                tokio::spawn(async move {
                    while started.elapsed() < TIME {
                        // As the executor makes them: ids that grow, keys that are digests.
                        let id = uuid::Uuid::now_v7().to_string();
                        let key = format!("tk1_{:.40}", uuid::Uuid::new_v4().simple().to_string().repeat(2));
                        let row = Row {
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
                            call_id: id,
                            ..Row::default()
                        };
                        let Begun::Run(lease) =
                            journal.begin(Begin { row, ..Begin::default() }).await.unwrap()
                        else {
                            unreachable!("every key is new")
                        };
                        journal.finish(lease, Outcome::ok("{\"structured\":5}")).await.unwrap();
                        made.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await.unwrap();
        }
    });
    made.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
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

/// The least ratio that passes.
fn least(variable: &str) -> f64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

fn main() {
    let folder = match std::env::var_os("TOOL_BENCH_FOLDER") {
        Some(folder) => tempfile::tempdir_in(folder).unwrap(),
        None => tempfile::tempdir().unwrap(),
    };
    let median = sync_median(folder.path());
    println!("fdatasync of 400 bytes: {:.2} ms at the median", median.as_secs_f64() * 1e3);
    let syncs = median >= Duration::from_micros(500);
    let peer = std::env::var_os("TOOL_BENCH_PEER");
    let (mut ratios, mut peers) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let alone = calls_per_second(folder.path(), 1, CALLERS);
        let group = calls_per_second(folder.path(), 256, CALLERS);
        print!("{CALLERS} callers: commit per operation {alone:.0}/s, group commit {group:.0}/s");
        ratios.push(group / alone);
        if let Some(peer) = &peer {
            let sqlx = of_peer(peer, folder.path());
            print!(", sqlx {sqlx:.0}/s");
            peers.push(group / sqlx);
        }
        println!();
    }
    let single = calls_per_second(folder.path(), 256, 1);
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
}
