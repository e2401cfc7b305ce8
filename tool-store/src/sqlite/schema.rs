//! The schema of a SQLite journal: whose file it is, which version, and the way to the newest.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use tool_core::ErrorKind;
use tool_core::journal::{JournalError, Result};

use super::table::{corrupt, failed};

/// What SQLite keeps of whose file it is: "Tjnl".
const APPLICATION_ID: i64 = 0x546a_6e6c;

/// The migrations, in order; the schema's version is how many were made.
const MIGRATIONS: [&str; 6] = [
    include_str!("migrations/0001_calls.sql"),
    include_str!("migrations/0002_surroundings.sql"),
    include_str!("migrations/0003_questions.sql"),
    include_str!("migrations/0004_audit.sql"),
    include_str!("migrations/0005_lookup.sql"),
    include_str!("migrations/0006_results.sql"),
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

/// How every database begins, and where its header says whose it is, and of which version.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const VERSION_AT: usize = 60;
const ID_AT: usize = 68;
const HEADER: usize = 100;

/// Refuses what is another program's by what stands in the file itself: nothing is locked, made or changed for it. What it does
/// not tell, [`check`] does.
pub(crate) fn look(path: &Path, file: &File) -> Result<()> {
    let mut header = [0; HEADER];
    if file.read_exact_at(&mut header, 0).is_err() {
        // Too short for a database: empty, or cut off.
        return match file.metadata().map(|meta| meta.len()) {
            Ok(0) => Ok(()),
            _ => Err(corrupt(format!("{}: it is no database.", path.display()))),
        };
    }
    let number = |at: usize| {
        let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
        bytes.map_or(0, i64::from)
    };
    if !header.starts_with(MAGIC) {
        return Err(corrupt(format!("{}: it is no database.", path.display())));
    }
    match (number(ID_AT), number(VERSION_AT)) {
        (APPLICATION_ID, _) => Ok(()),
        // Ours says so in the page that names the first table. One that is only begun has none there yet: all is in its log.
        (0, 0) if !has_tables(path) => Ok(()),
        _ => Err(foreign(path)),
    }
}

/// Whether tables stand in a file, without what a log beside it says.
fn has_tables(path: &Path) -> bool {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let uri = format!("file:{escaped}?mode=ro&immutable=1");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let count = Connection::open_with_flags(uri, flags)
        .and_then(|db| db.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)));
    count.is_ok_and(|count| count > 0)
}

fn foreign(path: &Path) -> JournalError {
    let text = format!("{} is a database of another program.", path.display());
    JournalError::store(ErrorKind::NotConfigured, "journal_not_ours", text)
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
        return Err(foreign(path));
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
