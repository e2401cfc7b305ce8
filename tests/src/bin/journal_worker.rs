//! The program that the crash test kills: it recovers, then runs calls whose effects are lines of a file, until it is killed.
//!
//! `journal_worker FOLDER SEED [FAILPOINT NTH]`. Acknowledged calls are printed, one line each: the parent believes only those.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_core::journal::key::Pepper;
use tool_core::journal::replay_gate::ReplayConsent;
use tool_core::journal::{
    Answer, Begin, Begun, CallKey, Journal, Lease, Outcome, Reconciled, RecordedCall, ResolvedBy,
    Result as Stored, RevertStatus, Row, RowQuery, Status, Task, VerifyOptions, VerifyReport,
};
use tool_core::{
    BoxFuture, Call, Caller, Coordinates, Executor, JournalMode, Registry, ToolContext, ToolError,
    ToolOutput, tool,
};
use tool_store::{SqliteJournal, SqliteOptions};

/// The folder of the effects.
struct Effects(std::path::PathBuf);

impl Effects {
    /// Appends a line and syncs it: what the outside world keeps.
    fn append(&self, line: &str) -> Result<(), ToolError> {
        let file = OpenOptions::new().append(true).create(true).open(self.0.join("effects"));
        let written = file.and_then(|mut file| {
            file.write_all(format!("{line}\n").as_bytes())?;
            file.sync_data()
        });
        written.map_err(|error| ToolError::internal("The effect was not written.").source(error))
    }

    fn happened(&self, line: &str) -> bool {
        let all = std::fs::read_to_string(self.0.join("effects")).unwrap_or_default();
        all.lines().any(|had| had == line)
    }
}

/// Charges with a key that is handed on.
#[tool(side_effect, idempotent = false)]
fn charge_keyed(
    /// How much.
    amount: u64,
    #[ctx] effects: &Effects,
    ctx: &ToolContext,
) -> Result<u64, ToolError> {
    fail::fail_point!("call.before_effect");
    effects.append(&format!("keyed {amount} {}", ctx.idempotency_key()))?;
    fail::fail_point!("call.after_effect");
    Ok(amount)
}

/// Charges in a way that can be asked about.
#[tool(side_effect, idempotent = false, reconcile = look)]
fn charge_reconcilable(
    /// How much.
    amount: u64,
    #[ctx] effects: &Effects,
) -> Result<u64, ToolError> {
    fail::fail_point!("call.before_effect");
    effects.append(&format!("reconcilable {amount}"))?;
    fail::fail_point!("call.after_effect");
    Ok(amount)
}

fn look(call: &RecordedCall, ctx: &ToolContext) -> Reconciled {
    let amount = call.input.get("amount").and_then(serde_json::Value::as_u64).unwrap_or_default();
    match ctx.require::<Effects>() {
        Ok(effects) if effects.happened(&format!("reconcilable {amount}")) => {
            Reconciled::Done(ToolOutput::structured(amount))
        }
        Ok(_) => Reconciled::NotDone,
        Err(_) => Reconciled::Unknown,
    }
}

/// Charges, and nobody can tell afterwards.
#[tool(side_effect, idempotent = false)]
fn charge_manual(
    /// How much.
    amount: u64,
    #[ctx] effects: &Effects,
) -> Result<u64, ToolError> {
    fail::fail_point!("call.before_effect");
    effects.append(&format!("manual {amount}"))?;
    fail::fail_point!("call.after_effect");
    Ok(amount)
}

/// Kills this process as a crash would: nothing is flushed, nothing is dropped.
fn die() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

#[allow(clippy::print_stdout, reason = "the parent reads it")]
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(format!("{line}\n").as_bytes());
    let _ = out.flush();
}

