//! The rows of a journal within one PostgreSQL transaction, seen from the writer's thread: each statement is waited for there.

use std::borrow::Cow;
use std::collections::HashMap;

use tokio::runtime::Runtime;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Statement};
use tool_core::canonical::{hex, unhex};
use tool_core::journal::chain::Head;
use tool_core::journal::machine::Rows;
use tool_core::journal::replay_gate::ReplayConsent;
use tool_core::journal::{CallKey, Cell, CellKind, JournalError, Result, Row, Task, Word as _};
use tool_core::{AuditRow, ErrorKind};

use crate::audit;
use crate::sql::{INLINE, LARGE, Param, Statements, blob_reference, referred};

/// How many calls of dead workers are marked in one transaction.
pub(crate) const REAPED: usize = 100;

/// What an error of the database means to callers.
pub(crate) fn failed(error: &tokio_postgres::Error) -> JournalError {
    JournalError::unavailable(match error.as_db_error() {
        Some(error) => error.to_string(),
        None => error.to_string(),
    })
}

/// A cell as a parameter of its column's type.
pub(crate) fn bound<'c>(kind: CellKind, cell: Cell<'c>) -> Box<dyn ToSql + Sync + Send + 'c> {
    match (kind, cell) {
        (CellKind::Int, Cell::Int(number)) => Box::new(number),
        (CellKind::Int, _) => Box::new(None::<i64>),
        (CellKind::Text, Cell::Text(Cow::Borrowed(text))) => Box::new(text),
        (CellKind::Text, Cell::Text(Cow::Owned(text))) => Box::new(text),
        (CellKind::Text, _) => Box::new(None::<String>),
    }
}

pub(crate) fn params(params: &[Param]) -> Vec<&(dyn ToSql + Sync)> {
    params
        .iter()
        .map(|param| match param {
            Param::Int(number) => number as &(dyn ToSql + Sync),
            Param::Text(text) => text as &(dyn ToSql + Sync),
        })
        .collect()
}

/// The cells of a result.
pub(crate) fn cells(row: &tokio_postgres::Row) -> impl Iterator<Item = Cell<'static>> {
    row.columns().iter().enumerate().map(|(i, column)| match *column.type_() {
        Type::INT8 => row.try_get::<_, Option<i64>>(i).ok().flatten().map_or(Cell::Null, Cell::Int),
        _ => row
            .try_get::<_, Option<String>>(i)
            .ok()
            .flatten()
            .map_or(Cell::Null, |text| Cell::Text(text.into())),
    })
}

/// The row of a result, large values still as references.
pub(crate) fn row_of(row: &tokio_postgres::Row) -> Result<Row> {
    Row::of_cells(cells(row)).map_err(|column| {
        JournalError::store(
            ErrorKind::Internal,
            "journal_corrupt",
            format!("A row has no readable {column}."),
        )
    })
}

/// Puts large values in the place of their references.
pub(crate) async fn with_blobs(db: &Client, mut row: Row) -> Result<Row> {
    let values = [
        Some(&mut row.input_json),
        row.output_json.as_mut(),
        row.error_json.as_mut(),
        row.revert_error_json.as_mut(),
    ];
    for value in values.into_iter().flatten() {
        let Some(sha256) = referred(value) else { continue };
        let found = db
            .query_opt("SELECT bytes FROM journal_blobs WHERE sha256 = $1", &[&sha256])
            .await
            .map_err(|error| failed(&error))?;
        if let Some(found) = found {
            *value = found.try_get(0).map_err(|error| failed(&error))?;
        }
    }
    Ok(row)
}

/// The rows of a query.
pub(crate) async fn rows(db: &Client, sql: &str, values: &[Param]) -> Result<Vec<Row>> {
    let found = db.query(sql, &params(values)).await.map_err(|error| failed(&error))?;
    let mut rows = Vec::with_capacity(found.len());
    for row in &found {
        rows.push(with_blobs(db, row_of(row)?).await?);
    }
    Ok(rows)
}

/// A hash of a chain from its hex form.
pub(crate) fn hash_of(text: &str) -> Result<[u8; 32]> {
    unhex(text).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| {
        JournalError::store(ErrorKind::Internal, "journal_corrupt", "A hash of the chain is none.")
    })
}

/// The connection of a writer, with its prepared statements.
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) prepared: HashMap<String, Statement>,
}

