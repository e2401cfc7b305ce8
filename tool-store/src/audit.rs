//! Audit rows as a table: its columns, what they hold, and the statements over it. (calls.md §12)

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value};
use tool_core::journal::{Cell, CellKind};
use tool_core::{AuditQuery, AuditRow};

use crate::sql::Param;

/// How long rows are kept, in milliseconds.
pub(crate) const KEPT_MS: i64 = 90 * 24 * 3_600 * 1_000;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Int,
    /// 0 or 1.
    Bool,
    /// A text that is JSON.
    Json,
}

use Kind::{Bool, Int, Json, Text};

/// The columns, named like the members of a row.
const COLUMNS: [(&str, Kind); 32] = [
    ("call_id", Text),
    ("parent_call_id", Text),
    ("at_ms", Int),
    ("tenant", Text),
    ("agent", Text),
    ("chain", Json),
    ("caller", Text),
    ("surface", Text),
    ("run_id", Text),
    ("node_id", Text),
    ("iteration", Int),
    ("attempt", Int),
    ("seq", Int),
    ("tool", Text),
    ("definition", Text),
    ("effects", Text),
    ("outcome", Text),
    ("code", Text),
    ("layer", Text),
    ("args", Json),
    ("args_sha256", Text),
    ("output", Json),
    ("duration_ms", Int),
    ("queue_ms", Int),
    ("tries", Int),
    ("rounds", Int),
    ("coerced", Bool),
    ("decision", Json),
    ("replayed", Bool),
    ("parked", Bool),
    ("key_sha256", Text),
    ("trace_id", Text),
];

impl Kind {
    fn cell(self) -> CellKind {
        match self {
            Int | Bool => CellKind::Int,
            Text | Json => CellKind::Text,
        }
    }
}

/// The cells of a row with their kinds, in the order of the columns.
pub(crate) fn cells(row: &AuditRow) -> Vec<(CellKind, Cell<'static>)> {
    let mut members = match serde_json::to_value(row) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let cell =
        |(name, kind): (&str, Kind)| (kind.cell(), cell(kind, members.remove(name).unwrap_or_default()));
    COLUMNS.map(cell).into()
}

fn cell(kind: Kind, value: Value) -> Cell<'static> {
    match (kind, value) {
        (_, Value::Null) => Cell::Null,
        (Json, value) => Cell::Text(value.to_string().into()),
        (_, Value::Bool(flag)) => Cell::Int(i64::from(flag)),
        (_, Value::Number(number)) => Cell::Int(number.as_i64().unwrap_or(i64::MAX)),
        // PostgreSQL has no text with it, and a tool that nobody knows may be asked for by any name.
        (_, Value::String(text)) => Cell::Text(text.replace('\0', "\u{fffd}").into()),
        (_, other) => Cell::Text(other.to_string().into()),
    }
}

/// The row of cells in the order of the columns, as its JSON form.
pub(crate) fn object<'c>(cells: impl IntoIterator<Item = Cell<'c>>) -> Value {
    let member = |((name, kind), cell): ((&str, Kind), Cell<'c>)| {
        let value = match (kind, cell) {
            (_, Cell::Null) => Value::Null,
            (Bool, Cell::Int(number)) => Value::Bool(number != 0),
            (_, Cell::Int(number)) => Value::from(number),
            (Json, Cell::Text(text)) => serde_json::from_str(&text).unwrap_or_default(),
            (_, Cell::Text(text)) => Value::from(Cow::into_owned(text)),
        };
        (name.to_owned(), value)
    };
    Value::Object(COLUMNS.into_iter().zip(cells).map(member).collect())
}

/// The statements that write a row, each with all cells.
#[derive(Debug)]
pub(crate) struct Statements {
    /// Goes on with the row of a call that waited for an answer.
    pub(crate) resume: String,
    /// Adds a row.
    pub(crate) insert: String,
    /// Removes the rows that began before a time.
    pub(crate) forget: String,
}

