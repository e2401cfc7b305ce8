//! SQL that every backend shares, made from the columns of a row. Parameters are `?1`, `?2`, …; PostgreSQL writes `$1`.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

use tool_core::journal::{Column, Row, RowQuery, Unprotected};

use crate::audit;

/// The statements over `tool_calls`.
#[derive(Debug)]
pub(crate) struct Statements {
    /// All columns, in the order of [`Row::COLUMNS`].
    pub(crate) insert: String,
    /// How a parameter is written.
    place: fn(usize) -> String,
    /// The statements that change a row, by which of the columns they set.
    updates: RefCell<HashMap<u64, Rc<str>>>,
    /// All columns that change, then id, status, lease and successor as they were.
    #[cfg(feature = "postgres")]
    pub(crate) update: String,
    /// The row of an id.
    pub(crate) get: String,
    /// The live row of tenant, tool and key.
    pub(crate) live: String,
    /// The open rows.
    pub(crate) open: String,
    /// The greatest number of tenant, run, node, iteration and attempt.
    pub(crate) last_seq: String,
    audit: OnceCell<audit::Statements>,
}

impl Statements {
    pub(crate) fn new(place: fn(usize) -> String) -> Statements {
        let columns = columns();
        let all: Vec<String> = (1..=Row::COLUMNS.len()).map(place).collect();
        Statements {
            insert: format!(
                "INSERT INTO tool_calls ({columns}) VALUES ({}) ON CONFLICT DO NOTHING",
                all.join(", ")
            ),
            place,
            updates: RefCell::default(),
            audit: OnceCell::new(),
            #[cfg(feature = "postgres")]
            update: update(place, u64::MAX),
            get: format!("SELECT {columns} FROM tool_calls WHERE call_id = {}", place(1)),
            live: format!(
                "SELECT {columns} FROM tool_calls WHERE tenant = {} AND tool_name = {} AND call_key = {} \
                 AND superseded_by IS NULL AND replay_of IS NULL AND side_effect = 1",
                place(1),
                place(2),
                place(3)
            ),
            open: format!("SELECT {columns} FROM tool_calls WHERE status IN ('intent', 'running')"),
            last_seq: format!(
                "SELECT COALESCE(MAX(seq), 0) FROM tool_calls WHERE tenant = {} AND run_id = {} AND node_id = {} \
                 AND iteration = {} AND attempt = {}",
                place(1),
                place(2),
                place(3),
                place(4),
                place(5)
            ),
        }
    }
}

impl Statements {
    /// The statements over `audit`.
    pub(crate) fn audit(&self) -> &audit::Statements {
        self.audit.get_or_init(|| audit::Statements::new(self.place))
    }

    /// The statement that sets some of the columns, those with their bit in `changed`; then id, status, lease and successor as
    /// they were. What is not set costs no index its entry.
    pub(crate) fn update_of(&self, changed: u64) -> Rc<str> {
        let mut updates = self.updates.borrow_mut();
        Rc::clone(updates.entry(changed).or_insert_with(|| update(self.place, changed).into()))
    }
}

fn update(place: fn(usize) -> String, changed: u64) -> String {
    let set: Vec<String> = Row::COLUMNS
        .iter()
        .enumerate()
        .filter(|(at, column)| column.changes && changed & (1 << at) != 0)
        .enumerate()
        .map(|(nth, (_, column))| format!("{} = {}", column.name, place(nth + 1)))
        .collect();
    let next = |nth: usize| place(set.len() + nth);
    format!(
        "UPDATE tool_calls SET {} WHERE call_id = {} AND status = {} AND lease_token IS NOT DISTINCT FROM {} \
         AND superseded_by IS NOT DISTINCT FROM {}",
        set.join(", "),
        next(1),
        next(2),
        next(3),
        next(4)
    )
}

/// The columns, with commas.
pub(crate) fn columns() -> String {
    let names: Vec<&str> = Row::COLUMNS.iter().map(|column| column.name).collect();
    names.join(", ")
}

/// The columns of [`RowQuery::brief`]: what went in and came out is not read, however long it is.
fn brief() -> String {
    let named = |column: &Column| match column.name {
        "input_json" => "'' AS input_json",
        "output_json" => "NULL AS output_json",
        "error_json" => "NULL AS error_json",
        name => name,
    };
    let names: Vec<&str> = Row::COLUMNS.iter().map(named).collect();
    names.join(", ")
}

/// A value of a query.
#[derive(Clone, Debug)]
pub(crate) enum Param {
    Int(i64),
    Text(String),
}

