//! The rows of a journal within one SQLite transaction.

use std::borrow::Cow;
use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, ToSql, params, params_from_iter};
use serde_json::Value;
use tool_core::canonical::{hex, unhex};
use tool_core::journal::chain::{Entry, Head};
use tool_core::journal::machine::Rows;
use tool_core::journal::replay_gate::ReplayConsent;
use tool_core::journal::{CallKey, Cell, JournalError, Result, Row, Task, Word as _, now_ms};
use tool_core::{AuditRow, ErrorKind};

use super::owner::Owners;
use super::recent::Recent;
use crate::audit::{self, AuditCount};
use crate::sql::{INLINE, LARGE, Param, Statements, blob_reference, referred};

/// The one chain of a SQLite journal.
pub(crate) const CHAIN: &str = "main";

/// What an error of SQLite means to callers.
pub(crate) fn failed(error: &rusqlite::Error) -> JournalError {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => corrupt(error.to_string()),
        Some(ErrorCode::DiskFull) => JournalError::store(ErrorKind::Unavailable, FULL, error.to_string()),
        _ => JournalError::unavailable(error.to_string()),
    }
}

/// The code of a full disk, before anything is tried about it.
pub(crate) const FULL: &str = "journal_full";

pub(crate) fn corrupt(what: impl Into<String>) -> JournalError {
    JournalError::store(ErrorKind::Internal, "journal_corrupt", what)
}

/// An error with the file that it is about: whoever reads of damage must know where.
pub(crate) fn at(path: &Path, error: JournalError) -> JournalError {
    let file = path.display().to_string();
    match error {
        JournalError::Store { kind, code: code @ "journal_corrupt", message, hint }
            if !message.contains(&file) =>
        {
            JournalError::Store { kind, code, message: format!("{file}: {message}"), hint }
        }
        other => other,
    }
}

/// A cell as a parameter.
struct Bound<'a>(&'a Cell<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Int(number) => ValueRef::Integer(*number),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Param::Int(number) => ValueRef::Integer(*number),
            Param::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// The row of a result, large values still as references.
pub(crate) fn row_of(row: &rusqlite::Row<'_>) -> Result<Row> {
    let cells = (0..Row::COLUMNS.len()).map(|i| row.get_ref(i).map_or(Cell::Null, cell));
    Row::of_cells(cells).map_err(|column| corrupt(format!("A row has no readable {column}.")))
}

/// Puts large values in the place of their references.
pub(crate) fn with_blobs(db: &Connection, mut row: Row) -> Result<Row> {
    let input = (!row.input_json.is_empty()).then_some(&mut row.input_json);
    let others = [&mut row.output_json, &mut row.error_json, &mut row.revert_error_json];
    for value in input.into_iter().chain(others.into_iter().flatten()) {
        let Some(sha256) = referred(value) else { continue };
        let mut blob =
            db.prepare_cached("SELECT bytes FROM journal_blobs WHERE sha256 = ?1").map_err(|e| failed(&e))?;
        let found: Option<String> =
            blob.query_row([sha256], |row| row.get(0)).optional().map_err(|e| failed(&e))?;
        if let Some(found) = found {
            *value = found;
        }
    }
    Ok(row)
}

/// The rows of a query.
pub(crate) fn rows(db: &Connection, sql: &str, params: &[Param]) -> Result<Vec<Row>> {
    let mut statement = db.prepare_cached(sql).map_err(|error| failed(&error))?;
    let mut found = statement.query(params_from_iter(params)).map_err(|error| failed(&error))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next().map_err(|error| failed(&error))? {
        rows.push(row_of(row)?);
    }
    rows.into_iter().map(|row| with_blobs(db, row)).collect()
}

/// A value of a result.
fn cell(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text)),
        _ => Cell::Null,
    }
}

