//! The writer's side of a SQLite journal: one write connection, one transaction per batch. (journal.md §10)

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tool_core::ErrorKind;
use tool_core::journal::chain::Head;
use tool_core::journal::machine::{self, Op, Reply};
use tool_core::journal::{JournalError, Result, VerifyOptions};

use super::files::Inode;
use super::owner::Owners;
use super::recent::Recent;
use super::seal::{self, Sealer};
use super::space::Space;
use super::table::{FULL, Table, failed, head};
use super::{schema, verify};
use crate::sql::Statements;
use crate::writer;

/// How often it is looked at whether the file is still the one that was opened, and whether there is space.
const LOOK: Duration = Duration::from_secs(1);

/// What a journal is opened with.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    pub(crate) seal: File,
    pub(crate) owner: String,
    pub(crate) min_free: u64,
    pub(crate) synchronous: bool,
}

pub(crate) struct Backend {
    path: PathBuf,
    inode: Inode,
    /// Held open, so that the inode is not given to another file.
    _file: File,
    seal: File,
    sealer: Sealer,
    owner: String,
    owners: Owners,
    space: Space,
    synchronous: bool,
    sql: Statements,
    recent: Recent,
    /// Gone after a failed commit, until it is opened and verified again.
    db: Option<Connection>,
    looked: Option<Instant>,
    /// What the last look found; intents are refused by the second.
    found: (Result<()>, Result<()>),
}

impl Backend {
    pub(crate) fn open(opened: Opened) -> Result<Backend> {
        let Opened { path, file, seal, owner, min_free, synchronous } = opened;
        let sealing = seal.try_clone().map_err(|error| JournalError::unavailable(error.to_string()))?;
        let mut backend = Backend {
            inode: Inode::of(&file)?,
            _file: file,
            sealer: Sealer::start(sealing)?,
            owners: Owners::new(&path, &owner),
            space: Space::new(&path, min_free),
            sql: Statements::new(|n| format!("?{n}")),
            recent: Recent::default(),
            db: None,
            looked: None,
            found: (Ok(()), Ok(())),
            path,
            seal,
            owner,
            synchronous,
        };
        if let Err(error) = backend.connect() {
            return Err(super::table::at(&backend.path, error));
        }
        backend.space.load();
        Ok(backend)
    }

    /// Opens the connection and looks at the end of the chain.
    fn connect(&mut self) -> Result<&Connection> {
        // One process at a time: SQLite does not wait for its turn where the way of journaling is changed, and what is looked at
        // in several steps must not be made meanwhile.
        let turn = seal::turn(&self.path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(&self.path, flags).map_err(|error| failed(&error))?;
        db.execute_batch("PRAGMA busy_timeout = 10000").map_err(|error| failed(&error))?;
        // What is not ours is not written to, not even by a change of its mode.
        schema::check(&db, &self.path)?;
        schema::configure(&db, true)?;
        if !self.synchronous {
            db.execute_batch("PRAGMA synchronous = OFF").map_err(|error| failed(&error))?;
        }
        schema::migrate(&db, &self.path)?;
        // The seal is read before the rows: others may go on meanwhile, and the chain is then longer than it says.
        drop(turn);
        db.busy_handler(Some(patient)).map_err(|error| failed(&error))?;
        let report = verify::verify(&db, seal::read(&self.seal), VerifyOptions::default())?;
        match report.verdict {
            tool_core::journal::chain::Verdict::Ok(_) => {}
            tool_core::journal::chain::Verdict::Truncated { .. } => {
                let text = format!("{}: {}", self.path.display(), report.verdict);
                return Err(JournalError::store(ErrorKind::Internal, "journal_truncated", text));
            }
            wrong => return Err(super::table::corrupt(format!("{}: {wrong}", self.path.display()))),
        }
        Ok(self.db.insert(db))
    }

    /// Looks, at most once a second, whether writing is right.
    fn look(&mut self) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) && self.found.0.is_ok() {
            return;
        }
        self.looked = Some(Instant::now());
        self.found = (self.inode.check(&self.path), self.space.check());
        if self.found.1.is_ok() {
            self.space.load();
        }
    }

    /// Does a batch once. An error is one of the whole batch.
    fn attempt(&mut self, ops: &[Op]) -> std::result::Result<Vec<Result<Reply>>, Failure> {
        if self.db.is_none() {
            self.connect()?;
        }
        let Some(db) = &self.db else {
            return Err(JournalError::unavailable("The journal is not open.").into());
        };
        // Not parsed anew for each batch.
        let say = |sql: &str| db.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
        say("BEGIN IMMEDIATE").map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => {
                let pids = self.owners.pids().join(", ");
                JournalError::unavailable(format!("Another process keeps the journal busy (pid {pids})."))
            }
            _ => failed(&error),
        })?;
        let mut end = Head::default();
        let done = (|| {
            end = head(db)?;
            self.recent.refresh(db)?;
            let mut answers = Vec::with_capacity(ops.len());
            for op in ops {
                if let (true, Err(error)) = (op.is_intent(), &self.found.1) {
                    answers.push(Err(error.clone()));
                    continue;
                }
                let table = Table {
                    db,
                    sql: &self.sql,
                    owner: &self.owner,
                    owners: &mut self.owners,
                    head: &mut end,
                    recent: &mut self.recent,
                    marking: matches!(op, Op::MarkLost),
                    refusable: matches!(op, Op::Begin(_)),
                    open: false,
                };
                answers.push(apply(table, op).map_err(Failure::of_one)?);
            }
            if ops.iter().any(Op::is_intent) {
                fail::fail_point!("journal.begin.before_commit");
            }
            if ops.iter().any(|op| matches!(op, Op::Finish(..))) {
                fail::fail_point!("journal.finish.before_commit");
            }
            fail::fail_point!("journal.commit", |code| Err(injected(code).into()));
            if ops.iter().any(|op| matches!(op, Op::Finish(..))) {
                fail::fail_point!("journal.finish.full", |code| Err(injected(code).into()));
            }
            say("COMMIT").map_err(|error| failed(&error))?;
            Ok(answers)
        })();
        let answers = match done {
            Ok(answers) => answers,
            Err(error) => {
                // Whether it was committed is not known where the sync failed: the connection is not used any more.
                self.db = None;
                self.recent.forget();
                return Err(error);
            }
        };
        if ops.iter().any(Op::is_intent) {
            fail::fail_point!("journal.begin.after_commit");
        }
        if ops.iter().any(|op| matches!(op, Op::Finish(..))) {
            fail::fail_point!("journal.finish.after_commit");
        }
        self.sealer.seal(end);
        Ok(answers)
    }
}

