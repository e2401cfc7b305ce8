//! Salvage: what can be read of a damaged journal, copied to a new file. Nothing is deleted. (journal.md §10)
//!
//! A damaged page hides the rows that stand in it and no others: reading goes on behind it. The copy has a chain of its own, since
//! that of the original does not fit what is left of it.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params, params_from_iter};
use tool_core::ErrorKind;
use tool_core::canonical::hex;
use tool_core::journal::chain::Head;
use tool_core::journal::{JournalError, Result, Row, Word as _, now_ms};

use super::table::{CHAIN, failed, row_of, with_blobs};
use super::{files, schema};
use crate::sql::{LARGE, columns, referred};

/// What could be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Per table: its name, the rows that were copied, and what kept others from being.
    pub tables: Vec<(String, usize, Option<String>)>,
}

/// The tables with a number per row besides that of the calls.
const NUMBERED: [&str; 4] = ["audit", "approvals", "catalogue", "results"];

/// The others: they are short, and read from both ends.
const KEYED: [(&str, &str); 3] = [
    ("journal_attempts", "tenant, run_id, node_id, iteration"),
    ("journal_consents", "tenant, run_id, node_id, iteration, attempt, fingerprint"),
    ("enablement", "agent, pattern, source"),
];

/// Copies what is readable of a journal to a new file.
///
/// # Errors
/// `conflict` when the new file is there already; those of writing it.
pub fn salvage(damaged: &Path, to: &Path) -> Result<Salvaged> {
    if to.exists() {
        let text = format!("{} is there already.", to.display());
        return Err(JournalError::store(ErrorKind::Conflict, "path_exists", text));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let from = Connection::open_with_flags(damaged, flags).map_err(|error| failed(&error))?;
    let new = files::prepare(to, &[]).and_then(|_| Connection::open(to).map_err(|error| failed(&error)))?;
    schema::migrate(&new, to)?;
    let say = |sql: &str| new.execute_batch(sql).map_err(|error| failed(&error));
    say("BEGIN")?;
    let mut salvaged = Salvaged::default();
    let mut copies = vec![Copied::new("tool_calls", &columns()), Copied::new("journal_blobs", "*")];
    if let [calls, blobs] = copies.as_mut_slice() {
        // A row that cannot be understood would make the copy unreadable.
        numbered(&from, &new, calls, |row| row_of(row).map(drop).map_err(|error| error.to_string()));
        referred_to(&from, &new, blobs)?;
    }
    for name in NUMBERED {
        let mut copied = Copied::new(name, "*");
        numbered(&from, &new, &mut copied, |_| Ok(()));
        copies.push(copied);
    }
    for (name, key) in KEYED {
        let mut copied = Copied::new(name, "*");
        keyed(&from, &new, &mut copied, key);
        copies.push(copied);
    }
    chained(&new)?;
    say("COMMIT")?;
    salvaged
        .tables
        .extend(copies.into_iter().map(|copied| (copied.name.to_owned(), copied.rows, copied.why)));
    Ok(salvaged)
}

/// One table on its way.
struct Copied {
    name: &'static str,
    columns: String,
    rows: usize,
    /// The first thing that kept a row from being copied.
    why: Option<String>,
}

impl Copied {
    fn new(name: &'static str, columns: &str) -> Copied {
        Copied { name, columns: columns.to_owned(), rows: 0, why: None }
    }

    fn lost(&mut self, why: impl ToString) {
        self.why.get_or_insert_with(|| why.to_string());
    }

    /// Writes a row of so many values.
    fn write(&mut self, to: &Connection, row: &rusqlite::Row<'_>, count: usize) {
        let values: rusqlite::Result<Vec<Value>> = (0..count).map(|i| row.get(i)).collect();
        let places: Vec<String> = (1..=count).map(|n| format!("?{n}")).collect();
        let columns = if self.columns == "*" { String::new() } else { format!(" ({})", self.columns) };
        let sql = format!("INSERT OR IGNORE INTO {}{columns} VALUES ({})", self.name, places.join(", "));
        let written = values.and_then(|values| to.prepare_cached(&sql)?.execute(params_from_iter(values)));
        match written {
            Ok(written) => self.rows += written,
            Err(error) => self.lost(error),
        }
    }
}

/// Copies a table by the numbers of its rows. Where a page cannot be read, the first number behind it is looked for.
fn numbered(
    from: &Connection,
    to: &Connection,
    copied: &mut Copied,
    check: impl Fn(&rusqlite::Row<'_>) -> std::result::Result<(), String>,
) {
    let (name, columns) = (copied.name, copied.columns.clone());
    let rows = format!("SELECT {columns}, rowid FROM {name} WHERE rowid > ?1 ORDER BY rowid");
    let mut last = i64::MIN;
    loop {
        let read = (|| -> rusqlite::Result<()> {
            let mut statement = from.prepare_cached(&rows)?;
            let number = statement.column_count() - 1;
            let mut rows = statement.query([last])?;
            while let Some(row) = rows.next()? {
                last = row.get(number)?;
                match check(row) {
                    Ok(()) => copied.write(to, row, number),
                    Err(why) => copied.lost(why),
                }
            }
            Ok(())
        })();
        let Err(error) = read else { return };
        copied.lost(error);
        match behind(from, name, last) {
            Some(next) => last = next,
            None => return,
        }
    }
}

/// The number just before the first row that can be read behind a damaged page.
fn behind(from: &Connection, name: &str, last: i64) -> Option<i64> {
    let sql = format!("SELECT rowid FROM {name} WHERE rowid > ?1 ORDER BY rowid LIMIT 1");
    let reads = |after: i64| -> Option<i64> {
        let found = from
            .prepare_cached(&sql)
            .and_then(|mut rows| rows.query_row([after], |row| row.get(0)).optional());
        found.ok().flatten()
    };
    let start = last.max(0);
    // Ever further, until something is read; then back to the first that is.
    let steps = (0..62).map(|power| 1_i64 << power);
    let far = steps.map_while(|step| start.checked_add(step)).find(|after| reads(*after).is_some())?;
    let (mut bad, mut good) = (start, far);
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        match reads(middle) {
            Some(_) => good = middle,
            None => bad = middle,
        }
    }
    Some(good)
}

/// Copies a table by its key, from the beginning and from the end.
fn keyed(from: &Connection, to: &Connection, copied: &mut Copied, key: &str) {
    let backwards = key.replace(", ", " DESC, ") + " DESC";
    for order in [key, backwards.as_str()] {
        let sql = format!("SELECT {} FROM {} ORDER BY {order}", copied.columns, copied.name);
        let read = (|| -> rusqlite::Result<()> {
            let mut statement = from.prepare(&sql)?;
            let count = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                copied.write(to, row, count);
            }
            Ok(())
        })();
        match read {
            Ok(()) => return,
            Err(error) => copied.lost(error),
        }
    }
}