/// The audit rows of a question, in their JSON form.
pub(crate) fn audits(db: &Connection, sql: &str, params: &[Param]) -> Result<Vec<Value>> {
    let mut statement = db.prepare_cached(sql).map_err(|error| failed(&error))?;
    let columns = statement.column_count();
    let mut found = statement.query(params_from_iter(params)).map_err(|error| failed(&error))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next().map_err(|error| failed(&error))? {
        rows.push(audit::object((0..columns).map(|i| row.get_ref(i).map_or(Cell::Null, cell))));
    }
    Ok(rows)
}

/// The audit rows of a question, counted.
pub(crate) fn audit_counts(db: &Connection, sql: &str, params: &[Param]) -> Result<Vec<AuditCount>> {
    let count = |row: &rusqlite::Row<'_>| {
        let number = |i| row.get::<_, i64>(i).map(|number| u64::try_from(number).unwrap_or(0));
        Ok(AuditCount { tool: row.get(0)?, outcome: row.get(1)?, calls: number(2)?, total_ms: number(3)? })
    };
    let counts = |db: &Connection| -> rusqlite::Result<Vec<AuditCount>> {
        db.prepare_cached(sql)?.query_map(params_from_iter(params), count)?.collect()
    };
    counts(db).map_err(|error| failed(&error))
}

/// The end of the chain.
pub(crate) fn head(db: &Connection) -> Result<Head> {
    let sql = "SELECT n, hash FROM journal_log WHERE chain = ?1 ORDER BY n DESC LIMIT 1";
    match one_head(db, sql)? {
        Some(head) => Ok(head),
        None => Ok(checkpoint(db)?.unwrap_or_default()),
    }
}

/// What stands in place of the pruned beginning.
pub(crate) fn checkpoint(db: &Connection) -> Result<Option<Head>> {
    one_head(db, "SELECT n, hash FROM journal_checkpoint WHERE chain = ?1")
}

fn one_head(db: &Connection, sql: &str) -> Result<Option<Head>> {
    let mut statement = db.prepare_cached(sql).map_err(|error| failed(&error))?;
    let found = statement.query_row([CHAIN], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)));
    let found = found.optional().map_err(|error| failed(&error))?;
    found.map(|(n, hash)| Ok(Head { n: u64::try_from(n).unwrap_or(0), hash: hash_of(&hash)? })).transpose()
}

/// A hash of the chain from its hex form.
pub(crate) fn hash_of(text: &str) -> Result<[u8; 32]> {
    unhex(text).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| corrupt("A hash of the chain is none."))
}

/// The rows within a transaction.
pub(crate) struct Table<'t> {
    pub(crate) db: &'t Connection,
    pub(crate) sql: &'t Statements,
    pub(crate) owner: &'t str,
    pub(crate) owners: &'t mut Owners,
    pub(crate) head: &'t mut Head,
    /// What was written before.
    pub(crate) recent: &'t mut Recent,
    /// Whether rows are looked at one after the other, to mark those of the dead.
    pub(crate) marking: bool,
    /// Whether the operation can still be refused when a row of it was changed: then it can be taken back.
    pub(crate) refusable: bool,
    /// Whether there is something to take back.
    pub(crate) open: bool,
}

