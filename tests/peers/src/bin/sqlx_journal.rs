//! The journal's work done with sqlx: an intent and an outcome per call, each a transaction of a pool, with the journal's own
//! settings of SQLite. `sqlx_journal FOLDER CALLERS SECONDS` prints the calls per second.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

/// The columns that a call fills, and the indexes that they are looked up by.
const SCHEMA: [&str; 3] = [
    "CREATE TABLE tool_calls (call_id TEXT NOT NULL PRIMARY KEY, run_id TEXT NOT NULL, node_id TEXT NOT NULL, \
     attempt INTEGER NOT NULL, seq INTEGER NOT NULL, tool_name TEXT NOT NULL, input_json TEXT NOT NULL, output_json TEXT, \
     started_at_ms INTEGER NOT NULL, finished_at_ms INTEGER, status TEXT NOT NULL, call_key TEXT NOT NULL, \
     args_sha256 TEXT NOT NULL) STRICT",
    "CREATE UNIQUE INDEX tool_calls_seq ON tool_calls (run_id, node_id, attempt, seq)",
    "CREATE UNIQUE INDEX tool_calls_key ON tool_calls (tool_name, call_key)",
];
const INTENT: &str = "INSERT INTO tool_calls (call_id, run_id, node_id, attempt, seq, tool_name, input_json, started_at_ms, \
     status, call_key, args_sha256) SELECT ?1, 'run', 'node', 1, COALESCE(MAX(seq), 0) + 1, 'charge', ?2, 0, 'intent', ?3, ?4 \
     FROM tool_calls WHERE run_id = 'run' AND node_id = 'node' AND attempt = 1";
const OUTCOME: &str =
    "UPDATE tool_calls SET status = 'ok', output_json = ?2, finished_at_ms = 0 WHERE call_id = ?1 AND status = 'intent'";

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, callers, seconds] = &words[..] else { return Err("FOLDER CALLERS SECONDS".into()) };
    let (callers, seconds): (usize, u64) = (callers.parse()?, seconds.parse()?);
    let file = Path::new(folder).join(format!("{}.db", uuid::Uuid::new_v4()));
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10))
        .foreign_keys(true)
        .pragma("cache_size", "-16384")
        .pragma("wal_autocheckpoint", "1000");
    // SQLite has one writer at a time: a pool with one connection is what its users are told to take, and the fastest.
    let pool = SqlitePoolOptions::new().max_connections(1).acquire_timeout(Duration::from_secs(60));
    let pool = pool.connect_with(options).await?;
    for statement in SCHEMA {
        sqlx::query(statement).execute(&pool).await?;
    }
    let (made, started) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let time = Duration::from_secs(seconds);
    let callers: Vec<_> = (0..callers)
        .map(|_| {
            let (pool, made) = (pool.clone(), Arc::clone(&made));
            tokio::spawn(async move {
                while started.elapsed() < time {
                    let id = uuid::Uuid::now_v7().to_string();
                    let key = format!("tk1_{:.40}", uuid::Uuid::new_v4().simple().to_string().repeat(2));
                    let intent = sqlx::query(INTENT).bind(&id).bind("{\"amount\":5,\"to\":\"acme\"}");
                    intent.bind(key).bind("0".repeat(64)).execute(&pool).await?;
                    sqlx::query(OUTCOME).bind(&id).bind("{\"structured\":5}").execute(&pool).await?;
                    made.fetch_add(1, Ordering::Relaxed);
                }
                Ok::<(), sqlx::Error>(())
            })
        })
        .collect();
    for caller in callers {
        caller.await??;
    }
    println!("{:.1}", made.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64());
    Ok(())
}
