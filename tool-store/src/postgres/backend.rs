//! The writer's side of a PostgreSQL journal: one connection, one transaction per batch, leases renewed in between. (journal.md §11)

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::NoTls;
use tool_core::journal::chain::Head;
use tool_core::journal::machine::{self, Op, Reply};
use tool_core::journal::{JournalError, Result, Row};

use super::table::{Connection, LEASE, Table, failed};
use crate::sql::Statements;
use crate::writer;

/// How often own rows are renewed.
pub const RENEW: Duration = Duration::from_secs(10);

/// How long a worker that could not renew starts no further effect.
pub const STALE: Duration = Duration::from_secs(20);

/// How often one operation is tried that the database has ended for another one's sake.
const TRIES: usize = 5;

/// What calls are numbered within.
fn attempt_of(row: &Row) -> String {
    let Row { tenant, run_id, node_id, iteration, attempt, .. } = row;
    format!("{tenant}\u{1f}{run_id}\u{1f}{node_id}\u{1f}{iteration}\u{1f}{attempt}")
}

pub(crate) struct Backend {
    runtime: Runtime,
    config: tokio_postgres::Config,
    owner: String,
    sql: Statements,
    db: Option<Connection>,
    head: Head,
    lease: Arc<super::lease::Lease>,
}

/// Connects, and drives the connection on its own task.
pub(crate) async fn connect(config: &tokio_postgres::Config) -> Result<tokio_postgres::Client> {
    let (client, connection) = config.connect(NoTls).await.map_err(|error| failed(&error))?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::warn!(target: "toolbox::journal", %error, "the journal's database is gone");
        }
    });
    Ok(client)
}

impl Backend {
    pub(crate) fn open(
        runtime: Runtime,
        config: tokio_postgres::Config,
        owner: String,
        lease: Arc<super::lease::Lease>,
    ) -> Result<Backend> {
        let sql = Statements::new(|n| format!("${n}"));
        let mut backend = Backend { runtime, config, owner, sql, db: None, head: Head::default(), lease };
        backend.connect()?;
        Ok(backend)
    }

    fn connect(&mut self) -> Result<()> {
        let client = self.runtime.block_on(connect(&self.config))?;
        self.db = Some(Connection { client, prepared: HashMap::new() });
        // Whether the last commit before a lost connection was made is read, not guessed.
        let sql = "SELECT n, hash FROM journal_log WHERE chain = $1 ORDER BY n DESC LIMIT 1";
        let Some(db) = &self.db else { return Ok(()) };
        let found = self.runtime.block_on(db.client.query_opt(sql, &[&self.owner]));
        let found = found.map_err(|error| failed(&error))?;
        self.head = match found {
            Some(row) => Head {
                n: u64::try_from(row.get::<_, i64>(0)).unwrap_or(0),
                hash: super::table::hash_of(row.get(1))?,
            },
            None => Head::default(),
        };
        Ok(())
    }

    fn say(&self, sql: &str) -> Result<()> {
        let Some(db) = &self.db else {
            return Err(JournalError::unavailable("The journal is not connected."));
        };
        self.runtime.block_on(db.client.batch_execute(sql)).map_err(|error| failed(&error))
    }

    /// Does a batch once. An error is one of the whole batch.
    fn attempt(&mut self, ops: &[Op]) -> Result<Vec<Result<Reply>>> {
        if self.db.as_ref().is_none_or(|db| db.client.is_closed()) {
            self.connect()?;
        }
        let intents = ops.iter().any(Op::is_intent);
        self.say("BEGIN")?;
        let level = if intents { "on" } else { "local" };
        self.say(&format!("SET LOCAL synchronous_commit = {level}"))?;
        let Some(db) = &self.db else {
            return Err(JournalError::unavailable("The journal is not connected."));
        };
        let numbered = ops.iter().filter_map(|op| match op {
            Op::Begin(begin) => Some(attempt_of(&begin.row)),
            Op::Record(row) => Some(attempt_of(row)),
            _ => None,
        });
        // Whoever numbers the calls of an attempt is alone with it until the commit. All take these locks in one order, before
        // any row's.
        for attempt in numbered.collect::<BTreeSet<String>>() {
            let sql = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
            let locked = self.runtime.block_on(db.client.query_one(sql, &[&attempt]));
            locked.map_err(|error| failed(&error))?;
        }
        let clock = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT";
        let now = self.runtime.block_on(db.client.query_one(clock, &[])).map_err(|error| failed(&error))?;
        let now_ms: i64 = now.get(0);
        let mut head = self.head;
        let mut answers = Vec::with_capacity(ops.len());
        for op in ops {
            if op.is_intent() && self.lease.is_stale() {
                answers.push(Err(JournalError::unavailable("This worker's leases could not be renewed.")));
                continue;
            }
            self.say("SAVEPOINT op")?;
            let before = head;
            let answer = match &mut self.db {
                Some(db) => {
                    let (runtime, sql, owner) = (&self.runtime, &self.sql, self.owner.as_str());
                    machine::apply(&mut Table { runtime, db, sql, owner, head: &mut head, now_ms }, op)
                }
                None => Err(JournalError::unavailable("The journal is not connected.")),
            };
            if let Err(error) = &answer {
                if matches!(error, JournalError::Store { code, .. } if *code != "call_id_taken") {
                    return Err(error.clone());
                }
                self.say("ROLLBACK TO SAVEPOINT op")?;
                head = before;
            }
            self.say("RELEASE SAVEPOINT op")?;
            answers.push(answer);
        }
        self.say("NOTIFY tool_journal")?;
        self.say("COMMIT")?;
        self.head = head;
        Ok(answers)
    }

    fn renew(&mut self) {
        let until = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
        let sql = "UPDATE tool_calls SET lease_until = (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT + $2 \
                   WHERE owner = $1 AND status IN ('intent', 'running')";
        if self.db.as_ref().is_none_or(|db| db.client.is_closed()) && self.connect().is_err() {
            return;
        }
        let Some(db) = &self.db else { return };
        if self.runtime.block_on(db.client.execute(sql, &[&self.owner, &until])).is_ok() {
            self.lease.renewed();
        }
    }
}

impl writer::Backend for Backend {
    fn transact(&mut self, ops: &[Op]) -> Vec<Result<Reply>> {
        if self.lease.is_due() {
            self.renew();
        }
        let tries = if ops.len() == 1 { TRIES } else { 1 };
        let mut done = Err(JournalError::unavailable("The journal was not asked."));
        for _ in 0..tries {
            done = self.attempt(ops);
            if done.is_ok() {
                break;
            }
            let _ = self.say("ROLLBACK");
        }
        match done {
            Ok(answers) => answers,
            // Two batches may lock each other out, and one operation may spoil all: each by itself.
            Err(_) if ops.len() > 1 => {
                ops.iter().flat_map(|op| self.transact(std::slice::from_ref(op))).collect()
            }
            Err(error) => {
                self.db = None;
                vec![Err(error)]
            }
        }
    }

    fn idle(&mut self) {
        self.renew();
    }

    fn patience(&self) -> Duration {
        RENEW
    }

    fn is_due(&self) -> bool {
        self.lease.is_due()
    }
}
