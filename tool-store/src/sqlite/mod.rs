//! The journal in a SQLite file.
//!
//! [`SqliteJournal::open`] checks the files (`files`), takes an owner's lock (`owner`), and starts the one writer
//! (`backend`) and the thread of the seal (`seal`). Readers have connections of their own.

mod approvals;
mod backend;
mod catalogue;
mod change;
mod files;
mod owner;
mod prune;
mod recent;
mod results;
mod salvage;
mod schema;
mod seal;
mod space;
mod table;
mod verify;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]
mod visits;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};
use serde_json::Value;
use tool_core::journal::chain::Head;
use tool_core::journal::key::Pepper;
use tool_core::journal::machine::{Op, Reply};
use tool_core::journal::replay_gate::ReplayConsent;
use tool_core::journal::{
    Answer, Begin, Begun, CallKey, Journal, JournalError, Lease, Outcome, ResolvedBy, Result, RevertStatus,
    Row, RowQuery, Task, VerifyOptions, VerifyReport, Waiter,
};
use tool_core::{AuditQuery, AuditRow, BoxFuture};

use self::backend::{Backend, Opened};
use self::owner::{Owner, Owners};
use self::space::Space;
use self::table::failed;
use crate::audit::{self, AuditCount};
use crate::sql::{self, Param};
use crate::writer::{BATCH, Meter, Writer};

pub use approvals::StoredApprovals;
pub use catalogue::catalogue_at;
pub use files::{Key, protected};
pub use prune::Pruned;
pub use results::StoredResults;
pub use salvage::{Salvaged, salvage};
pub use space::MIN_FREE;
pub use verify::RECENT;

/// How often a call of another process is looked at.
const POLL: Duration = Duration::from_millis(20);

/// How a journal is opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// Free bytes below which no new intents are written.
    pub min_free: u64,
    /// Folders that tools may write: the journal must not lie in one.
    pub workspaces: Vec<PathBuf>,
    /// How many operations share a commit; 1 is one commit per operation.
    pub batch: usize,
    /// Who hears of the calls that were marked as in doubt when the journal was opened.
    pub on_lost: Option<OnLost>,
    /// What keyed digests are made with.
    pub key: Key,
    /// What to do about a journal that cannot be opened: how the program lets another place be named.
    pub advice: Option<String>,
    /// Who measures commits.
    pub meter: Meter,
    /// Whether commits wait for the disk. Turning it off is for tests that show what it is good for.
    pub synchronous: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        let (workspaces, on_lost, key, advice) = (Vec::new(), None, Key::default(), None);
        let (min_free, batch, meter) = (MIN_FREE, BATCH, Meter::default());
        Self { min_free, workspaces, batch, on_lost, key, advice, meter, synchronous: true }
    }
}

impl SqliteOptions {
    /// The failure to open a journal, with what to do about it.
    fn unopened(&self, path: &Path, error: JournalError) -> JournalError {
        let error = files::unopened(path, error);
        self.advice.iter().fold(error, |error, advice| error.or_hint(advice))
    }
}

/// Hears of a call whose process died.
#[derive(Clone)]
pub struct OnLost(Arc<dyn Fn(&Row) + Send + Sync>);

impl OnLost {
    /// Calls a function for each.
    pub fn new(tell: impl Fn(&Row) + Send + Sync + 'static) -> OnLost {
        OnLost(Arc::new(tell))
    }
}

impl std::fmt::Debug for OnLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnLost")
    }
}

/// A journal in a file.
#[derive(Debug)]
pub struct SqliteJournal {
    path: PathBuf,
    pepper: Pepper,
    writer: Writer,
    readers: Arc<Readers>,
    seal: std::fs::File,
    space: Space,
    /// Released last: while the writer works, the owner is alive.
    owner: Owner,
}

