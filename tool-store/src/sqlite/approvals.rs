//! Approvals that outlast the process, in the journal's file. (calls.md §5)

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use tool_core::journal::{Journal as _, JournalError, now_ms};
use tool_core::{APPROVAL_LIFE, Approval, ApprovalId, ApprovalState, Approvals, ToolError};

use super::SqliteJournal;
use super::table::failed;
use crate::LazyJournal;

const COLUMNS: &str = "SELECT id, hash, tenant, agent, tool, state, reason, args_json, at_ms FROM approvals";

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
    let args = serde_json::from_str(&row.get::<_, String>(7)?).unwrap_or_default();
    let (tenant, agent, tool) = (row.get(2)?, row.get(3)?, row.get(4)?);
    Ok(Approval { id, hash, tenant, agent, tool, args, state, at_ms: row.get(8)? })
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
        let found = told(self.readers.read(|db| find(db).map_err(|error| failed(&error))))?;
        Ok(found.filter(|approval| !approval.is_over(now_ms())))
    }

    fn put(&self, approval: Approval) -> Result<(), ToolError> {
        let (state, reason) = word(&approval.state);
        let Approval { id, hash, tenant, agent, tool, args, at_ms, .. } = &approval;
        let sql = "INSERT OR REPLACE INTO approvals (id, hash, tenant, agent, tool, state, reason, args_json, at_ms) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let row = params![id.0, hash, tenant, agent, tool, state, reason, args.to_string(), at_ms];
        // What is over goes with the next that is written: nobody has to tidy up.
        let life = i64::try_from(APPROVAL_LIFE.as_millis()).unwrap_or(i64::MAX);
        let over = "DELETE FROM approvals WHERE state != 'always' AND at_ms < ?1";
        let put = |db: &Connection| {
            db.execute(over, [now_ms().saturating_sub(life)])?;
            db.execute(sql, row).map(drop)
        };
        told(self.change(|db| put(db).map_err(|error| failed(&error))))
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
    fn is_there(&self) -> bool {
        self.0.exists()
    }

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
