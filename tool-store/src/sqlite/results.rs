//! Parked results that outlast the process, in the journal's file. (calls.md §10)
//!
//! A result lives for a day, and as long as the row of the call that made it. Of one that is gone its id stays for a while, so that
//! whoever asks for it hears that it was there.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, params};
use tool_core::journal::JournalError;
use tool_core::{
    Clock, MemoryResults, Parked, RESULTS_GONE_MAX, ResultLimits, ResultScope, ResultStore, SystemClock,
    ToolError,
};

use super::SqliteJournal;
use super::table::failed;
use crate::LazyJournal;

/// How often results that are too old are looked for.
const SWEEP: Duration = Duration::from_secs(60);

/// Forgets the results of the calls of a run, whose rows go.
pub(super) const OF_RUN: &str = "UPDATE results SET text = NULL, bytes = 0 WHERE text IS NOT NULL AND call_id IN \
                                 (SELECT call_id FROM tool_calls WHERE tenant = ?1 AND run_id = ?2)";

/// Forgets those that are older than a time and belong to no row.
const OLD: &str = "UPDATE results SET text = NULL, bytes = 0 WHERE text IS NOT NULL AND at_ms <= ?1 AND NOT EXISTS \
                   (SELECT 1 FROM tool_calls WHERE tool_calls.call_id = results.call_id)";

/// Forgets the oldest of a scope, until the others have no more than so many bytes. The one that was just put stays.
const TOO_MUCH: &str = "UPDATE results SET text = NULL, bytes = 0 WHERE n IN (SELECT n FROM (SELECT n, SUM(bytes) OVER \
                        (ORDER BY n DESC) AS up_to FROM results WHERE tenant = ?1 AND run = ?2 AND text IS NOT NULL) \
                        WHERE up_to > ?3 AND n != ?4)";

/// Forgets the ids of those that are gone, but for so many.
const LONG_GONE: &str = "DELETE FROM results WHERE text IS NULL AND n <= \
                         (SELECT n FROM results WHERE text IS NULL ORDER BY n DESC LIMIT 1 OFFSET ?1)";

const PUT: &str = "INSERT INTO results (id, tenant, run, call_id, tool, media, at_ms, bytes, text) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

const GET: &str = "SELECT tool, media, call_id, text, at_ms > ?4 OR EXISTS \
                   (SELECT 1 FROM tool_calls WHERE tool_calls.call_id = results.call_id) FROM results \
                   WHERE id = ?1 AND tenant = ?2 AND run = ?3";

/// The results beside a journal that is opened when the first one is parked. What must not be written to a disk stays in memory,
/// and so does everything where the journal cannot be opened.
pub struct StoredResults {
    journal: Arc<LazyJournal>,
    limits: ResultLimits,
    clock: Arc<dyn Clock>,
    memory: MemoryResults,
    swept: Mutex<Option<Duration>>,
}

impl fmt::Debug for StoredResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredResults").field("journal", &self.journal).finish_non_exhaustive()
    }
}

impl StoredResults {
    /// The results beside a journal.
    pub fn new(journal: Arc<LazyJournal>) -> StoredResults {
        StoredResults::within(journal, ResultLimits::default(), Arc::new(SystemClock::default()))
    }

    /// The same within limits. What is on a disk goes by the time of day, which all processes share.
    pub fn within(journal: Arc<LazyJournal>, limits: ResultLimits, clock: Arc<dyn Clock>) -> StoredResults {
        let memory = MemoryResults::new(limits, Arc::clone(&clock));
        StoredResults { journal, limits, clock, memory, swept: Mutex::default() }
    }

