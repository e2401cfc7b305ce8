//! The stored catalogue with everybody's rows. What happens to it is decided in `tool_core::catalogue`; here one transaction reads
//! it, lets it be changed and writes it back. (calls.md §3)

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};
use serde_json::json;
use tool_core::catalogue::{Catalogue, Listed, StoredRow};
use tool_core::journal::Result;
use tool_core::{RowSource, ToolError};

use super::table::failed;
use super::{SqliteJournal, files, schema};

impl SqliteJournal {
    /// The catalogue as it is.
    ///
    /// # Errors
    /// Those of reading.
    pub fn catalogue(&self) -> Result<Catalogue> {
        self.readers.read(|db| read(db).map_err(|error| failed(&error)))
    }

    /// Changes the catalogue, or leaves it as it is where the change is refused.
    ///
    /// # Errors
    /// Those of the change, of reading and of writing.
    pub fn change_catalogue<T>(
        &self,
        change: impl FnOnce(&mut Catalogue) -> std::result::Result<T, ToolError>,
    ) -> std::result::Result<T, ToolError> {
        let done: Result<std::result::Result<T, ToolError>> = self.change(|db| {
            let before = read(db).map_err(|error| failed(&error))?;
            let mut catalogue = before.clone();
            match change(&mut catalogue) {
                Ok(done) => {
                    if catalogue != before {
                        write(db, &catalogue).map_err(|error| failed(&error))?;
                    }
                    Ok(Ok(done))
                }
                Err(error) => Ok(Err(error)),
            }
        });
        done.map_err(ToolError::from)?
    }
}

/// The catalogue beside a journal, which need not be opened for that.
///
/// # Errors
/// Those of opening a journal, where others may change it or it is none, and those of reading.
pub fn catalogue_at(journal: &Path) -> Result<Catalogue> {
    for path in [Some(journal), journal.parent()].into_iter().flatten().filter(|path| path.exists()) {
        files::private(path)?;
    }
    files::regular(journal)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(journal, flags).map_err(|error| failed(&error))?;
    schema::configure(&db, false)?;
    schema::check(&db, journal)?;
    // One that was written by an older program has none yet.
    let there = "SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('catalogue', 'enablement')";
    let tables: i64 = db.query_row(there, [], |row| row.get(0)).map_err(|error| failed(&error))?;
    if tables < 2 { Ok(Catalogue::default()) } else { read(&db).map_err(|error| failed(&error)) }
}

fn read(db: &Connection) -> rusqlite::Result<Catalogue> {
    let list = |text: String| serde_json::from_str::<Vec<String>>(&text).unwrap_or_default();
    let mut tools =
        db.prepare("SELECT name, aliases_json, tool_group, tags_json, fingerprint, live FROM catalogue")?;
    let tools = tools.query_map([], |row| {
        let listed = Listed {
            name: row.get(0)?,
            aliases: list(row.get(1)?),
            group: row.get(2)?,
            tags: list(row.get(3)?),
            fingerprint: row.get(4)?,
        };
        Ok((listed.name.clone(), (listed, row.get::<_, i64>(5)? != 0)))
    })?;
    let mut rows = db.prepare("SELECT agent, pattern, source FROM enablement")?;
    let rows = rows.query_map([], |row| {
        let source: String = row.get(2)?;
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, source_of(&source)))
    })?;
    Ok(Catalogue {
        tools: tools.collect::<rusqlite::Result<_>>()?,
        rows: rows.collect::<rusqlite::Result<_>>()?,
    })
}

fn source_of(word: &str) -> RowSource {
    match (word, word.strip_prefix("skill:")) {
        (_, Some(skill)) => RowSource::Skill(skill.to_owned()),
        ("policy", _) => RowSource::Policy,
        ("global", _) => RowSource::Global,
        _ => RowSource::Manual,
    }
}

fn write(db: &Connection, catalogue: &Catalogue) -> rusqlite::Result<()> {
    db.execute_batch("DELETE FROM catalogue; DELETE FROM enablement;")?;
    let mut tool = db.prepare(
        "INSERT INTO catalogue (name, aliases_json, tool_group, tags_json, fingerprint, live) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (listed, live) in catalogue.tools.values() {
        let (aliases, tags) = (json!(listed.aliases).to_string(), json!(listed.tags).to_string());
        let row = params![listed.name, aliases, listed.group, tags, listed.fingerprint, i64::from(*live)];
        tool.execute(row)?;
    }
    let mut enabled = db.prepare("INSERT INTO enablement (agent, pattern, source) VALUES (?1, ?2, ?3)")?;
    for (agent, pattern, source) in &catalogue.rows as &std::collections::BTreeSet<StoredRow> {
        enabled.execute(params![agent, pattern, source.to_string()])?;
    }
    Ok(())
}
