//! `toolbox audit`: what was called, by whom, and what came of it, from the table that every call is written to. (calls.md §12)

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_cli::duration::Ago;
use tool_cli::{Settings, Surroundings};
use tool_core::args;
use tool_core::journal::{Journal as _, now_ms};
use tool_core::prelude::*;
use tool_core::redact::KnownSecrets;
use tool_core::{
    ArgIssue, AuditOutput, AuditQuery, AuditRow, AuditSettings, AuditSink, JournalAudit, JsonLines, canonical,
};
use tool_std::sandbox::End;
use tool_std::shell::ProcessEnd;

/// More rows are not listed.
const ROWS_MAX: u32 = 1_000;

/// How long rows are told of.
const KEPT_MS: i64 = 90 * 24 * 3_600 * 1_000;

/// The table of the settings file.
pub(crate) const TABLE: &str = "audit";

/// What the table says.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct AuditTable {
    /// Whether side effects are refused while no row can be written.
    required: bool,
}

/// Everything that is wrong with the table.
pub(crate) fn misfits(_: &str, table: &Value) -> Result<Vec<ArgIssue>, ToolError> {
    args::misfits::<AuditTable>(table)
}

/// Whether side effects are refused while no row can be written.
pub(crate) fn is_required(settings: &Settings) -> bool {
    settings.table(TABLE).and_then(|table| AuditTable::deserialize(table).ok()).unwrap_or_default().required
}

/// The file, beside the journal. Without a place for a journal there is none.
fn file(settings: &Settings) -> Option<PathBuf> {
    Some(settings.journal().path()?.with_file_name("audit.jsonl"))
}

/// The file and those that were put aside, which no tool touches.
pub(crate) fn files(settings: &Settings) -> Vec<PathBuf> {
    let Some(file) = file(settings) else { return Vec::new() };
    // The last is there while rows that are too old are removed.
    let next = file.with_file_name("audit.jsonl.next");
    JsonLines::new(file).files().chain([next]).collect()
}

/// Where every call is written to: the table beside the recorded calls, and a file for whoever follows it.
pub(crate) fn settings(
    settings: &Settings,
    secrets: Arc<KnownSecrets>,
) -> Result<Option<AuditSettings>, ToolError> {
    let sinks = sinks(settings)?;
    let required = is_required(settings);
    Ok((required || !sinks.is_empty()).then_some(AuditSettings { sinks, secrets, required }))
}

fn sinks(settings: &Settings) -> Result<Vec<Box<dyn AuditSink>>, ToolError> {
    let table = settings.store()?.map(|store| Box::new(JournalAudit::new(store)) as Box<dyn AuditSink>);
    let file = file(settings).map(|file| Box::new(JsonLines::new(file)) as Box<dyn AuditSink>);
    Ok(table.into_iter().chain(file).collect())
}

/// Tells of a call whose process died. The table has its row from who found it.
pub(crate) fn lost(settings: &Settings, row: &tool_core::journal::Row) {
    if let Some(file) = file(settings) {
        write(&JsonLines::new(file), &AuditRow::of_lost(row));
    }
}

fn write(sink: &dyn AuditSink, row: &AuditRow) {
    if let Err(error) = sink.write(row) {
        tracing::error!(target: "toolbox::audit", %error, "an audit row is lost");
    }
}

/// Tells of the ends of background processes, once it is known where: a process is started by a call, and a call by a run.
#[derive(Clone, Default)]
pub(crate) struct Ends(Arc<OnceLock<Vec<Box<dyn AuditSink>>>>);

impl Ends {
    /// Tells of them where the calls of a run are told of.
    pub(crate) fn beside(&self, settings: &Settings) -> Result<(), ToolError> {
        if self.0.get().is_none() {
            let _ = self.0.set(sinks(settings)?);
        }
        Ok(())
    }

    /// Tells of one.
    pub(crate) fn told(&self, end: &ProcessEnd) {
        let row = ended(end);
        self.0.get().into_iter().flatten().for_each(|sink| write(&**sink, &row));
    }
}

/// The row of the end of a background process: the row of its call has its start. (shell.md §6)
fn ended(end: &ProcessEnd) -> AuditRow {
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
    AuditRow {
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
    }
}

/// The members that a list shows.
const SHOWN: [&str; 8] = ["at_ms", "call_id", "agent", "tool", "outcome", "code", "duration_ms", "layer"];

/// Lists what was called, the newest first, or with `stats` how often what came of it.
#[tool(register = false)]
pub(crate) async fn audit(
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
    since: Option<Ago>,
    /// At most so many.
    #[arg(range = 1..=1_000, default = 50)]
    limit: u32,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    if around.settings.journal().path().is_none() {
        let why = around.settings.journal().why_none();
        return Err(ToolError::not_configured(format!("Nothing is written down: {why}.")).code("audit_off"));
    }
    let ago = since.and_then(|ago| i64::try_from(ago.0.as_millis()).ok()).unwrap_or(KEPT_MS).min(KEPT_MS);
    let query = AuditQuery {
        tool: tool.map(str::to_owned),
        agent: agent.map(str::to_owned),
        outcome: outcome.map(str::to_owned),
        since_ms: now_ms().saturating_sub(ago),
        limit: usize::try_from(limit.min(ROWS_MAX)).ok(),
    };
    let Some(journal) = around.existing_journal()? else { return Ok(ToolOutput::structured(json!([]))) };
    if what.is_some() {
        let told = journal.audit_counts(&query)?.into_iter().map(|row| {
            json!({"tool": row.tool, "outcome": row.outcome, "calls": row.calls, "mean_ms": row.total_ms / row.calls.max(1)})
        });
        return Ok(ToolOutput::structured(told.collect::<Value>()));
    }
    let rows = journal.audited(&query).await?;
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