impl SqliteJournal {
    /// Opens a journal, made where there is none, and marks the open calls of dead owners as in doubt. Nothing is run.
    ///
    /// # Errors
    /// `not_configured` for a place or file that cannot be used, `unavailable` for one that cannot be reached, `internal` for
    /// one that is damaged.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<SqliteJournal> {
        let path = path.as_ref();
        SqliteJournal::opened(path, &options).map_err(|error| options.unopened(path, error))
    }

    /// Whether a journal that is not there yet could be made. Nothing stays behind.
    ///
    /// # Errors
    /// Those of [`open`](Self::open) that its place has.
    pub fn could_open(path: impl AsRef<Path>, options: &SqliteOptions) -> Result<()> {
        let path = path.as_ref();
        files::could_be_made(path, &options.workspaces).map_err(|error| options.unopened(path, error))
    }

    fn opened(path: &Path, options: &SqliteOptions) -> Result<SqliteJournal> {
        let path = std::path::absolute(path).map_err(|error| JournalError::unavailable(error.to_string()))?;
        let file = files::prepare(&path, &options.workspaces)?;
        let seal = seal::open(&path)?;
        let copy = seal.try_clone().map_err(|error| JournalError::unavailable(error.to_string()))?;
        let owner = Owner::new(&path)?;
        let opened = Opened {
            path: path.clone(),
            file,
            seal: copy,
            owner: owner.id.clone(),
            min_free: options.min_free,
            synchronous: options.synchronous,
        };
        let writer = Writer::start(move || Backend::open(opened), options.batch, options.meter.clone())?;
        let pepper = files::pepper(&path, &options.key)?;
        let owners = Mutex::new(Owners::new(&path, &owner.id));
        let readers = Arc::new(Readers { path: path.clone(), idle: Mutex::default(), owners });
        let space = Space::new(&path, options.min_free);
        let journal = SqliteJournal { path, pepper, writer, readers, seal, space, owner };
        let marked = journal.ask_blocking(Op::MarkLost)?;
        if let (Some(tell), Reply::Rows(lost)) = (&options.on_lost, &marked) {
            lost.iter().for_each(|row| (tell.0)(row));
        }
        Ok(journal)
    }

    /// Writes what is queued and takes no more. Dropping it does the same: this is for one that is never dropped.
    pub fn close(&self) {
        self.writer.stop();
        self.owner.leave();
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The end of the chain, to be kept elsewhere.
    ///
    /// # Errors
    /// Those of reading.
    pub fn head(&self) -> Result<Head> {
        self.readers.read(table::head)
    }

    /// How many audit rows of a question there are, by tool and outcome.
    ///
    /// # Errors
    /// Those of reading.
    pub fn audit_counts(&self, query: &AuditQuery) -> Result<Vec<AuditCount>> {
        let (sql, params) = audit::count(query, |n| format!("?{n}"));
        self.readers.read(|db| table::audit_counts(db, &sql, &params))
    }

    fn ask_blocking(&self, op: Op) -> Result<Reply> {
        let answer = self.writer.tell(op);
        block(answer)
    }
}

/// Waits for an answer of the writer on a thread that runs nothing else.
fn block<T>(future: BoxFuture<'static, Result<T>>) -> Result<T> {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::task::Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = future;
    loop {
        if let std::task::Poll::Ready(answer) = future.as_mut().poll(&mut context) {
            return answer;
        }
        std::thread::park();
    }
}

/// Connections that only read.
#[derive(Debug)]
struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    owners: Mutex<Owners>,
}

impl Readers {
    fn read<T>(&self, body: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let db = match idle {
            Some(db) => db,
            None => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let db = Connection::open_with_flags(&self.path, flags).map_err(|error| failed(&error))?;
                schema::configure(&db, false).map_err(|error| table::at(&self.path, error))?;
                db
            }
        };
        let result = body(&db).map_err(|error| table::at(&self.path, error));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(db);
        result
    }

    fn rows(&self, query: &RowQuery) -> Result<Vec<Row>> {
        let (sql, params) = sql::select(query, |n| format!("?{n}"));
        self.read(|db| table::rows(db, &sql, &params))
    }

    fn is_alive(&self, row: &Row) -> bool {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        row.owner.as_deref().is_some_and(|owner| owners.is_alive(owner))
    }

    /// Whether somebody still runs a call.
    fn is_running(&self, call_id: &str) -> bool {
        let query = RowQuery { call_id: Some(call_id.to_owned()), ..RowQuery::default() };
        let rows = self.rows(&query).unwrap_or_default();
        rows.first().is_some_and(|row| row.status.is_open() && self.is_alive(row))
    }
}

