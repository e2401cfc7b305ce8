//! Retention: ended runs go with the results that belong to them, what is in doubt stays, and the chain keeps a checkpoint in place of its beginning. (journal.md §10)

use std::time::Duration;

use rusqlite::{Connection, params};
use tool_core::journal::chain::Head;
use tool_core::journal::{Result, now_ms};

use super::SqliteJournal;
use super::owner::Owners;
use super::recent::Recent;
use super::results;
use super::table::{CHAIN, Table, failed, head};
use super::verify::PRUNED;
use crate::sql::Statements;

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Runs.
    pub runs: usize,
    /// Calls.
    pub calls: usize,
    /// Entries of the chain.
    pub entries: usize,
    /// The keys that tools saw and no call that is left has: what was kept by them can go too.
    pub keys: Vec<String>,
}

impl SqliteJournal {
    /// How many calls are in doubt.
    ///
    /// # Errors
    /// Those of reading.
    pub fn in_doubt(&self) -> Result<u64> {
        let sql = "SELECT COUNT(*) FROM tool_calls WHERE status = 'in_doubt' AND superseded_by IS NULL";
        let count = |db: &Connection| db.query_row(sql, [], |row| row.get::<_, i64>(0));
        let count = self.readers.read(|db| count(db).map_err(|error| failed(&error)))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Removes the runs whose calls all ended longer ago than this. A run with a call that is open or in doubt stays whole.
    ///
    /// # Errors
    /// Those of writing.
    pub fn prune(&self, older: Duration) -> Result<Pruned> {
        self.change(|db| prune(db, self, older))
    }
}

fn prune(db: &Connection, journal: &SqliteJournal, older: Duration) -> Result<Pruned> {
    let before = now_ms().saturating_sub(i64::try_from(older.as_millis()).unwrap_or(i64::MAX));
    let sql = "SELECT tenant, run_id FROM tool_calls GROUP BY tenant, run_id HAVING \
               MAX(COALESCE(finished_at_ms, started_at_ms)) < ?1 \
               AND SUM(status IN ('intent', 'running') OR (status = 'in_doubt' AND superseded_by IS NULL)) = 0";
    let mut runs = db.prepare(sql).map_err(|error| failed(&error))?;
    let runs = runs.query_map([before], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
    let runs: Vec<(String, String)> = runs.and_then(Iterator::collect).map_err(|error| failed(&error))?;
    let mut end = head(db)?;
    let sql = Statements::new(|n| format!("?{n}"));
    let mut owners = Owners::new(&journal.path, &journal.owner.id);
    let mut recent = Recent::default();
    let mut pruned = Pruned { runs: runs.len(), ..Pruned::default() };
    for (tenant, run) in &runs {
        let mut calls = db
            .prepare_cached("SELECT call_id, tool_key FROM tool_calls WHERE tenant = ?1 AND run_id = ?2")
            .map_err(|error| failed(&error))?;
        let calls =
            calls.query_map([tenant, run], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
        let calls: Vec<(String, String)> =
            calls.and_then(Iterator::collect).map_err(|error| failed(&error))?;
        for (call, key) in &calls {
            pruned.keys.push(key.clone());
            let owner = &journal.owner.id;
            let mut table = Table {
                db,
                sql: &sql,
                owner,
                owners: &mut owners,
                head: &mut end,
                recent: &mut recent,
                marking: false,
                refusable: false,
                open: false,
            };
            table.log(call, PRUNED, [0; 32])?;
        }
        let remove = |sql: &str| db.execute(sql, [tenant, run]).map_err(|error| failed(&error));
        remove(results::OF_RUN)?;
        pruned.calls += remove("DELETE FROM tool_calls WHERE tenant = ?1 AND run_id = ?2")?;
        remove("DELETE FROM journal_consents WHERE tenant = ?1 AND run_id = ?2")?;
        remove("DELETE FROM journal_attempts WHERE tenant = ?1 AND run_id = ?2")?;
    }
    // The prefix that speaks of no row that is kept.
    let sql = "SELECT COALESCE(MIN(n), (SELECT MAX(n) FROM journal_log WHERE chain = ?1)) FROM journal_log \
               WHERE chain = ?1 AND call_id IN (SELECT call_id FROM tool_calls)";
    let first: Option<i64> = db.query_row(sql, [CHAIN], |row| row.get(0)).map_err(|error| failed(&error))?;
    if let Some(first) = first {
        let sql = "SELECT hash FROM journal_log WHERE chain = ?1 AND n = ?2";
        let hash: rusqlite::Result<String> = db.query_row(sql, params![CHAIN, first - 1], |row| row.get(0));
        if let Ok(hash) = hash {
            let sql = "INSERT OR REPLACE INTO journal_checkpoint VALUES (?1, ?2, ?3)";
            db.execute(sql, params![CHAIN, first - 1, hash]).map_err(|error| failed(&error))?;
            let sql = "DELETE FROM journal_log WHERE chain = ?1 AND n < ?2";
            pruned.entries = db.execute(sql, params![CHAIN, first]).map_err(|error| failed(&error))?;
        }
    }
    pruned.keys.sort_unstable();
    pruned.keys.dedup();
    let mut left =
        db.prepare("SELECT 1 FROM tool_calls WHERE tool_key = ?1").map_err(|error| failed(&error))?;
    for key in std::mem::take(&mut pruned.keys) {
        if !left.exists([&key]).map_err(|error| failed(&error))? {
            pruned.keys.push(key);
        }
    }
    let unused = "DELETE FROM journal_blobs WHERE NOT EXISTS (SELECT 1 FROM tool_calls WHERE \
                  instr(input_json || coalesce(output_json, '') || coalesce(error_json, '') || \
                  coalesce(revert_error_json, ''), sha256))";
    db.execute(unused, []).map_err(|error| failed(&error))?;
    let _: Head = end;
    Ok(pruned)
}
