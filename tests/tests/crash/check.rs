//! The history checker: what processes said before they died, against what the journal and the outside world have.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde_json::Value;
use tool_core::journal::{Journal as _, Resolution, Row, RowQuery, Status, VerifyOptions};
use tool_store::{SqliteJournal, SqliteOptions};

/// What all workers said.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Acknowledged calls: tool and amount.
    acknowledged: BTreeSet<(String, u64)>,
    pub(crate) in_doubt: usize,
}

impl History {
    pub(crate) fn said(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["ack", tool, amount] => {
                // A line that the kill has cut is no acknowledgement.
                if let Ok(amount) = amount.parse() {
                    self.acknowledged.insert(((*tool).to_owned(), amount));
                }
            }
            ["in_doubt", ..] => self.in_doubt += 1,
            _ => {}
        }
    }
}

/// What the checker found.
#[derive(Debug, Default)]
#[allow(dead_code, reason = "printed")]
pub(crate) struct Found {
    pub(crate) acknowledged: usize,
    rows: usize,
    effects: usize,
    in_doubt_at_end: usize,
    pub(crate) problems: Vec<String>,
}

/// Looks through everything.
pub(crate) fn checked(folder: &Path, history: &History) -> Found {
    let journal = SqliteJournal::open(folder.join("journal.db"), SqliteOptions::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let rows = runtime.block_on(journal.rows(&RowQuery::default())).unwrap();
    let report = runtime.block_on(journal.verify(VerifyOptions { full: true, expect: None })).unwrap();
    let effects = std::fs::read_to_string(folder.join("effects")).unwrap_or_default();
    let mut happened: BTreeMap<(String, u64), usize> = BTreeMap::new();
    for line in effects.lines() {
        let mut words = line.split(' ');
        let tool = format!("charge_{}", words.next().unwrap_or_default());
        let amount = words.next().and_then(|amount| amount.parse().ok()).unwrap_or_default();
        *happened.entry((tool, amount)).or_default() += 1;
    }
    let mut problems = Vec::new();
    if !report.verdict.is_ok() {
        problems.push(format!("chain: {}", report.verdict));
    }
    let mut outcomes: HashMap<&str, usize> = HashMap::new();
    let mut ok: BTreeSet<(String, u64)> = BTreeSet::new();
    let mut known: BTreeSet<(String, u64)> = BTreeSet::new();
    for row in rows.iter().filter(|row| row.replay_of.is_none()) {
        let call = (row.tool_name.clone(), amount(row));
        known.insert(call.clone());
        if !succeeded(row) {
            continue;
        }
        *outcomes.entry(&row.call_key).or_default() += 1;
        let times = happened.get(&call).copied().unwrap_or(0);
        if times == 0 {
            problems.push(format!("ok without an effect: {call:?}"));
        }
        if row.tool_name == "charge_reconcilable" && times != 1 {
            problems.push(format!("{times} effects of {call:?}"));
        }
        ok.insert(call);
    }
    problems.extend(
        history.acknowledged.iter().filter(|call| !ok.contains(*call)).map(|call| format!("lost: {call:?}")),
    );
    problems.extend(
        outcomes.iter().filter(|count| *count.1 > 1).map(|(key, count)| format!("{count} outcomes of {key}")),
    );
    problems.extend(
        happened
            .keys()
            .filter(|call| !known.contains(*call))
            .map(|call| format!("effect without a row: {call:?}")),
    );
    let open = rows.iter().filter(|row| row.status.is_open()).count();
    if open > 0 {
        problems.push(format!("{open} rows are open although nobody runs"));
    }
    Found {
        acknowledged: history.acknowledged.len(),
        rows: rows.len(),
        effects: happened.values().sum(),
        in_doubt_at_end: rows
            .iter()
            .filter(|row| row.status == Status::InDoubt && row.superseded_by.is_none())
            .count(),
        problems,
    }
}

fn succeeded(row: &Row) -> bool {
    row.superseded_by.is_none() && (row.status == Status::Ok || row.resolution == Some(Resolution::Ok))
}

fn amount(row: &Row) -> u64 {
    let input: Value = serde_json::from_str(&row.input_json).unwrap_or_default();
    input["amount"].as_u64().unwrap_or_default()
}