impl Table<'_> {
    fn one(&self, sql: &str, params: impl rusqlite::Params) -> Result<Option<Row>> {
        let mut statement = self.db.prepare_cached(sql).map_err(|error| failed(&error))?;
        let mut rows = statement.query(params).map_err(|error| failed(&error))?;
        let row = rows.next().map_err(|error| failed(&error))?.map(row_of).transpose()?;
        drop(rows);
        row.map(|row| with_blobs(self.db, row)).transpose()
    }

    /// The cells of a row, large values kept elsewhere.
    fn stored<'r>(&self, row: &'r Row) -> Result<Vec<Cell<'r>>> {
        let mut cells = Vec::with_capacity(Row::COLUMNS.len());
        for (column, cell) in Row::COLUMNS.iter().zip(row.cells()) {
            let large = |text: &Cow<'_, str>| text.len() > INLINE && LARGE.contains(&column.name);
            cells.push(match cell {
                Cell::Text(text) if large(&text) => {
                    let sha256 = hex(&<sha2::Sha256 as sha2::Digest>::digest(text.as_bytes()));
                    let sql =
                        "INSERT INTO journal_blobs (sha256, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
                    self.execute(sql, params![sha256, text])?;
                    Cell::Text(blob_reference(&sha256, text.len()).into())
                }
                cell => cell,
            });
        }
        Ok(cells)
    }

    /// Runs a statement without parameters.
    pub(crate) fn say(&self, sql: &str) -> Result<()> {
        self.execute(sql, []).map(drop)
    }

    fn execute(&self, sql: &str, params: impl rusqlite::Params) -> Result<usize> {
        let mut statement = self.db.prepare_cached(sql).map_err(|error| failed(&error))?;
        statement.execute(params).map_err(|error| failed(&error))
    }

    pub(crate) fn log(&mut self, call_id: &str, to: &str, row: [u8; 32]) -> Result<()> {
        let mut head = *self.head;
        let Entry { n, at_ms, hash, .. } = head.append(call_id, to, now_ms(), row);
        let sql = "INSERT INTO journal_log (chain, n, call_id, \"to\", at_ms, row_sha256, hash) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        self.execute(sql, params![CHAIN, n, call_id, to, at_ms, hex(&row), hex(&hash)])?;
        *self.head = head;
        Ok(())
    }
}

/// Which columns a transition changes, a bit for each. The status is always one, so that there is something to set.
fn changed(old: &Row, new: &Row) -> u64 {
    let (old, new) = (old.cells(), new.cells());
    let pairs = Row::COLUMNS.iter().zip(old.iter().zip(&new)).enumerate();
    pairs.fold(0, |changed, (at, (column, (old, new)))| match column.name == "status" || old != new {
        true => changed | (1 << at),
        false => changed,
    })
}