/// The statement of a query and its values.
pub(crate) fn select(query: &RowQuery, place: fn(usize) -> String) -> (String, Vec<Param>) {
    let columns = if query.brief { brief() } else { columns() };
    let mut sql = format!("SELECT {columns} FROM tool_calls");
    let mut params = Vec::new();
    let mut word = " WHERE ";
    let mut and = |sql: &mut String, column: &str, value: Param| {
        params.push(value);
        let _ = write!(sql, "{word}{column} = {}", place(params.len()));
        word = " AND ";
    };
    let text = |value: &str| Param::Text(value.to_owned());
    if let Some(call_id) = &query.call_id {
        and(&mut sql, "call_id", text(call_id));
    }
    if let Some(task) = &query.task {
        and(&mut sql, "tenant", text(&task.tenant));
        and(&mut sql, "run_id", text(&task.run_id));
        and(&mut sql, "node_id", text(&task.node_id));
        and(&mut sql, "iteration", Param::Int(i64::try_from(task.iteration).unwrap_or(i64::MAX)));
    }
    if let Some(run_id) = &query.run_id {
        and(&mut sql, "run_id", text(run_id));
    }
    if let Some(attempt) = query.attempt {
        and(&mut sql, "attempt", Param::Int(i64::from(attempt)));
    }
    if let Some(tool) = &query.tool {
        and(&mut sql, "tool_name", text(tool));
    }
    if let Some(key) = &query.call_key {
        and(&mut sql, "call_key", text(key));
    }
    if let Some(status) = query.status {
        use tool_core::journal::Word as _;
        and(&mut sql, "status", text(status.word()));
    }
    if let Some(args_sha256) = &query.args_sha256 {
        and(&mut sql, "args_sha256", text(args_sha256));
    }
    if let Some(unprotected) = &query.unprotected {
        let found = among_unprotected(unprotected, &sql, &mut params, place);
        // They satisfy all the rest already: said once more, it would lead to another index.
        sql = format!("SELECT {columns} FROM tool_calls WHERE call_id IN ({found})");
        word = " AND ";
    }
    const ORDER: &str = "tenant, run_id, node_id, iteration, attempt, seq";
    if let Some(after) = &query.after {
        params.push(text(after));
        let place = place(params.len());
        let _ = write!(sql, "{word}({ORDER}) > (SELECT {ORDER} FROM tool_calls WHERE call_id = {place})");
    }
    let _ = write!(sql, " ORDER BY {ORDER}");
    if let Some(limit) = query.limit {
        let _ = write!(sql, " LIMIT {limit}");
    }
    (sql, params)
}

/// The ids of the unprotected calls among those of a statement, as ranges of the index `tool_calls_unprotected`: what its owner
/// did in the same attempt is not visited.
fn among_unprotected(
    unprotected: &Unprotected,
    statement: &str,
    params: &mut Vec<Param>,
    place: fn(usize) -> String,
) -> String {
    let among = match statement.split_once(" WHERE ") {
        Some((_, conditions)) => format!("{conditions} AND "),
        None => String::new(),
    };
    params.push(Param::Int(i64::from(unprotected.before)));
    let before = place(params.len());
    let mut ranges = vec![format!("attempt < {before}")];
    if let Some(owner) = &unprotected.except {
        params.push(Param::Text(owner.clone()));
        let owner = place(params.len());
        let others = [format!("owner < {owner}"), format!("owner > {owner}"), "owner IS NULL".to_owned()];
        ranges.extend(others.map(|other| format!("attempt = {before} AND {other}")));
    }
    let found = ranges.iter().map(|range| {
        format!(
            "SELECT call_id FROM tool_calls WHERE {among}{range} AND COALESCE(side_effect, 1) = 1 \
             AND COALESCE(idempotent, 0) = 0 AND takes_key = 0 AND replay_of IS NULL"
        )
    });
    found.collect::<Vec<_>>().join(" UNION ALL ")
}

/// Values over this many bytes go to `journal_blobs`.
pub(crate) const INLINE: usize = 64 * 1024;

/// The columns that may hold large values.
pub(crate) const LARGE: [&str; 4] = ["input_json", "output_json", "error_json", "revert_error_json"];

/// What stands in a column in place of a large value.
pub(crate) fn blob_reference(sha256: &str, bytes: usize) -> String {
    format!("{{\"$blob\":\"{sha256}\",\"bytes\":{bytes}}}")
}

/// The digest in what may be such a reference.
pub(crate) fn referred(text: &str) -> Option<&str> {
    let sha256 = text.strip_prefix("{\"$blob\":\"")?.get(..64)?;
    sha256.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(sha256)
}
