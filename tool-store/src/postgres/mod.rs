//! The journal in a PostgreSQL database, shared by many workers. (journal.md §11)
//!
//! One writer per process batches as the file's does; leases by the database's clock take the place of file locks.

mod backend;
mod lease;
mod reader;
mod table;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::{Builder, Handle};
use tokio_postgres::Client;
use tool_core::journal::chain::{Entry, Follow, Head, Verdict};
use tool_core::journal::key::Pepper;
use tool_core::journal::machine::{Op, Reply};
use tool_core::journal::replay_gate::ReplayConsent;
use tool_core::journal::{
    Answer, Begin, Begun, CallKey, Journal, JournalError, Lease, Outcome, ResolvedBy, Result, RevertStatus,
    Row, RowQuery, Task, VerifyOptions, VerifyReport, Waiter, now_ms,
};
use tool_core::{AuditQuery, AuditRow, BoxFuture, ErrorKind};

use self::backend::Backend;
use self::reader::Reader;
use self::table::{REAPED, failed, hash_of};
use crate::audit;
use crate::sql::{self, Param};
use crate::writer::{BATCH, Meter, Writer};

pub use lease::{LEASE, Leases, RENEW, STALE};

/// The lock that migrations are made under: "Tjnl".
const MIGRATION_LOCK: i64 = 0x546a_6e6c;

const MIGRATIONS: [&str; 3] = [
    include_str!("migrations/0001_calls.sql"),
    include_str!("migrations/0002_audit.sql"),
    include_str!("migrations/0003_lookup.sql"),
];

/// How long a notification may be missed.
const POLL: Duration = Duration::from_secs(1);

/// A journal in a PostgreSQL database.
pub struct PostgresJournal {
    owner: String,
    pepper: Option<Pepper>,
    writer: Writer,
    reader: Arc<Reader>,
    lease: Arc<lease::Lease>,
}

impl std::fmt::Debug for PostgresJournal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresJournal").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl PostgresJournal {
    /// Connects to a database, brings it to the newest schema, and marks expired calls as in doubt. `config` is a connection
    /// string; the connection's tasks run on the current runtime.
    ///
    /// # Errors
    /// `not_configured` for a schema or server that cannot be used, `unavailable` for a database that cannot be reached.
    pub async fn open(config: &str) -> Result<PostgresJournal> {
        PostgresJournal::open_with(config, Leases::default(), Meter::default()).await
    }

    /// The same with other times of leases, and with somebody who measures commits.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub async fn open_with(config: &str, leases: Leases, meter: Meter) -> Result<PostgresJournal> {
        let config: tokio_postgres::Config = config.parse().map_err(|error: tokio_postgres::Error| {
            JournalError::store(ErrorKind::NotConfigured, "journal_bad_url", error.to_string())
        })?;
        let client = backend::connect(&config).await?;
        migrate(&client).await?;
        drop(client);
        let reader = Arc::new(Reader::new(config.clone()));
        reader.client().await?;
        let owner = uuid::Uuid::now_v7().to_string();
        let lease = Arc::new(lease::Lease::new(leases));
        let (id, settings, leases) = (owner.clone(), config, Arc::clone(&lease));
        let start = move || {
            let make = move || {
                let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
                let runtime = runtime.map_err(|error| JournalError::unavailable(error.to_string()))?;
                Backend::open(runtime, settings, id, leases)
            };
            Writer::start(make, BATCH, meter)
        };
        let writer = Handle::current().spawn_blocking(start).await;
        let writer = writer.map_err(|error| JournalError::unavailable(error.to_string()))??;
        let pepper = pepper_from_environment()?;
        let journal = PostgresJournal { owner, pepper, writer, reader, lease };
        while journal.mark_lost().await?.len() >= REAPED {}
        Ok(journal)
    }
}

fn pepper_from_environment() -> Result<Option<Pepper>> {
    let Ok(text) = std::env::var("TOOLBOX_JOURNAL_KEY") else { return Ok(None) };
    let bytes = tool_core::canonical::unhex(text.trim()).and_then(|bytes| bytes.try_into().ok());
    bytes.map(|bytes| Some(Pepper(bytes))).ok_or_else(|| {
        JournalError::store(
            ErrorKind::NotConfigured,
            "journal_bad_key",
            "TOOLBOX_JOURNAL_KEY must be 64 hex digits.",
        )
    })
}

