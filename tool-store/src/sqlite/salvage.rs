//! Salvage: what can be read of a damaged journal, copied to a new file. Nothing is deleted. (journal.md §10)

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params_from_iter};
use tool_core::ErrorKind;
use tool_core::journal::{JournalError, Result};

use super::{schema, table::failed};

/// What could be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Per table: its name, the rows that were copied, and why no more were.
    pub tables: Vec<(String, usize, Option<String>)>,
}

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
    let new =
        super::files::prepare(to, &[]).and_then(|_| Connection::open(to).map_err(|error| failed(&error)))?;
    schema::migrate(&new, to)?;
    let mut salvaged = Salvaged::default();
    for name in [
        "tool_calls",
        "journal_blobs",
        "journal_log",
        "journal_checkpoint",
        "journal_attempts",
        "journal_consents",
        "audit",
    ] {
        let mut copied = 0;
        let why = copy(&from, &new, name, &mut copied).err().map(|error| error.to_string());
        salvaged.tables.push((name.to_owned(), copied, why));
    }
    Ok(salvaged)
}

/// Copies a table row by row, so that what comes before a damaged page is kept.
fn copy(from: &Connection, to: &Connection, name: &str, copied: &mut usize) -> rusqlite::Result<()> {
    let mut rows = from.prepare(&format!("SELECT * FROM {name}"))?;
    let places: Vec<String> = (1..=rows.column_count()).map(|n| format!("?{n}")).collect();
    let sql = format!("INSERT OR IGNORE INTO {name} VALUES ({})", places.join(", "));
    let count = rows.column_count();
    to.execute_batch("BEGIN")?;
    let result = (|| {
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let values: rusqlite::Result<Vec<rusqlite::types::Value>> =
                (0..count).map(|i| row.get(i)).collect();
            *copied += to.prepare_cached(&sql)?.execute(params_from_iter(values?))?;
        }
        Ok(())
    })();
    to.execute_batch("COMMIT")?;
    result
}