/// Why a batch was not done.
struct Failure {
    error: JournalError,
    /// Whether it is what the store said to one operation, before anything was committed.
    of_one: bool,
}

impl Failure {
    fn of_one(error: JournalError) -> Failure {
        Failure { error, of_one: true }
    }

    fn is_full(&self) -> bool {
        matches!(self.error, JournalError::Store { code: FULL, .. })
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        Failure { error, of_one: false }
    }
}

/// Waits for another process to end its transaction, for ten seconds at most.
///
/// SQLite's own handler sleeps longer each time, so that where many processes write one of them may never meet a free moment.
fn patient(tries: i32) -> bool {
    std::thread::sleep(TURN);
    tries < 5_000
}

/// How long a process waits before it looks again whether another one has ended its transaction.
pub(super) const TURN: Duration = Duration::from_millis(2);

/// Does one operation, or leaves nothing of it; an error of the store itself is one of the batch.
///
/// What an operation writes first is all or nothing by itself. Only where it goes on from there, and can be refused then, is
/// there a savepoint: it costs a copy of every page that is written.
fn apply(mut table: Table<'_>, op: &Op) -> Result<Result<Reply>> {
    let before = *table.head;
    let answer = machine::apply(&mut table, op);
    if let Err(error) = &answer {
        let store = matches!(error, JournalError::Store { code, .. } if *code != "call_id_taken");
        if store {
            return Err(error.clone());
        }
        if table.open {
            table.say("ROLLBACK TO op")?;
            *table.head = before;
        }
        table.recent.forget();
    }
    if table.open {
        table.say("RELEASE op")?;
    }
    Ok(answer)
}

/// The error that a failpoint asks for.
#[cfg_attr(not(feature = "failpoints"), allow(dead_code, reason = "only failpoints inject"))]
fn injected(code: Option<String>) -> JournalError {
    match code.as_deref() {
        Some("full") => JournalError::store(ErrorKind::Unavailable, FULL, "database or disk is full"),
        _ => JournalError::unavailable("disk I/O error"),
    }
}

impl writer::Backend for Backend {
    fn transact(&mut self, ops: &[Op]) -> Vec<Result<Reply>> {
        self.look();
        if let Err(error) = &self.found.0 {
            return ops.iter().map(|_| Err(error.clone())).collect();
        }
        let mut done = self.attempt(ops);
        if done.as_ref().is_err_and(Failure::is_full) && self.space.free_ballast() {
            // An outcome must not be lost: once more with the room that was kept for it, and no new intents.
            self.found.1 = Err(JournalError::unavailable("The disk is full."));
            self.looked = Some(Instant::now());
            done = self.attempt(ops);
        }
        match done {
            Ok(answers) => answers,
            // What one operation meets is not the fault of those that happened to be with it.
            Err(failure) if failure.of_one && !failure.is_full() && ops.len() > 1 => {
                ops.iter().flat_map(|op| self.transact(std::slice::from_ref(op))).collect()
            }
            Err(failure) => {
                let error = match failure.error {
                    JournalError::Store { code: FULL, message, .. } => JournalError::unavailable(message),
                    error => super::table::at(&self.path, error),
                };
                ops.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    fn idle(&mut self) {
        if let Some(db) = &self.db {
            let _ = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}