    /// The time of day since the epoch.
    fn today(&self) -> Duration {
        self.clock.wall().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    /// Whether old ones are to be looked for now.
    fn is_sweep_due(&self) -> bool {
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        let is_due = swept.is_none_or(|swept| now.saturating_sub(swept) >= SWEEP);
        if is_due {
            *swept = Some(now);
        }
        is_due
    }

    /// The time before which results are too old.
    fn oldest(&self) -> i64 {
        millis(self.today()).saturating_sub(millis(self.limits.life))
    }

    fn write(
        &self,
        journal: &SqliteJournal,
        scope: &ResultScope,
        result: &Parked,
    ) -> Result<String, JournalError> {
        // What is kept free is for the outcomes of calls.
        journal.space.check()?;
        let id = Parked::new_id();
        let ResultScope { tenant, run } = scope;
        let Parked { text, media, tool, call_id, .. } = result;
        let (at, bytes) = (millis(self.today()), whole(text.len()));
        let old = self.is_sweep_due().then(|| self.oldest());
        let put = |db: &Connection| -> rusqlite::Result<()> {
            if let Some(old) = old {
                db.execute(OLD, [old])?;
            }
            db.execute(PUT, params![id, tenant, run, call_id, tool, media, at, bytes, &**text])?;
            let newest = db.last_insert_rowid();
            db.execute(TOO_MUCH, params![tenant, run, whole(self.limits.bytes), newest])?;
            db.execute(LONG_GONE, [whole(RESULTS_GONE_MAX)]).map(drop)
        };
        journal.change(|db| put(db).map_err(|error| failed(&error)))?;
        Ok(id)
    }

    fn read(&self, journal: &SqliteJournal, scope: &ResultScope, id: &str) -> Result<Found, JournalError> {
        let asked = params![id, scope.tenant, scope.run, self.oldest()];
        let find = |db: &Connection| {
            db.prepare_cached(GET)?
                .query_row(asked, |row| {
                    let (text, is_alive): (Option<String>, bool) = (row.get(3)?, row.get(4)?);
                    let (tool, media, call_id) = (row.get(0)?, row.get(1)?, row.get(2)?);
                    let kept = text.filter(|_| is_alive).map(|text| Parked {
                        text: text.into(),
                        media,
                        tool,
                        call_id,
                        is_private: false,
                    });
                    Ok(kept.map_or(Found::Gone, Found::Kept))
                })
                .optional()
        };
        let found = journal.readers.read(|db| find(db).map_err(|error| failed(&error)))?;
        Ok(found.unwrap_or(Found::Unknown))
    }
}

/// What a file has under an id.
enum Found {
    Kept(Parked),
    Gone,
    Unknown,
}

impl ResultStore for StoredResults {
    fn put(&self, scope: &ResultScope, result: Parked) -> Result<String, ToolError> {
        let journal = match self.journal.open() {
            Ok(journal) if !result.is_private => journal,
            _ => return self.memory.put(scope, result),
        };
        self.write(journal, scope, &result).map_err(|error| {
            ToolError::unavailable("The result could not be parked.").source(ToolError::from(error))
        })
    }

    fn get(&self, scope: &ResultScope, id: &str) -> Result<Parked, ToolError> {
        let elsewhere = match self.memory.get(scope, id) {
            Err(unknown) if unknown.code_str() == "unknown_result" => unknown,
            here => return here,
        };
        // One that is not there yet is not made to be asked.
        if !self.journal.exists() {
            return Err(elsewhere);
        }
        let journal = self.journal.open().map_err(ToolError::from)?;
        match self.read(journal, scope, id).map_err(ToolError::from)? {
            Found::Kept(result) => Ok(result),
            Found::Gone => Err(Parked::expired(id)),
            Found::Unknown => Err(elsewhere),
        }
    }

    fn sweep(&self) {
        self.memory.sweep();
        let Some(journal) = self.journal.exists().then(|| self.journal.open().ok()).flatten() else { return };
        let old = self.oldest();
        let swept = journal.change(|db| db.execute(OLD, [old]).map_err(|error| failed(&error)));
        if let Err(error) = swept {
            tracing::warn!(target: "toolbox::results", %error, "old results are still there");
        }
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