impl Statements {
    pub(crate) fn new(place: fn(usize) -> String) -> Statements {
        let at =
            |name: &str| place(1 + COLUMNS.iter().position(|column| column.0 == name).unwrap_or_default());
        let (names, places) = (names(), (1..=COLUMNS.len()).map(place).collect::<Vec<_>>().join(", "));
        let set = COLUMNS.map(|(name, _)| match name {
            // It began when it was asked first.
            "at_ms" => format!("at_ms = CASE WHEN at_ms < {0} THEN at_ms ELSE {0} END", at(name)),
            "rounds" => format!("rounds = rounds + {}", at(name)),
            _ => format!("{name} = {}", at(name)),
        });
        Statements {
            resume: format!(
                "UPDATE audit SET {} WHERE n = (SELECT MAX(n) FROM audit WHERE call_id = {} AND tenant = {} \
                 AND code = 'input_required')",
                set.join(", "),
                at("call_id"),
                at("tenant"),
            ),
            insert: format!("INSERT INTO audit ({names}) VALUES ({places})"),
            forget: format!("DELETE FROM audit WHERE at_ms < {}", place(1)),
        }
    }
}

fn names() -> String {
    COLUMNS.map(|column| column.0).join(", ")
}

/// The statement of a question and its values; the newest rows come first.
pub(crate) fn select(query: &AuditQuery, place: fn(usize) -> String) -> (String, Vec<Param>) {
    let (wanted, params) = wanted(query, place);
    let mut sql = format!("SELECT {} FROM audit{wanted} ORDER BY at_ms DESC, n DESC", names());
    if let Some(limit) = query.limit {
        let _ = write!(sql, " LIMIT {limit}");
    }
    (sql, params)
}

/// What a question asks for, and its values.
fn wanted(query: &AuditQuery, place: fn(usize) -> String) -> (String, Vec<Param>) {
    let mut params = vec![Param::Int(query.since_ms)];
    let mut sql = format!(" WHERE at_ms >= {}", place(1));
    for (name, wanted) in [("tool", &query.tool), ("agent", &query.agent), ("outcome", &query.outcome)] {
        let Some(wanted) = wanted else { continue };
        params.push(Param::Text(wanted.clone()));
        let _ = write!(sql, " AND {name} = {}", place(params.len()));
    }
    (sql, params)
}

/// The calls of a tool that ended alike.
#[cfg(feature = "sqlite")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditCount {
    /// The tool.
    pub tool: String,
    /// How they ended.
    pub outcome: String,
    /// How many there are.
    pub calls: u64,
    /// How long they took together, in milliseconds.
    pub total_ms: u64,
}

/// The statement that counts the rows of a question, by tool and outcome.
#[cfg(feature = "sqlite")]
pub(crate) fn count(query: &AuditQuery, place: fn(usize) -> String) -> (String, Vec<Param>) {
    let (wanted, params) = wanted(query, place);
    let sql = "SELECT tool, outcome, COUNT(*), SUM(duration_ms) FROM audit";
    (format!("{sql}{wanted} GROUP BY tool, outcome ORDER BY tool, outcome"), params)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn there_is_a_column_for_each_member_and_each_is_read_back() {
        let row = AuditRow {
            call_id: "a".to_owned(),
            chain: vec!["b".to_owned()],
            caller: "cli",
            outcome: "ok",
            seq: Some(7),
            coerced: true,
            args: serde_json::json!({"n": 1}),
            output: Some(tool_core::AuditOutput { bytes: 3, sha256: "c".to_owned(), preview: None }),
            ..AuditRow::default()
        };
        let form = serde_json::to_value(&row).unwrap();
        let names: Vec<&str> = form.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, COLUMNS.map(|column| column.0));
        assert_eq!(object(cells(&row).into_iter().map(|cell| cell.1)), form);
    }

    #[test]
    fn the_migrations_make_these_columns() {
        for sql in [
            include_str!("sqlite/migrations/0004_audit.sql"),
            include_str!("postgres/migrations/0002_audit.sql"),
        ] {
            let table = sql.split_once("CREATE TABLE audit (").unwrap().1.split_once("\n)").unwrap().0;
            let made: Vec<&str> =
                table.lines().filter_map(|line| line.split_whitespace().next()).skip(1).collect();
            assert_eq!(made, COLUMNS.map(|column| column.0));
        }
    }
}
