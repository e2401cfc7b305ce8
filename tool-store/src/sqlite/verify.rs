//! Looking through a journal for what was changed behind its back. (journal.md §9)

use std::collections::HashMap;

use rusqlite::{Connection, params};
use tool_core::journal::chain::{Entry, Follow, Head, Verdict};
use tool_core::journal::{Result, VerifyOptions, VerifyReport};

use super::table::{CHAIN, checkpoint, failed, hash_of, row_of, with_blobs};
use crate::sql::columns;

/// How many entries are looked at when not all are asked for.
pub const RECENT: u64 = 1_000;

/// What an entry says of a row that was pruned.
pub(crate) const PRUNED: &str = "pruned";

/// What the last entry of each call says: the hash of its row, and whether that was pruned.
type Said = HashMap<String, ([u8; 32], bool)>;

/// Follows the chain, and compares the rows that it speaks of: all as they were at one moment.
pub(crate) fn verify(db: &Connection, seal: Option<Head>, options: VerifyOptions) -> Result<VerifyReport> {
    db.execute_batch("BEGIN").map_err(|error| failed(&error))?;
    let report = followed(db, seal, options);
    db.execute_batch("COMMIT").map_err(|error| failed(&error))?;
    report
}

fn followed(db: &Connection, seal: Option<Head>, options: VerifyOptions) -> Result<VerifyReport> {
    let checkpoint = checkpoint(db)?.unwrap_or_default();
    let last = super::table::head(db)?;
    let full = options.full || options.expect.is_some() || last.n.saturating_sub(checkpoint.n) <= RECENT;
    let from = if full { checkpoint } else { entry_head(db, last.n - RECENT)?.unwrap_or(checkpoint) };
    let mut follow = Follow::new(from, seal);
    let mut said = Said::new();
    let mut report =
        VerifyReport { verdict: Verdict::Ok(from), entries: 0, rows: 0, sealed: seal.map(|seal| seal.n) };
    let mut expected = options.expect.is_none_or(|expect| expect == from);
    let sql = "SELECT n, call_id, \"to\", at_ms, row_sha256, hash FROM journal_log WHERE chain = ?1 AND n > ?2 ORDER BY n";
    let mut statement = db.prepare(sql).map_err(|error| failed(&error))?;
    let start = i64::try_from(from.n).unwrap_or(i64::MAX);
    let mut entries = statement.query(params![CHAIN, start]).map_err(|error| failed(&error))?;
    while let Some(row) = entries.next().map_err(|error| failed(&error))? {
        let entry = entry(row)?;
        if let Err(wrong) = follow.next(&entry) {
            return Ok(VerifyReport { verdict: wrong, ..report });
        }
        if let Some(expect) = options.expect.filter(|expect| expect.n == entry.n) {
            if expect.hash != entry.hash {
                return Ok(VerifyReport { verdict: Verdict::SealMismatch { n: entry.n }, ..report });
            }
            expected = true;
        }
        report.entries += 1;
        said.insert(entry.call_id, (entry.row, entry.to == PRUNED));
    }
    report.verdict = follow.end();
    if let (true, Some(expect)) = (report.verdict.is_ok() && !expected, options.expect) {
        report.verdict = Verdict::Truncated { n: last.n, sealed: expect.n };
    }
    if report.verdict.is_ok()
        && let Some(call_id) = changed(db, &said, full, &mut report.rows)?
    {
        report.verdict = Verdict::RowChanged { call_id };
    }
    Ok(report)
}

/// The first call whose row is not as its last entry says. Only where all entries were read must each row have one.
fn changed(db: &Connection, said: &Said, full: bool, compared: &mut u64) -> Result<Option<String>> {
    let mut wrong: Option<&str> = None;
    let sql = format!("SELECT {} FROM tool_calls WHERE call_id = ?1", columns());
    let mut statement = db.prepare(&sql).map_err(|error| failed(&error))?;
    for (call_id, (sha256, pruned)) in said {
        let mut rows = statement.query([call_id]).map_err(|error| failed(&error))?;
        let row = rows.next().map_err(|error| failed(&error))?.map(row_of).transpose()?;
        // What an entry speaks of is there, unless it was pruned.
        let is_as_said = match row {
            Some(row) => !pruned && with_blobs(db, row)?.sha256() == *sha256,
            None => *pruned,
        };
        match is_as_said {
            true => *compared += u64::from(!pruned),
            false => wrong = wrong.into_iter().chain([call_id.as_str()]).min(),
        }
    }
    if !full || wrong.is_some() {
        return Ok(wrong.map(str::to_owned));
    }
    let mut statement = db.prepare("SELECT call_id FROM tool_calls").map_err(|error| failed(&error))?;
    let ids = statement.query_map([], |row| row.get::<_, String>(0)).map_err(|error| failed(&error))?;
    for id in ids {
        let id = id.map_err(|error| failed(&error))?;
        if !said.contains_key(&id) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn entry_head(db: &Connection, n: u64) -> Result<Option<Head>> {
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    let sql =
        "SELECT n, call_id, \"to\", at_ms, row_sha256, hash FROM journal_log WHERE chain = ?1 AND n = ?2";
    let mut statement = db.prepare(sql).map_err(|error| failed(&error))?;
    let mut rows = statement.query(params![CHAIN, n]).map_err(|error| failed(&error))?;
    let entry = rows.next().map_err(|error| failed(&error))?.map(entry).transpose()?;
    Ok(entry.map(|entry| Head { n: entry.n, hash: entry.hash }))
}

fn entry(row: &rusqlite::Row<'_>) -> Result<Entry> {
    let text = |i: usize| row.get::<_, String>(i).map_err(|error| failed(&error));
    let number = |i: usize| row.get::<_, i64>(i).map_err(|error| failed(&error));
    Ok(Entry {
        n: u64::try_from(number(0)?).unwrap_or(0),
        call_id: text(1)?,
        to: text(2)?,
        at_ms: number(3)?,
        row: hash_of(&text(4)?)?,
        hash: hash_of(&text(5)?)?,
    })
}