impl Rows for Table<'_> {
    fn get(&mut self, call_id: &str) -> Result<Option<Row>> {
        if let Some(row) = self.recent.take(call_id) {
            return Ok(Some(row));
        }
        self.one(&self.sql.get, [call_id])
    }

    fn live(&mut self, key: &CallKey) -> Result<Option<Row>> {
        self.one(&self.sql.live, [&key.tenant, &key.tool, &key.key])
    }

    fn last_seq(&mut self, row: &Row) -> Result<u32> {
        if let Some(last) = self.recent.last_seq(row) {
            return Ok(last);
        }
        let mut statement = self.db.prepare_cached(&self.sql.last_seq).map_err(|error| failed(&error))?;
        let iteration = i64::try_from(row.iteration).unwrap_or(i64::MAX);
        let place = params![row.tenant, row.run_id, row.node_id, iteration, row.attempt];
        statement.query_row(place, |row| row.get(0)).map_err(|error| failed(&error))
    }

    fn insert(&mut self, row: &Row) -> Result<bool> {
        let cells = self.stored(row)?;
        if self.execute(&self.sql.insert, params_from_iter(cells.iter().map(Bound)))? == 0 {
            self.recent.forget();
            return match self.get(&row.call_id)? {
                Some(_) => Err(JournalError::store(
                    ErrorKind::Conflict,
                    "call_id_taken",
                    format!("There is a call with the id {:.80} already.", row.call_id),
                )),
                None => Ok(false),
            };
        }
        if row.attempt > 1 {
            let sql = "INSERT INTO journal_attempts VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE \
                       SET attempt = MAX(attempt, excluded.attempt)";
            let iteration = i64::try_from(row.iteration).unwrap_or(i64::MAX);
            self.execute(sql, params![row.tenant, row.run_id, row.node_id, iteration, row.attempt])?;
        }
        self.log(&row.call_id, row.status.word(), row.sha256())?;
        self.recent.keep_seq(row);
        self.recent.keep(row);
        Ok(true)
    }

    fn update(&mut self, old: &Row, new: &Row) -> Result<bool> {
        if self.refusable && !std::mem::replace(&mut self.open, true) {
            self.say("SAVEPOINT op")?;
        }
        let changed = changed(old, new);
        let cells = self.stored(new)?;
        let changing = Row::COLUMNS.iter().zip(&cells).enumerate();
        let changing = changing
            .filter(|(at, (column, _))| column.changes && changed & (1 << at) != 0)
            .map(|(_, (_, cell))| cell);
        let lease = old.lease_token.map_or(Cell::Null, Cell::Int);
        let successor = old.superseded_by.as_deref().map_or(Cell::Null, |call| Cell::Text(call.into()));
        let was =
            [Cell::Text(old.call_id.as_str().into()), Cell::Text(old.status.word().into()), lease, successor];
        let params = params_from_iter(changing.chain(&was).map(Bound));
        if self.execute(&self.sql.update_of(changed), params)? == 0 {
            self.recent.forget();
            return Ok(false);
        }
        self.log(&new.call_id, new.status.word(), new.sha256())?;
        self.recent.keep(new);
        Ok(true)
    }

    fn open(&mut self) -> Result<Vec<Row>> {
        rows(self.db, &self.sql.open, &[])
    }

    fn alive(&mut self, row: &Row) -> Result<bool> {
        if self.marking {
            fail::fail_point!("recover.between_rows");
        }
        Ok(row.owner.as_deref().is_some_and(|owner| self.owners.is_alive(owner)))
    }

    fn own(&mut self, row: &mut Row) {
        row.owner = Some(self.owner.to_owned());
        // Random, so that no other process has it.
        let token = uuid::Uuid::new_v4().as_u64_pair().0;
        row.lease_token = i64::try_from(token >> 1).ok();
    }

    fn now_ms(&mut self) -> i64 {
        now_ms()
    }

    fn take_attempt(&mut self, task: &Task) -> Result<u32> {
        let iteration = i64::try_from(task.iteration).unwrap_or(i64::MAX);
        let sql = "INSERT INTO journal_attempts (tenant, run_id, node_id, iteration, attempt) SELECT ?1, ?2, ?3, ?4, \
                   1 + COALESCE((SELECT MAX(attempt) FROM tool_calls WHERE tenant = ?1 AND run_id = ?2 AND node_id = ?3 \
                   AND iteration = ?4), 0) WHERE true ON CONFLICT DO UPDATE \
                   SET attempt = MAX(journal_attempts.attempt + 1, excluded.attempt) RETURNING attempt";
        let mut statement = self.db.prepare_cached(sql).map_err(|error| failed(&error))?;
        let place = params![task.tenant, task.run_id, task.node_id, iteration];
        statement.query_row(place, |row| row.get(0)).map_err(|error| failed(&error))
    }

    fn keep_consent(&mut self, task: &Task, consent: &ReplayConsent) -> Result<()> {
        let iteration = i64::try_from(task.iteration).unwrap_or(i64::MAX);
        let sql = "INSERT INTO journal_consents VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
        let (attempt, allow) = (consent.attempt, i64::from(consent.allow));
        self.execute(
            sql,
            params![task.tenant, task.run_id, task.node_id, iteration, attempt, consent.fingerprint, allow],
        )?;
        Ok(())
    }

    fn audit(&mut self, row: &AuditRow) -> Result<()> {
        let cells = audit::cells(row);
        let bound = || params_from_iter(cells.iter().map(|cell| Bound(&cell.1)));
        let sql = self.sql.audit();
        if self.execute(&sql.resume, bound())? == 0 {
            self.execute(&sql.insert, bound())?;
        }
        Ok(())
    }

    fn forget_audits(&mut self) -> Result<()> {
        self.execute(&self.sql.audit().forget, [now_ms().saturating_sub(audit::KEPT_MS)]).map(drop)
    }
}