/// The rows within a transaction.
pub(crate) struct Table<'t> {
    pub(crate) runtime: &'t Runtime,
    pub(crate) db: &'t mut Connection,
    pub(crate) sql: &'t Statements,
    pub(crate) owner: &'t str,
    pub(crate) head: &'t mut Head,
    /// The database's clock, in milliseconds since 1970, as of the beginning of the transaction.
    pub(crate) now_ms: i64,
    /// When a lease ends that begins now.
    pub(crate) lease_until: i64,
}

impl Table<'_> {
    fn query(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<tokio_postgres::Row>> {
        let Connection { client, prepared } = self.db;
        self.runtime.block_on(async {
            if !prepared.contains_key(sql) {
                let statement = client.prepare(sql).await.map_err(|error| failed(&error))?;
                prepared.insert(sql.to_owned(), statement);
            }
            match prepared.get(sql) {
                Some(statement) => client.query(statement, values).await.map_err(|error| failed(&error)),
                None => Ok(Vec::new()),
            }
        })
    }

    fn execute(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64> {
        let Connection { client, prepared } = self.db;
        self.runtime.block_on(async {
            if !prepared.contains_key(sql) {
                let statement = client.prepare(sql).await.map_err(|error| failed(&error))?;
                prepared.insert(sql.to_owned(), statement);
            }
            match prepared.get(sql) {
                Some(statement) => client.execute(statement, values).await.map_err(|error| failed(&error)),
                None => Ok(0),
            }
        })
    }

    fn read(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let found = self.query(sql, values)?;
        let rows: Result<Vec<Row>> = found.iter().map(row_of).collect();
        let client = &self.db.client;
        rows?.into_iter().map(|row| self.runtime.block_on(with_blobs(client, row))).collect()
    }

    /// The cells of a row, large values kept elsewhere.
    fn stored<'r>(&mut self, row: &'r Row) -> Result<Vec<Cell<'r>>> {
        let mut cells = Vec::with_capacity(Row::COLUMNS.len());
        for (column, cell) in Row::COLUMNS.iter().zip(row.cells()) {
            cells.push(match cell {
                Cell::Text(text) if text.len() > INLINE && LARGE.contains(&column.name) => {
                    let sha256 = hex(&<sha2::Sha256 as sha2::Digest>::digest(text.as_bytes()));
                    let sql =
                        "INSERT INTO journal_blobs (sha256, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING";
                    self.execute(sql, &[&sha256, &text.as_ref()])?;
                    Cell::Text(blob_reference(&sha256, text.len()).into())
                }
                cell => cell,
            });
        }
        Ok(cells)
    }

    fn log(&mut self, row: &Row) -> Result<()> {
        let mut head = *self.head;
        let entry = head.append(&row.call_id, row.status.word(), self.now_ms, row.sha256());
        let n = i64::try_from(entry.n).unwrap_or(i64::MAX);
        let sql = "INSERT INTO journal_log (chain, n, call_id, \"to\", at_ms, row_sha256, hash) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let chain = self.owner.to_owned();
        self.execute(
            sql,
            &[&chain, &n, &entry.call_id, &entry.to, &entry.at_ms, &hex(&entry.row), &hex(&entry.hash)],
        )?;
        *self.head = head;
        Ok(())
    }
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl Rows for Table<'_> {
    fn get(&mut self, call_id: &str) -> Result<Option<Row>> {
        let sql = self.sql.get.clone();
        Ok(self.read(&sql, &[&call_id])?.pop())
    }

    fn live(&mut self, key: &CallKey) -> Result<Option<Row>> {
        // The row is locked, so that what is decided about it holds until the commit.
        let sql = format!("{} FOR UPDATE", self.sql.live);
        Ok(self.read(&sql, &[&key.tenant, &key.tool, &key.key])?.pop())
    }

    fn last_seq(&mut self, row: &Row) -> Result<u32> {
        let sql = self.sql.last_seq.clone();
        let (iteration, attempt) = (number(row.iteration), i64::from(row.attempt));
        let found = self.query(&sql, &[&row.tenant, &row.run_id, &row.node_id, &iteration, &attempt])?;
        let last: i64 = found.first().map_or(Ok(0), |row| row.try_get(0)).map_err(|error| failed(&error))?;
        Ok(u32::try_from(last).unwrap_or(u32::MAX))
    }

    fn insert(&mut self, row: &Row) -> Result<bool> {
        let cells = self.stored(row)?;
        let kinds = Row::COLUMNS.iter().map(|column| column.kind);
        let values: Vec<_> = kinds.zip(cells).map(|(kind, cell)| bound(kind, cell)).collect();
        let values: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        let sql = self.sql.insert.clone();
        if self.execute(&sql, &values)? == 0 {
            return match self.get(&row.call_id)? {
                Some(_) => Err(JournalError::store(
                    ErrorKind::Conflict,
                    "call_id_taken",
                    format!("There is a call with the id {:.80} already.", row.call_id),
                )),
                None => Ok(false),
            };
        }
        self.log(row)?;
        Ok(true)
    }

    fn update(&mut self, old: &Row, new: &Row) -> Result<bool> {
        let cells = self.stored(new)?;
        let changing = Row::COLUMNS.iter().zip(cells).filter(|(column, _)| column.changes);
        let mut values: Vec<_> = changing.map(|(column, cell)| bound(column.kind, cell)).collect();
        values.push(bound(CellKind::Text, Cell::Text(old.call_id.as_str().into())));
        values.push(bound(CellKind::Text, Cell::Text(old.status.word().into())));
        values.push(bound(CellKind::Int, old.lease_token.map_or(Cell::Null, Cell::Int)));
        let successor = old.superseded_by.as_deref().map_or(Cell::Null, |call| Cell::Text(call.into()));
        values.push(bound(CellKind::Text, successor));
        let values: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        let sql = self.sql.update.clone();
        if self.execute(&sql, &values)? == 0 {
            return Ok(false);
        }
        self.log(new)?;
        Ok(true)
    }

    fn open(&mut self) -> Result<Vec<Row>> {
        // Those that another process is about to mark are left to it.
        let sql = format!(
            "{} AND (lease_until IS NULL OR lease_until < $1) LIMIT {REAPED} FOR UPDATE SKIP LOCKED",
            self.sql.open
        );
        let now = self.now_ms;
        self.read(&sql, &[&now])
    }

    fn alive(&mut self, row: &Row) -> Result<bool> {
        Ok(row.lease_until.is_some_and(|until| until >= self.now_ms))
    }

    fn own(&mut self, row: &mut Row) {
        row.owner = Some(self.owner.to_owned());
        row.lease_token = i64::try_from(uuid::Uuid::new_v4().as_u64_pair().0 >> 1).ok();
        row.lease_until = Some(self.lease_until);
    }

    fn now_ms(&mut self) -> i64 {
        self.now_ms
    }

    fn take_attempt(&mut self, task: &Task) -> Result<u32> {
        let iteration = number(task.iteration);
        let sql = "INSERT INTO journal_attempts (tenant, run_id, node_id, iteration, attempt) SELECT $1, $2, $3, $4, \
                   1 + COALESCE((SELECT MAX(attempt) FROM tool_calls WHERE tenant = $1 AND run_id = $2 AND node_id = $3 \
                   AND iteration = $4), 0) ON CONFLICT (tenant, run_id, node_id, iteration) DO UPDATE \
                   SET attempt = GREATEST(journal_attempts.attempt + 1, excluded.attempt) RETURNING attempt";
        let found = self.query(sql, &[&task.tenant, &task.run_id, &task.node_id, &iteration])?;
        let attempt: i64 =
            found.first().map_or(Ok(1), |row| row.try_get(0)).map_err(|error| failed(&error))?;
        Ok(u32::try_from(attempt).unwrap_or(u32::MAX))
    }

    fn audit(&mut self, row: &AuditRow) -> Result<()> {
        let cells: Vec<_> = audit::cells(row).into_iter().map(|(kind, cell)| bound(kind, cell)).collect();
        let values: Vec<&(dyn ToSql + Sync)> =
            cells.iter().map(|cell| &**cell as &(dyn ToSql + Sync)).collect();
        let sql = self.sql.audit();
        if self.execute(&sql.resume, &values)? == 0 {
            self.execute(&sql.insert, &values)?;
        }
        Ok(())
    }

    fn forget_audits(&mut self) -> Result<()> {
        let before = self.now_ms.saturating_sub(audit::KEPT_MS);
        self.execute(&self.sql.audit().forget, &[&before]).map(drop)
    }

    fn keep_consent(&mut self, task: &Task, consent: &ReplayConsent) -> Result<()> {
        let sql = "INSERT INTO journal_consents VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
        let (iteration, attempt) = (number(task.iteration), i64::from(consent.attempt));
        let allow = i64::from(consent.allow);
        self.execute(
            sql,
            &[&task.tenant, &task.run_id, &task.node_id, &iteration, &attempt, &consent.fingerprint, &allow],
        )?;
        Ok(())
    }
}
