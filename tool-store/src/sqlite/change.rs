//! Short changes beside the writer: approvals, the catalogue, parked results, pruning. Each is one transaction of a connection of its own, which
//! SQLite keeps apart from the writer's.

use rusqlite::{Connection, OpenFlags};
use tool_core::journal::Result;

use super::table::failed;
use super::{SqliteJournal, schema};

impl SqliteJournal {
    /// Does something in one transaction, or nothing of it.
    pub(super) fn change<T>(&self, body: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&self.path, flags).map_err(|error| failed(&error))?;
        schema::configure(&db, true)?;
        db.execute_batch("BEGIN IMMEDIATE").map_err(|error| failed(&error))?;
        let done = body(&db);
        let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        db.execute_batch(end).map_err(|error| failed(&error))?;
        done
    }
}
