//! `toolbox audit`: what was called, by whom, and what came of it, from the file that every call is written to. (calls.md §12)

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tool_core::journal::now_ms;
use tool_core::prelude::*;
use tool_core::redact::KnownSecrets;
use tool_core::{AuditOutput, AuditRow, AuditSettings, AuditSink as _, JsonLines, canonical};
use tool_std::sandbox::End;
use tool_std::shell::ProcessEnd;

use crate::journal::place;

/// More rows are not listed.
const ROWS_MAX: u32 = 1_000;

/// How long rows are told of.
const KEPT_MS: i64 = 90 * 24 * 3_600 * 1_000;

/// The file, beside the journal. Without a journal there is none.
fn file() -> Option<PathBuf> {
    Some(place::path()?.with_file_name("audit.jsonl"))
}

/// The file and those that were put aside, which no tool touches.
pub(crate) fn files() -> Vec<PathBuf> {
    let Some(file) = file() else { return Vec::new() };
    // The last is there while rows that are too old are removed.
    let next = file.with_file_name("audit.jsonl.next");
    JsonLines::new(file).files().chain([next]).collect()
}

/// Where every call is written to.
pub(crate) fn settings(secrets: Arc<KnownSecrets>) -> Option<AuditSettings> {
    let sink = JsonLines::new(file()?);
    Some(AuditSettings { sinks: vec![Box::new(sink)], secrets, required: false })
}

/// Tells of a call whose process died.
pub(crate) fn lost(row: &tool_core::journal::Row) {
    let Some(file) = file() else { return };
    if let Err(error) = JsonLines::new(file).write(&AuditRow::of_lost(row)) {
        tracing::error!(target: "toolbox::audit", %error, "an audit row is lost");
    }
}

/// Tells of the end of a background process: the row of its call has its start. (shell.md §6)
pub(crate) fn process_ended(end: &ProcessEnd) {
    let Some(file) = file() else { return };
    let ended = &end.ended;
    let fault = ended.fault();
    let (exit_code, signal) = match ended.end {
        End::Exit(code) => (Some(code), None),
        End::Signal(number) => (None, Some(number)),
    };
    let [stdout, stderr] =
        ended.written.each_ref().map(|written| json!({"bytes": written.bytes, "sha256": written.sha256}));
    let told = json!({"exit_code": exit_code, "signal": signal, "stdout": stdout, "stderr": stderr});
    let (text, digest) = (told.to_string(), canonical::sha256(&told));
    let row = AuditRow {
        call_id: format!("{}:{}", end.call_id.as_deref().unwrap_or_default(), end.process_id),
        parent_call_id: end.call_id.clone(),
        at_ms: u64::try_from(now_ms()).unwrap_or(0),
        tenant: end.tenant.clone(),
        agent: end.agent.clone(),
        caller: "tool",
        run_id: end.run_id.clone(),
        tool: end.tool.to_owned(),
        outcome: fault.map_or("ok", |(kind, _)| kind.as_str()),
        code: fault.map(|(_, code)| code.to_owned()),
        args: json!({"process_id": end.process_id}),
        output: Some(AuditOutput { bytes: text.len(), sha256: digest, preview: Some(text) }),
        duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        tries: 1,
        rounds: 1,
        ..AuditRow::default()
    };
    if let Err(error) = JsonLines::new(file).write(&row) {
        tracing::error!(target: "toolbox::audit", %error, "an audit row is lost");
    }
}

/// What is asked for.
struct Wanted<'a> {
    tool: Option<&'a str>,
    agent: Option<&'a str>,
    outcome: Option<&'a str>,
    since_ms: i64,
}

impl Wanted<'_> {
    fn takes(&self, row: &Value) -> bool {
        let text = |member: &str| row.get(member).and_then(Value::as_str);
        let is = |member: &str, wanted: Option<&str>| wanted.is_none() || text(member) == wanted;
        is("tool", self.tool)
            && is("agent", self.agent)
            && is("outcome", self.outcome)
            && row.get("at_ms").and_then(Value::as_i64).is_some_and(|at| at >= self.since_ms)
    }
}

