//! What the writer remembers from one transaction to the next: the open rows that it wrote, and the last number of each
//! attempt. An outcome then needs no row to be read first.
//!
//! It holds as long as nobody else writes: SQLite counts the commits of other connections (`PRAGMA data_version`), and with
//! each of them, and with each transaction that fails, everything is forgotten.

use std::collections::HashMap;

use rusqlite::Connection;
use tool_core::journal::{Result, Row};

use super::table::failed;

/// More attempts are not remembered at once.
const ATTEMPTS_MAX: usize = 4_096;

/// More open rows are not remembered at once.
const ROWS_MAX: usize = 1_024;

/// Tenant, run, node, iteration, attempt.
type Attempt = (String, String, String, u64, u32);

#[derive(Debug, Default)]
pub(crate) struct Recent {
    version: Option<i64>,
    rows: HashMap<String, Row>,
    seqs: HashMap<Attempt, u32>,
}

fn attempt(row: &Row) -> Attempt {
    (row.tenant.clone(), row.run_id.clone(), row.node_id.clone(), row.iteration, row.attempt)
}

impl Recent {
    /// Forgets everything when another connection has written; asked within a transaction that can write.
    pub(crate) fn refresh(&mut self, db: &Connection) -> Result<()> {
        let mut version = db.prepare_cached("PRAGMA data_version").map_err(|error| failed(&error))?;
        let now: i64 = version.query_row([], |row| row.get(0)).map_err(|error| failed(&error))?;
        if self.version != Some(now) {
            self.forget();
            self.version = Some(now);
        }
        Ok(())
    }

    pub(crate) fn forget(&mut self) {
        *self = Recent::default();
    }

    /// The row of a call, which is about to change.
    pub(crate) fn take(&mut self, call_id: &str) -> Option<Row> {
        self.rows.remove(call_id)
    }

    /// A row as it is now.
    pub(crate) fn keep(&mut self, row: &Row) {
        if row.status.is_open() && self.rows.len() < ROWS_MAX {
            self.rows.insert(row.call_id.clone(), row.clone());
        } else {
            self.rows.remove(&row.call_id);
        }
    }

    /// The last number of a row's attempt.
    pub(crate) fn last_seq(&self, row: &Row) -> Option<u32> {
        self.seqs.get(&attempt(row)).copied()
    }

    pub(crate) fn keep_seq(&mut self, row: &Row) {
        if self.seqs.len() >= ATTEMPTS_MAX {
            self.seqs.clear();
        }
        self.seqs.insert(attempt(row), row.seq);
    }
}