async fn migrate(db: &Client) -> Result<()> {
    let version: i32 = db
        .query_one("SELECT current_setting('server_version_num')::INT", &[])
        .await
        .map_err(|error| failed(&error))?
        .get(0);
    if version < 140_000 {
        let text = "The journal needs PostgreSQL 14 or newer.";
        return Err(JournalError::store(ErrorKind::NotConfigured, "journal_old_server", text));
    }
    let say = |sql: String| async move { db.batch_execute(&sql).await.map_err(|error| failed(&error)) };
    say(format!("SELECT pg_advisory_lock({MIGRATION_LOCK})")).await?;
    let made = async {
        say("CREATE TABLE IF NOT EXISTS journal_schema (version BIGINT NOT NULL)".to_owned()).await?;
        let found = db
            .query_opt("SELECT MAX(version) FROM journal_schema", &[])
            .await
            .map_err(|error| failed(&error))?;
        let version = found.and_then(|row| row.get::<_, Option<i64>>(0)).unwrap_or(0);
        let version = usize::try_from(version).unwrap_or(usize::MAX);
        if version > MIGRATIONS.len() {
            let text = format!("The journal was written by a newer program (schema {version}).");
            return Err(JournalError::store(ErrorKind::NotConfigured, "journal_schema_newer", text));
        }
        for (nth, migration) in MIGRATIONS.iter().enumerate().skip(version) {
            let next = nth + 1;
            say(format!("BEGIN; {migration} INSERT INTO journal_schema VALUES ({next}); COMMIT")).await?;
        }
        Ok(())
    };
    let made = made.await;
    say(format!("SELECT pg_advisory_unlock({MIGRATION_LOCK})")).await?;
    made
}

impl PostgresJournal {
    fn row(&self, op: Op) -> BoxFuture<'_, Result<Row>> {
        Box::pin(async move { self.writer.ask(op).await.and_then(Reply::row) })
    }

    fn waiter(&self, call_id: String) -> Waiter {
        let reader = Arc::clone(&self.reader);
        Waiter::new(async move {
            let sql = "SELECT 1 FROM tool_calls WHERE call_id = $1 AND status IN ('intent', 'running') \
                       AND lease_until >= (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT";
            loop {
                let heard = reader.told().notified();
                tokio::pin!(heard);
                heard.as_mut().enable();
                let open = match reader.client().await {
                    Ok(client) => client.query_opt(sql, &[&call_id]).await.map_err(|error| failed(&error)),
                    Err(error) => Err(error),
                };
                // While the database cannot be asked, nobody knows that the call has ended.
                if matches!(open, Ok(None)) {
                    return;
                }
                let _ = tokio::time::timeout(POLL, heard).await;
            }
        })
    }
}

impl Drop for PostgresJournal {
    fn drop(&mut self) {
        self.writer.stop();
    }
}

impl Journal for PostgresJournal {
    fn begin(&self, begin: Begin) -> BoxFuture<'_, Result<Begun>> {
        Box::pin(async move {
            match self.writer.ask(Op::Begin(Box::new(begin))).await? {
                Reply::Begun(met) => Ok(met.told(|row| self.waiter(row.call_id.clone()))),
                _ => Err(JournalError::unavailable("The journal gave no answer.")),
            }
        })
    }

    fn running(&self, lease: &Lease) {
        drop(self.writer.tell(Op::Running(lease.clone())));
    }

    fn finish(&self, lease: Lease, outcome: Outcome) -> BoxFuture<'static, Result<Row>> {
        let answer = self.writer.tell(Op::Finish(lease, Box::new(outcome)));
        Box::pin(async move { answer.await.and_then(Reply::row) })
    }

    fn record(&self, call: Row) {
        drop(self.writer.tell(Op::Record(Box::new(call))));
    }

    fn peek<'a>(&'a self, key: &'a CallKey) -> BoxFuture<'a, Result<Option<Row>>> {
        Box::pin(async move {
            let live = sql::Statements::new(|n| format!("${n}")).live;
            let values = [&key.tenant, &key.tool, &key.key].map(|text| Param::Text(text.clone()));
            Ok(self.reader.rows(&live, &values).await?.pop())
        })
    }

    fn rows<'a>(&'a self, query: &'a RowQuery) -> BoxFuture<'a, Result<Vec<Row>>> {
        Box::pin(async move {
            let (sql, values) = sql::select(query, |n| format!("${n}"));
            self.reader.rows(&sql, &values).await
        })
    }

    fn next_attempt<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<u32>> {
        Box::pin(async move {
            match self.writer.ask(Op::NextAttempt(task.clone())).await? {
                Reply::Attempt(attempt) => Ok(attempt),
                _ => Err(JournalError::unavailable("The journal gave no attempt.")),
            }
        })
    }

    fn mark_lost(&self) -> BoxFuture<'_, Result<Vec<Row>>> {
        Box::pin(async move {
            match self.writer.ask(Op::MarkLost).await? {
                Reply::Rows(rows) => Ok(rows),
                _ => Ok(Vec::new()),
            }
        })
    }

    fn reconcile(&self, call_id: String, answer: Answer, by: ResolvedBy) -> BoxFuture<'_, Result<Row>> {
        self.row(Op::Reconcile(call_id, answer, by))
    }

    fn revert(
        &self,
        call_id: String,
        status: RevertStatus,
        error_json: Option<String>,
    ) -> BoxFuture<'_, Result<Row>> {
        self.row(Op::Revert(call_id, status, error_json))
    }

    fn consents<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<Vec<ReplayConsent>>> {
        Box::pin(async move {
            let iteration = i64::try_from(task.iteration).unwrap_or(i64::MAX);
            let sql = "SELECT fingerprint, attempt, allow FROM journal_consents WHERE tenant = $1 AND run_id = $2 \
                       AND node_id = $3 AND iteration = $4";
            let place = [&task.tenant, &task.run_id, &task.node_id].map(|text| Param::Text(text.clone()));
            let place: Vec<Param> = place.into_iter().chain([Param::Int(iteration)]).collect();
            let found = self.reader.query(sql, &place).await?;
            let consent = |row: &tokio_postgres::Row| ReplayConsent {
                fingerprint: row.get(0),
                attempt: u32::try_from(row.get::<_, i64>(1)).unwrap_or(0),
                allow: row.get::<_, i64>(2) != 0,
            };
            Ok(found.iter().map(consent).collect())
        })
    }

    fn consent(&self, task: Task, consent: ReplayConsent) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.writer.ask(Op::Consent(task, consent)).await.map(drop) })
    }

    fn is_alive<'a>(&'a self, row: &'a Row) -> BoxFuture<'a, bool> {
        // The database's clock decides when it matters; this is for people.
        Box::pin(std::future::ready(row.lease_until.is_some_and(|until| until >= now_ms())))
    }

    fn verify(&self, options: VerifyOptions) -> BoxFuture<'_, Result<VerifyReport>> {
        Box::pin(async move { verify(&*self.reader.client().await?, options).await })
    }

    fn keeps_audit(&self) -> bool {
        true
    }

    fn audit(&self, row: AuditRow) -> BoxFuture<'static, Result<()>> {
        let written = self.writer.tell(Op::Audit(Box::new(row)));
        Box::pin(async move { written.await.map(drop) })
    }

    fn audited<'a>(&'a self, query: &'a AuditQuery) -> BoxFuture<'a, Result<Vec<Value>>> {
        let (sql, params) = audit::select(query, |n| format!("${n}"));
        Box::pin(async move {
            let found = self.reader.query(&sql, &params).await?;
            Ok(found.iter().map(|row| audit::object(table::cells(row))).collect())
        })
    }

    fn owner(&self) -> &str {
        &self.owner
    }

    fn pepper(&self) -> Pepper {
        self.pepper.unwrap_or_default()
    }

    fn has_pepper(&self) -> bool {
        self.pepper.is_some()
    }

    fn is_stale(&self) -> BoxFuture<'static, ()> {
        let lease = Arc::clone(&self.lease);
        Box::pin(async move { lease.stale().await })
    }
}

