//! `journal list`, `show`, `verify`, `head`, `export`: the commands that only look. (journal.md §14)

use serde_json::{Map, Value, json};
use tool_core::journal::chain::Head;
use tool_core::journal::{Cell, Journal as _, Row, RowQuery, Status, VerifyOptions, VerifyReport};
use tool_core::prelude::*;

use crate::sight::Surroundings;

/// The members that a list shows.
const SHOWN: [&str; 9] = [
    "call_id",
    "run_id",
    "attempt",
    "seq",
    "tool_name",
    "status",
    "resolution",
    "recoveries",
    "started_at_ms",
];

fn object(row: &Row, members: Option<&[&str]>) -> Value {
    let columns = Row::COLUMNS.iter().map(|column| column.name).zip(row.cells());
    let shown = columns.filter(|(name, _)| members.is_none_or(|members| members.contains(name)));
    let value = |name: &str, cell: Cell<'_>| match cell {
        Cell::Null => Value::Null,
        Cell::Int(number) => json!(number),
        Cell::Text(text) if name.ends_with("_json") => {
            serde_json::from_str(&text).unwrap_or_else(|_| json!(text))
        }
        Cell::Text(text) => json!(text),
    };
    Value::Object(shown.map(|(name, cell)| (name.to_owned(), value(name, cell))).collect::<Map<_, _>>())
}

/// Lists recorded calls, in order.
#[tool(group = "journal", register = false)]
pub(crate) async fn journal_list(
    /// Only those of a run.
    run: Option<&str>,
    /// Only those with this status.
    status: Option<Status>,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let query = RowQuery { run_id: run.map(str::to_owned), status, ..RowQuery::default() };
    let rows = around.ledger.rows(&query).await?;
    Ok(ToolOutput::structured(rows.iter().map(|row| object(row, Some(&SHOWN))).collect::<Value>()))
}

/// Shows everything about one call.
#[tool(group = "journal", register = false)]
pub(crate) async fn journal_show(
    /// Its id.
    #[arg(positional)]
    call: &str,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    Ok(ToolOutput::structured(object(&find(around, call).await?, None)))
}

/// The row of a call.
async fn find(around: &Surroundings, call: &str) -> Result<Row, ToolError> {
    let query = RowQuery { call_id: Some(call.to_owned()), ..RowQuery::default() };
    let row = around.ledger.rows(&query).await?.pop();
    row.ok_or_else(|| {
        ToolError::not_found(format!("The journal has no call {call:.80}.")).code("unknown_call")
    })
}

/// Finds out whether the journal was changed behind its back.
#[tool(group = "journal", register = false)]
pub(crate) async fn journal_verify(
    /// From the first entry, not only the last thousand.
    full: bool,
    /// An end that was kept elsewhere, as `head` prints it.
    expect: Option<Head>,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let journal = around.ledger.existing()?.ok_or_else(missing)?;
    let report = journal.verify(VerifyOptions { full, expect }).await?;
    if report.verdict.is_ok() {
        let VerifyReport { entries, rows, sealed, .. } = report;
        let value = json!({"result": "ok", "entries": entries, "rows": rows, "sealed": sealed});
        return Ok(ToolOutput::structured(value));
    }
    Err(ToolError::internal(report.verdict.to_string()).code("journal_changed"))
}

/// Prints the end of the journal's chain, to be kept elsewhere.
#[tool(group = "journal", register = false)]
pub(crate) fn journal_head(#[ctx] around: &Surroundings) -> Result<String, ToolError> {
    Ok(around.ledger.existing()?.ok_or_else(missing)?.head()?.to_string())
}

/// Prints every call whole, as JSON Lines with `-o jsonl`.
#[tool(group = "journal", register = false)]
pub(crate) async fn journal_export(
    /// Only those of a run.
    run: Option<&str>,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let query = RowQuery { run_id: run.map(str::to_owned), ..RowQuery::default() };
    let rows = around.ledger.rows(&query).await?;
    Ok(ToolOutput::structured(rows.iter().map(|row| object(row, None)).collect::<Value>()))
}

/// Why there is nothing to be looked through.
pub(super) fn missing() -> ToolError {
    ToolError::not_found("There is no journal yet: no call was recorded.").code("journal_missing")
}