/// Copies the long values of the calls that were copied.
fn referred_to(from: &Connection, to: &Connection, copied: &mut Copied) -> Result<()> {
    let mut wanted = Vec::new();
    for column in LARGE {
        let sql = format!("SELECT {column} FROM tool_calls WHERE {column} LIKE '{{\"$blob\":%'");
        let mut statement = to.prepare(&sql).map_err(|error| failed(&error))?;
        let texts = statement.query_map([], |row| row.get::<_, String>(0)).map_err(|error| failed(&error))?;
        for text in texts {
            wanted.extend(referred(&text.map_err(|error| failed(&error))?).map(str::to_owned));
        }
    }
    for sha256 in wanted {
        let value = from
            .prepare_cached("SELECT sha256, bytes FROM journal_blobs WHERE sha256 = ?1")
            .and_then(|mut rows| {
                rows.query_row([&sha256], |row| {
                    copied.write(to, row, 2);
                    Ok(())
                })
                .optional()
            });
        match value {
            Ok(Some(())) => {}
            Ok(None) => copied.lost(format!("a value of a call is gone ({sha256:.12}…)")),
            Err(error) => copied.lost(error),
        }
    }
    Ok(())
}

/// Writes a chain over the calls that were copied, in their order.
fn chained(to: &Connection) -> Result<()> {
    let mut head = Head::default();
    let mut calls = to
        .prepare(&format!("SELECT {} FROM tool_calls ORDER BY rowid", columns()))
        .map_err(|error| failed(&error))?;
    let mut entry = to
        .prepare("INSERT INTO journal_log (chain, n, call_id, \"to\", at_ms, row_sha256, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        .map_err(|error| failed(&error))?;
    let mut rows = calls.query([]).map_err(|error| failed(&error))?;
    while let Some(row) = rows.next().map_err(|error| failed(&error))? {
        let row: Row = with_blobs(to, row_of(row)?)?;
        let link = head.append(&row.call_id, row.status.word(), now_ms(), row.sha256());
        let n = i64::try_from(link.n).unwrap_or(i64::MAX);
        let values = params![CHAIN, n, link.call_id, link.to, link.at_ms, hex(&link.row), hex(&link.hash)];
        entry.execute(values).map_err(|error| failed(&error))?;
    }
    Ok(())
}