/// Follows each worker's chain, and compares every row with the last entry that any of them has of it.
async fn verify(db: &Client, options: VerifyOptions) -> Result<VerifyReport> {
    let sql = "SELECT chain, n, call_id, \"to\", at_ms, row_sha256, hash FROM journal_log ORDER BY chain, n";
    let entries = db.query(sql, &[]).await.map_err(|error| failed(&error))?;
    let sealed = options.expect.map(|expect| expect.n);
    let mut report = VerifyReport { verdict: Verdict::Ok(Head::default()), entries: 0, rows: 0, sealed };
    let mut chain: Option<(String, Follow)> = None;
    let mut said: std::collections::HashMap<String, Vec<[u8; 32]>> = std::collections::HashMap::new();
    let mut expected = options.expect.is_none();
    for row in &entries {
        let name: String = row.get(0);
        let entry = Entry {
            n: u64::try_from(row.get::<_, i64>(1)).unwrap_or(0),
            call_id: row.get(2),
            to: row.get(3),
            at_ms: row.get(4),
            row: hash_of(row.get(5))?,
            hash: hash_of(row.get(6))?,
        };
        let head = Head { n: entry.n, hash: entry.hash };
        let follow = match &mut chain {
            Some((same, follow)) if *same == name => follow,
            other => &mut other.insert((name, Follow::new(Head::default(), None))).1,
        };
        if let Err(wrong) = follow.next(&entry) {
            return Ok(VerifyReport { verdict: wrong, ..report });
        }
        match options.expect {
            Some(expect) if expect == head => expected = true,
            _ => {}
        }
        report.verdict = Verdict::Ok(head);
        report.entries += 1;
        said.entry(entry.call_id).or_default().push(entry.row);
    }
    if let (false, Some(expect)) = (expected, options.expect) {
        let met =
            entries.iter().any(|row| row.get::<_, i64>(1) == i64::try_from(expect.n).unwrap_or(i64::MAX));
        let verdict = if met {
            Verdict::SealMismatch { n: expect.n }
        } else {
            Verdict::Truncated { n: report.entries, sealed: expect.n }
        };
        return Ok(VerifyReport { verdict, ..report });
    }
    let rows = table::rows(db, &format!("SELECT {} FROM tool_calls", sql::columns()), &[]).await?;
    report.rows = rows.len() as u64;
    for row in &rows {
        // Chains are not ordered among each other: the row is as some entry wrote it.
        let as_written = said.remove(&row.call_id).is_some_and(|written| written.contains(&row.sha256()));
        if !as_written {
            report.verdict = Verdict::RowChanged { call_id: row.call_id.clone() };
            return Ok(report);
        }
    }
    if let Some(missing) = said.into_keys().min() {
        report.verdict = Verdict::RowChanged { call_id: missing };
    }
    Ok(report)
}
