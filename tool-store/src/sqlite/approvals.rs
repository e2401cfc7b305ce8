//! Approvals that outlast the process, in the journal's file. (calls.md §5)

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use tool_core::journal::{Journal as _, JournalError, now_ms};
use tool_core::{Approval, ApprovalId, ApprovalState, Approvals, ToolError};

use super::SqliteJournal;
use super::table::failed;
use crate::LazyJournal;

const COLUMNS: &str = "SELECT id, hash, tenant, agent, tool, state, reason FROM approvals";

fn approval(row: &Row<'_>) -> rusqlite::Result<Approval> {
    let reason: Option<String> = row.get(6)?;
    let state = match row.get::<_, String>(5)?.as_str() {
        "once" => ApprovalState::Once,
        "always" => ApprovalState::Always,
        "denied" => ApprovalState::Denied { reason },
        // What nobody knows the meaning of is no consent.
        _ => ApprovalState::Pending,
    };
    let (id, hash) = (ApprovalId(row.get(0)?), row.get(1)?);
    Ok(Approval { id, hash, tenant: row.get(2)?, agent: row.get(3)?, tool: row.get(4)?, state })
}

fn word(state: &ApprovalState) -> (&'static str, Option<&str>) {
    match state {
        ApprovalState::Pending => ("pending", None),
        ApprovalState::Once => ("once", None),
        ApprovalState::Always => ("always", None),
        ApprovalState::Denied { reason } => ("denied", reason.as_deref()),
    }
}

fn told<T>(result: Result<T, JournalError>) -> Result<T, ToolError> {
    result.map_err(ToolError::from)
}

impl Approvals for SqliteJournal {
    fn find(&self, hash: &str) -> Result<Option<Approval>, ToolError> {
        let sql = format!("{COLUMNS} WHERE hash = ?1");
        let find = |db: &Connection| db.query_row(&sql, [hash], approval).optional();
        told(self.readers.read(|db| find(db).map_err(|error| failed(&error))))
    }

    fn put(&self, approval: Approval) -> Result<(), ToolError> {
        let (state, reason) = word(&approval.state);
        let Approval { id, hash, tenant, agent, tool, .. } = &approval;
        let sql = "INSERT OR REPLACE INTO approvals (id, hash, tenant, agent, tool, state, reason, at_ms) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let row = params![id.0, hash, tenant, agent, tool, state, reason, now_ms()];
        told(self.change(|db| db.execute(sql, row).map(drop).map_err(|error| failed(&error))))
    }

    fn list(&self) -> Result<Vec<Approval>, ToolError> {
        let sql = format!("{COLUMNS} ORDER BY id");
        let all = |db: &Connection| -> rusqlite::Result<Vec<Approval>> {
            db.prepare(&sql)?.query_map([], approval)?.collect()
        };
        told(self.readers.read(|db| all(db).map_err(|error| failed(&error))))
    }

    fn revoke(&self, id: &ApprovalId) -> Result<bool, ToolError> {
        let sql = "DELETE FROM approvals WHERE id = ?1";
        told(self.change(|db| db.execute(sql, [&id.0]).map_err(|error| failed(&error)))).map(|gone| gone > 0)
    }

    fn key(&self) -> Option<[u8; 32]> {
        Some(self.pepper().0)
    }
}

/// The approvals beside a journal that is opened when the first call needs approval.
#[derive(Clone, Debug)]
pub struct StoredApprovals(pub Arc<LazyJournal>);

impl StoredApprovals {
    fn journal(&self) -> Result<&Arc<SqliteJournal>, ToolError> {
        told(self.0.open())
    }
}

impl Approvals for StoredApprovals {
    fn find(&self, hash: &str) -> Result<Option<Approval>, ToolError> {
        self.journal()?.find(hash)
    }

    fn put(&self, approval: Approval) -> Result<(), ToolError> {
        self.journal()?.put(approval)
    }

    fn list(&self) -> Result<Vec<Approval>, ToolError> {
        self.journal()?.list()
    }

    fn revoke(&self, id: &ApprovalId) -> Result<bool, ToolError> {
        self.journal()?.revoke(id)
    }

    fn key(&self) -> Option<[u8; 32]> {
        self.journal().ok()?.key()
    }
}