impl SqliteJournal {
    fn row(&self, op: Op) -> BoxFuture<'_, Result<Row>> {
        Box::pin(async move { self.writer.ask(op).await.and_then(Reply::row) })
    }

    fn waiter(&self, call_id: String) -> Waiter {
        let (changed, readers) = (Arc::clone(self.writer.changed()), Arc::clone(&self.readers));
        Waiter::new(async move {
            loop {
                let told = changed.notified();
                tokio::pin!(told);
                told.as_mut().enable();
                if !readers.is_running(&call_id) {
                    return;
                }
                // Calls of other processes are not told of.
                let _ = tokio::time::timeout(POLL, told).await;
            }
        })
    }
}

impl Journal for SqliteJournal {
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
        let live = sql::Statements::new(|n| format!("?{n}")).live;
        let params = [&key.tenant, &key.tool, &key.key].map(|text| Param::Text(text.clone()));
        let found =
            self.readers.read(|db| table::rows(db, &live, &params)).map(|rows| rows.into_iter().next());
        Box::pin(std::future::ready(found))
    }

    fn rows<'a>(&'a self, query: &'a RowQuery) -> BoxFuture<'a, Result<Vec<Row>>> {
        Box::pin(std::future::ready(self.readers.rows(query)))
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
        let iteration = i64::try_from(task.iteration).unwrap_or(i64::MAX);
        let found = self.readers.read(|db| {
            let sql = "SELECT fingerprint, attempt, allow FROM journal_consents WHERE tenant = ?1 AND run_id = ?2 \
                       AND node_id = ?3 AND iteration = ?4";
            let mut statement = db.prepare_cached(sql).map_err(|error| failed(&error))?;
            let place = params![task.tenant, task.run_id, task.node_id, iteration];
            let given = statement.query_map(place, |row| {
                let (fingerprint, attempt, allow) = (row.get(0)?, row.get(1)?, row.get::<_, i64>(2)? != 0);
                Ok(ReplayConsent { fingerprint, attempt, allow })
            });
            given.and_then(Iterator::collect).map_err(|error| failed(&error))
        });
        Box::pin(std::future::ready(found))
    }

    fn consent(&self, task: Task, consent: ReplayConsent) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.writer.ask(Op::Consent(task, consent)).await.map(drop) })
    }

    fn is_alive<'a>(&'a self, row: &'a Row) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(self.readers.is_alive(row)))
    }

    fn verify(&self, options: VerifyOptions) -> BoxFuture<'_, Result<VerifyReport>> {
        // The seal is read first: it never is ahead of what is committed.
        let seal = seal::read(&self.seal);
        Box::pin(std::future::ready(self.readers.read(|db| verify::verify(db, seal, options))))
    }

    fn keeps_audit(&self) -> bool {
        true
    }

    fn audit(&self, row: AuditRow) -> BoxFuture<'static, Result<()>> {
        let written = self.writer.tell(Op::Audit(Box::new(row)));
        Box::pin(async move { written.await.map(drop) })
    }

    fn audited<'a>(&'a self, query: &'a AuditQuery) -> BoxFuture<'a, Result<Vec<Value>>> {
        let (sql, params) = audit::select(query, |n| format!("?{n}"));
        Box::pin(std::future::ready(self.readers.read(|db| table::audits(db, &sql, &params))))
    }

    fn owner(&self) -> &str {
        &self.owner.id
    }

    fn pepper(&self) -> Pepper {
        self.pepper
    }
}