#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a program of a test")]
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(&words[0]).to_owned();
    let seed: u64 = words[1].parse().unwrap();
    if let [_, _, failpoint, nth] = &words[..] {
        let nth: u32 = nth.parse().unwrap();
        let (hits, name) = (AtomicU32::new(0), failpoint.clone());
        let callback = move || {
            if hits.fetch_add(1, Ordering::SeqCst) == nth {
                say(&format!("hit {name}"));
                die();
            }
        };
        fail::cfg_callback(failpoint, callback).unwrap();
    }
    let mut options = SqliteOptions::default();
    options.synchronous = std::env::var_os("TOOL_UNSYNCED").is_none();
    let calls = std::env::var("TOOL_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let durable = SqliteJournal::open(folder.join("journal.db"), options).unwrap();
    let mut journal: Arc<dyn Journal> = Arc::new(durable);
    if std::env::var_os("TOOL_INTENT_AFTER_EFFECT").is_some() {
        journal = Arc::new(Careless { inner: journal, begun: Mutex::default() });
    }
    let registry = Registry::builder()
        .add::<ChargeKeyedTool>()
        .add::<ChargeReconcilableTool>()
        .add::<ChargeManualTool>()
        .build()
        .unwrap();
    let executor = Executor::standard(registry)
        .journal(Arc::clone(&journal), JournalMode::All, "worker 1")
        .build()
        .unwrap();
    let ctx = ToolContext::builder().provide(Effects(folder)).build();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        recover(&executor, &*journal, &ctx).await;
        say("recovered");
        if std::env::var_os("TOOL_RECOVER_ONLY").is_some() {
            return;
        }
        let at = |node: String| Coordinates::new("run").node(node);
        let callers = (0..3).map(|caller: u64| {
            let (executor, ctx) = (executor.clone(), ctx.clone());
            tokio::spawn(async move {
                for nth in 0..calls {
                    let amount = seed * 1_000_000 + caller * 100_000 + nth;
                    let tool =
                        ["charge_keyed", "charge_reconcilable", "charge_manual"][(amount % 3) as usize];
                    let ctx = ctx.for_run(at(format!("{seed}-{caller}")));
                    let call = Call::new(tool, json!({"amount": amount}));
                    match executor.call(call, &ctx, Caller::Test).await {
                        // What could not be recorded is delivered, and says so.
                        Ok(output) if output.meta.contains_key("journal") => {
                            say(&format!("error {tool} {amount} in_doubt"));
                        }
                        Ok(_) => say(&format!("ack {tool} {amount}")),
                        Err(error) => say(&format!("error {tool} {amount} {}", error.code_str())),
                    }
                }
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.unwrap();
        }
    });
}

/// Settles what the last process has left: by the tool's handler, or by running it again with its key.
async fn recover(executor: &Executor, journal: &dyn Journal, ctx: &ToolContext) {
    let query = RowQuery { status: Some(Status::InDoubt), ..RowQuery::default() };
    let Ok(rows) = journal.rows(&query).await else { return };
    let live: Vec<Row> = rows.into_iter().filter(|row| row.superseded_by.is_none()).collect();
    for row in live {
        say(&format!("in_doubt {} {}", row.tool_name, row.call_id));
        if let Ok(settled) = tool_core::recover::recover(executor, journal, ctx, &row).await {
            say(&format!("recover {} {}", row.call_id, settled.word()));
        }
    }
}

/// A journal that writes the intent after the effect: what the crash test must find out.
struct Careless {
    inner: Arc<dyn Journal>,
    begun: Mutex<std::collections::HashMap<String, Begin>>,
}

impl Journal for Careless {
    fn begin(&self, begin: Begin) -> BoxFuture<'_, Stored<Begun>> {
        let lease = Lease { call_id: begin.row.call_id.clone(), token: 0, seq: 0 };
        if let Ok(mut begun) = self.begun.lock() {
            begun.insert(lease.call_id.clone(), begin);
        }
        Box::pin(std::future::ready(Ok(Begun::Run(lease))))
    }

    fn running(&self, _: &Lease) {}

    fn finish(&self, lease: Lease, outcome: Outcome) -> BoxFuture<'static, Stored<Row>> {
        let begin = self.begun.lock().ok().and_then(|mut begun| begun.remove(&lease.call_id));
        let inner = Arc::clone(&self.inner);
        Box::pin(async move {
            match inner.begin(begin.unwrap_or_default()).await? {
                Begun::Run(lease) => inner.finish(lease, outcome).await,
                _ => Err(tool_core::journal::JournalError::Fenced),
            }
        })
    }

    fn record(&self, call: Row) {
        self.inner.record(call);
    }

    fn peek<'a>(&'a self, key: &'a CallKey) -> BoxFuture<'a, Stored<Option<Row>>> {
        self.inner.peek(key)
    }

    fn rows<'a>(&'a self, query: &'a RowQuery) -> BoxFuture<'a, Stored<Vec<Row>>> {
        self.inner.rows(query)
    }

    fn next_attempt<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Stored<u32>> {
        self.inner.next_attempt(task)
    }

    fn mark_lost(&self) -> BoxFuture<'_, Stored<Vec<Row>>> {
        self.inner.mark_lost()
    }

    fn reconcile(&self, call_id: String, answer: Answer, by: ResolvedBy) -> BoxFuture<'_, Stored<Row>> {
        self.inner.reconcile(call_id, answer, by)
    }

    fn revert(
        &self,
        call: String,
        status: RevertStatus,
        error: Option<String>,
    ) -> BoxFuture<'_, Stored<Row>> {
        self.inner.revert(call, status, error)
    }

    fn consents<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Stored<Vec<ReplayConsent>>> {
        self.inner.consents(task)
    }

    fn consent(&self, task: Task, consent: ReplayConsent) -> BoxFuture<'_, Stored<()>> {
        self.inner.consent(task, consent)
    }

    fn is_alive<'a>(&'a self, row: &'a Row) -> BoxFuture<'a, bool> {
        self.inner.is_alive(row)
    }

    fn verify(&self, options: VerifyOptions) -> BoxFuture<'_, Stored<VerifyReport>> {
        self.inner.verify(options)
    }

    fn owner(&self) -> &str {
        self.inner.owner()
    }

    fn pepper(&self) -> Pepper {
        self.inner.pepper()
    }
}
