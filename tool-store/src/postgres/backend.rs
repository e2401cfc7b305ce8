//! The writer's side of a PostgreSQL journal: one connection, one transaction per batch, leases renewed in between. (journal.md §11)

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::NoTls;
use tool_core::canonical::hex;
use tool_core::journal::chain::Head;
use tool_core::journal::machine::{self, Met, Op, Reply};
use tool_core::journal::{JournalError, Lease, Outcome, Result, Row};
use tool_core::{Effect, ToolError};

use super::table::{Connection, REAPED, Table, failed};
use crate::sql::Statements;
use crate::writer;

/// What is waited for the database before it is asked once more what became of a commit, times the number of the try.
const PAUSE: Duration = Duration::from_millis(100);

/// How often one operation is tried that the database has ended for another one's sake.
const TRIES: u32 = 5;

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
    /// Intents that may have been committed although their callers were told otherwise: nobody runs them.
    orphans: Vec<Lease>,
}

/// Answers of a batch that were ready when its commit was not answered, and the end of the chain that it would have made.
type Doubt = Option<(Head, Vec<Result<Reply>>)>;

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
        let mut backend = Backend {
            runtime,
            config,
            owner,
            sql,
            db: None,
            head: Head::default(),
            lease,
            orphans: Vec::new(),
        };
        backend.connect()?;
        Ok(backend)
    }

    fn connect(&mut self) -> Result<()> {
        let client = self.runtime.block_on(connect(&self.config))?;
        self.db = Some(Connection { client, prepared: HashMap::new() });
        self.find_head()
    }

    fn find_head(&mut self) -> Result<()> {
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

    /// Does a batch once. An error is one of the whole batch; where it is one of the commit, what came of that stays in `doubt`
    /// until it is looked up.
    fn attempt(&mut self, ops: &[Op], doubt: &mut Doubt) -> Result<Vec<Result<Reply>>> {
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
        // The lock is that of this worker's chain: a transaction of a lost connection that is still being committed has it.
        let clock = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT \
                     FROM (SELECT pg_advisory_xact_lock(hashtextextended($1, 1))) AS locked";
        let now = self.runtime.block_on(db.client.query_one(clock, &[&self.owner]));
        let now_ms: i64 = now.map_err(|error| failed(&error))?.get(0);
        if let Some((made, _)) = doubt {
            let sql = "SELECT 1 FROM journal_log WHERE chain = $1 AND n = $2 AND hash = $3";
            let (n, hash) = (i64::try_from(made.n).unwrap_or(i64::MAX), hex(&made.hash));
            let found = self.runtime.block_on(db.client.query_opt(sql, &[&self.owner, &n, &hash]));
            if found.map_err(|error| failed(&error))?.is_some()
                && let Some((made, answers)) = doubt.take()
            {
                self.head = made;
                self.say("ROLLBACK")?;
                return Ok(answers);
            }
            // It was not, and will not be: it may be done again.
            *doubt = None;
            self.find_head()?;
        }
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
                    let (head, lease_until) = (&mut head, now_ms.saturating_add(self.lease.times.life_ms()));
                    machine::apply(&mut Table { runtime, db, sql, owner, head, now_ms, lease_until }, op)
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
        if let Err(error) = self.commit() {
            // A batch that wrote no entry changes nothing that must not be done twice.
            *doubt = (head.n > self.head.n).then_some((head, answers));
            self.db = None;
            return Err(error);
        }
        self.head = head;
        Ok(answers)
    }

    fn commit(&mut self) -> Result<()> {
        fail::fail_point!("journal.commit.unanswered", |_| {
            self.say("COMMIT").and(Err(JournalError::unavailable("connection closed")))
        });
        self.say("COMMIT")
    }

    fn renew(&mut self) {
        let until = self.lease.times.life_ms();
        let sql = "UPDATE tool_calls SET lease_until = (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT + $2 \
                   WHERE owner = $1 AND status IN ('intent', 'running')";
        if self.db.as_ref().is_none_or(|db| db.client.is_closed()) && self.connect().is_err() {
            return;
        }
        let Some(db) = &self.db else { return };
        if self.runtime.block_on(db.client.execute(sql, &[&self.owner, &until])).is_ok() {
            self.lease.renewed();
            self.reap();
        }
    }

    /// Marks the calls of workers that did not renew, as many as there are.
    fn reap(&mut self) {
        let marked = |answers: &[Result<Reply>]| match answers.first() {
            Some(Ok(Reply::Rows(rows))) => rows.len(),
            _ => 0,
        };
        loop {
            match self.attempt(&[Op::MarkLost], &mut None) {
                Ok(answers) if marked(&answers) >= REAPED => {}
                Ok(_) => return,
                Err(error) => {
                    tracing::debug!(target: "toolbox::journal", %error, "lost calls were not marked");
                    self.give_up();
                    return;
                }
            }
        }
    }

    /// Leaves a transaction that failed; the connection, where that is not possible.
    fn give_up(&mut self) {
        if self.say("ROLLBACK").is_err() || self.find_head().is_err() {
            self.db = None;
        }
    }

    /// Settles the intents that nobody runs.
    fn settle_orphans(&mut self) {
        if self.orphans.is_empty() {
            return;
        }
        let never = ToolError::unavailable("The journal was gone when it began.").effect(Effect::None);
        let settle = |lease: &Lease| Op::Finish(lease.clone(), Box::new(Outcome::error(&never)));
        let ops: Vec<Op> = self.orphans.iter().map(settle).collect();
        // What was not committed after all is unknown, and what was settled meanwhile fenced: both are as it should be.
        match self.attempt(&ops, &mut None) {
            Ok(_) => self.orphans.clear(),
            Err(_) => self.give_up(),
        }
    }
}

impl writer::Backend for Backend {
    fn transact(&mut self, ops: &[Op]) -> Vec<Result<Reply>> {
        if self.lease.is_due() {
            self.renew();
        }
        self.settle_orphans();
        let mut doubt = None;
        let mut tries = 0;
        let done = loop {
            tries += 1;
            let done = self.attempt(ops, &mut doubt);
            // Two batches may lock each other out, and one operation may spoil all: each by itself. But not while it is open
            // whether all were done.
            let most = if ops.len() == 1 || doubt.is_some() { TRIES } else { 1 };
            match done {
                Err(_) if tries < most => {
                    self.give_up();
                    if doubt.is_some() {
                        std::thread::sleep(PAUSE * tries);
                    }
                }
                done => break done,
            }
        };
        match done {
            Ok(answers) => answers,
            Err(_) if ops.len() > 1 && doubt.is_none() => {
                self.give_up();
                ops.iter().flat_map(|op| self.transact(std::slice::from_ref(op))).collect()
            }
            Err(error) => {
                self.db = None;
                let answers = doubt.into_iter().flat_map(|(_, answers)| answers);
                self.orphans.extend(answers.filter_map(|answer| match answer {
                    Ok(Reply::Begun(Met::Run(lease))) => Some(lease),
                    _ => None,
                }));
                ops.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    fn idle(&mut self) {
        self.renew();
        self.settle_orphans();
    }

    fn patience(&self) -> Duration {
        self.lease.times.renew
    }

    fn is_due(&self) -> bool {
        self.lease.is_due()
    }
}