/// The members that a list shows.
const SHOWN: [&str; 8] = ["at_ms", "call_id", "agent", "tool", "outcome", "code", "duration_ms", "layer"];

/// Lists what was called, the newest first, or with `stats` how often what came of it.
#[tool(register = false)]
pub(crate) fn audit(
    /// Count instead of listing.
    #[arg(positional, choices = ["stats"])]
    what: Option<&str>,
    /// Only calls of this tool.
    tool: Option<&str>,
    /// Only calls by this agent.
    agent: Option<&str>,
    /// Only calls that ended so.
    #[arg(choices = [
        "ok", "in_doubt", "invalid_args", "not_found", "conflict", "denied", "not_configured", "unavailable",
        "rate_limited", "timeout", "cancelled", "failed", "internal",
    ])]
    outcome: Option<&str>,
    /// Only calls of so long ago at most, such as 30m, 24h or 7d.
    since: Option<&str>,
    /// At most so many.
    #[arg(range = 1..=1_000, default = 50)]
    limit: u32,
) -> ToolResult {
    let path = file().ok_or_else(|| {
        ToolError::not_configured(format!("Nothing is written down: {}.", place::why_none()))
            .code("audit_off")
    })?;
    let ago = since.map(|text| milliseconds("since", text)).transpose()?.unwrap_or(KEPT_MS).min(KEPT_MS);
    let wanted = Wanted { tool, agent, outcome, since_ms: now_ms().saturating_sub(ago) };
    let lines = JsonLines::new(path);
    if what.is_some() {
        return stats(&lines, &wanted);
    }
    let mut rows = Vec::new();
    let most = usize::try_from(limit.min(ROWS_MAX)).unwrap_or(usize::MAX);
    lines.newest_first(|row| {
        if wanted.takes(&row) {
            rows.push(row);
        }
        rows.len() < most
    })?;
    let short = |row: &Value| -> Value {
        let shown =
            SHOWN.iter().map(|member| ((*member).to_owned(), row.get(*member).cloned().unwrap_or_default()));
        let mut short: Map<String, Value> = shown.collect();
        short.insert(
            "approved_by".to_owned(),
            row.pointer("/decision/approved_by").cloned().unwrap_or_default(),
        );
        short.into()
    };
    Ok(ToolOutput::structured(rows.iter().map(short).collect::<Value>()))
}

/// Per tool and outcome: how many, and how long they took.
fn stats(lines: &JsonLines, wanted: &Wanted<'_>) -> ToolResult {
    let mut counts: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    lines.newest_first(|row| {
        if wanted.takes(&row) {
            let text = |member: &str| row.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
            let count = counts.entry((text("tool"), text("outcome"))).or_default();
            count.0 += 1;
            count.1 += row.get("duration_ms").and_then(Value::as_u64).unwrap_or(0);
        }
        true
    })?;
    let told = counts.into_iter().map(|((tool, outcome), (calls, total))| {
        json!({"tool": tool, "outcome": outcome, "calls": calls, "mean_ms": total / calls.max(1)})
    });
    Ok(ToolOutput::structured(told.collect::<Value>()))
}

/// Milliseconds of `30m`, `24h`, `7d`.
pub(crate) fn milliseconds(name: &str, text: &str) -> Result<i64, ToolError> {
    const UNITS: [(&str, i64); 4] = [("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
    let read = UNITS.iter().find_map(|(unit, factor)| {
        let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
        (number >= 0).then(|| number.checked_mul(*factor))?
    });
    read.ok_or_else(|| {
        ToolError::invalid_args(format!("`{name}` is a number and s, m, h or d, such as 24h."))
            .code(format!("bad_{name}"))
    })
}
