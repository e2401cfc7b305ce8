//! The schema of a SQLite journal: whose file it is, which version, and the way to the newest.

use std::path::Path;

use rusqlite::Connection;
use tool_core::ErrorKind;
use tool_core::journal::{JournalError, Result};

use super::table::failed;

/// What SQLite keeps of whose file it is: "Tjnl".
const APPLICATION_ID: i64 = 0x546a_6e6c;

/// The migrations, in order; the schema's version is how many were made.
const MIGRATIONS: [&str; 4] = [
    include_str!("migrations/0001_calls.sql"),
    include_str!("migrations/0002_surroundings.sql"),
    include_str!("migrations/0003_questions.sql"),
    include_str!("migrations/0004_audit.sql"),
];

/// How long another process is waited for.
const BUSY_MS: u32 = 10_000;

/// Sets a connection up.
pub(crate) fn configure(db: &Connection, writes: bool) -> Result<()> {
    let say = |sql: &str| db.execute_batch(sql).map_err(|error| failed(&error));
    db.set_prepared_statement_cache_capacity(64);
    say(&format!("PRAGMA busy_timeout = {BUSY_MS}; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"))?;
    if writes {
        say(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000; PRAGMA cache_size = -16384;",
        )
    } else {
        say("PRAGMA query_only = ON;")
    }
}

/// Whose file it is, and whether this program knows its version; an empty file is anybody's.
pub(crate) fn check(db: &Connection, path: &Path) -> Result<i64> {
    let number = |pragma: &str| -> Result<i64> {
        db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0)).map_err(|error| failed(&error))
    };
    let (id, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = db
        .query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| failed(&error))?;
    let shown = path.display();
    if id != APPLICATION_ID && (id != 0 || version != 0 || tables != 0) {
        let text = format!("{shown} is a database of another program.");
        return Err(JournalError::store(ErrorKind::NotConfigured, "journal_not_ours", text));
    }
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if version > known {
        let text =
            format!("{shown} was written by a newer program (schema {version}, this one knows {known}).");
        return Err(JournalError::store(ErrorKind::NotConfigured, "journal_schema_newer", text));
    }
    Ok(version)
}

/// Brings a journal to the newest schema, one transaction per migration.
pub(crate) fn migrate(db: &Connection, path: &Path) -> Result<()> {
    loop {
        db.execute_batch("BEGIN IMMEDIATE").map_err(|error| failed(&error))?;
        let made = check(db, path).and_then(|version| {
            let next = usize::try_from(version).ok().and_then(|version| MIGRATIONS.get(version));
            let Some(migration) = next else { return Ok(false) };
            for statement in migration.split_inclusive(";\n") {
                fail::fail_point!("migrate.between_statements");
                db.execute_batch(statement).map_err(|error| failed(&error))?;
            }
            let version = version + 1;
            let marks = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version};");
            db.execute_batch(&marks).map_err(|error| failed(&error))?;
            Ok(true)
        });
        let end = if made.is_ok() { "COMMIT" } else { "ROLLBACK" };
        db.execute_batch(end).map_err(|error| failed(&error))?;
        if !made? {
            return Ok(());
        }
    }
}
