//! A secret that a tool was handed or given is in nothing that is written: neither result nor audit, journal, write-ahead log,
//! log, measurement or span. (calls.md, acceptance 11; journal.md, acceptance 12)

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at what it cannot build"
)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tool_core::journal::{Journal as _, Row, RowQuery};
use tool_core::prelude::*;
use tool_core::redact::KnownSecrets;
use tool_core::{
    AuditQuery, AuditSettings, AuditSink, Call, Caller, CheckMode, Content, Coordinates, Executor,
    JournalAudit, JournalMode, JsonLines, LimitSettings, Metric, Metrics, ReadResultTool, Registry,
    ShapeSettings, TracingAudit,
};
use tool_store::{SqliteJournal, SqliteOptions};
use tracing_subscriber::fmt::format::FmtSpan;

/// The secret of the environment, and the one that is an argument.
const VAULT: &str = "canary-vault-6f1d0b";
const PASSWORD: &str = "canary-given-93ac27";

/// Everything that a program does with a secret by mistake.
#[tool(side_effect, idempotent = false, requires(secret = "VAULT_KEY"), register = false)]
async fn leak(
    /// A password.
    #[arg(secret)]
    password: &str,
    /// A text.
    note: &str,
    /// How.
    how: &str,
    ctx: &ToolContext,
) -> ToolResult {
    let key = ctx.secret("VAULT_KEY")?;
    let all = format!("{} {password}", key.expose());
    tracing::debug!(target: "toolbox::tests", "a tool ran");
    let base64: Vec<String> = ["", "a", "ab"]
        .iter()
        .flat_map(|before| [key.expose(), password].map(|text| STANDARD.encode(format!("{before}{text}!"))))
        .collect();
    let (head, tail) = key.expose().split_at(9);
    let split = [head, tail, &password[..8], &password[8..]].map(Content::text);
    match how {
        "panic" => panic!("{all} {base64:?}"),
        "error" => Err(ToolError::failed(all.clone()).hint(base64.join(" ")).detail("found", all)),
        "split" => Ok(split.into_iter().fold(ToolOutput::default(), ToolOutput::with_content)),
        "long" => Ok(ToolOutput::text(format!("{}{all}", "x".repeat(30_000)))),
        _ => Ok(ToolOutput::structured(json!({"raw": all, "base64": base64, note: [password]}))
            .with_content(Content::text(format!("{all} {}", base64.join(","))))),
    }
}

/// The same of a read, which is recorded without being waited for.
#[tool(requires(secret = "VAULT_KEY"), register = false)]
async fn look(
    /// A password.
    #[arg(secret)]
    password: &str,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    Ok(format!("{} {password}", ctx.secret("VAULT_KEY")?.expose()))
}

#[derive(Clone, Default)]
struct Measured(Arc<Mutex<String>>);

impl Metrics for Measured {
    fn record(&self, metric: &Metric, value: f64, attributes: &[(&'static str, &str)]) {
        self.0.lock().unwrap().push_str(&format!("{} {value} {attributes:?}\n", metric.name));
    }
}

/// What must not turn up: both secrets raw, in hex, and as base64 writes them behind any number of bytes.
fn needles() -> Vec<String> {
    let mut needles = Vec::new();
    for secret in [VAULT, PASSWORD] {
        needles.push(secret.to_owned());
        needles.push(secret.bytes().map(|byte| format!("{byte:02x}")).collect());
        for before in ["", "a", "ab"] {
            let text = STANDARD.encode(format!("{before}{secret}"));
            // The characters at both ends depend on what stands beside the secret.
            needles.push(text[4..text.len() - 4].to_owned());
        }
    }
    // The halves of what was split, where they say enough to be looked for.
    needles.extend([VAULT[9..].to_owned(), PASSWORD[8..].to_owned()]);
    needles
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { files(&entry, found) } else { found.push(entry) }
    }
}

fn has(bytes: &[u8], needle: &str) -> bool {
    bytes.windows(needle.len()).any(|part| part == needle.as_bytes())
}

/// An installation: a folder with a journal, audit rows in it, and an audit file.
struct Installation {
    folder: tool_trials::Directory,
    journal: Arc<SqliteJournal>,
    measured: Measured,
    executor: Executor,
}

impl Installation {
    fn new() -> Installation {
        let folder = tool_trials::directory();
        let path = folder.path().join("journal.db");
        let journal = Arc::new(SqliteJournal::open(path, SqliteOptions::default()).unwrap());
        let secrets: Arc<KnownSecrets> = Arc::default();
        let lines = JsonLines::new(folder.path().join("audit.jsonl"));
        let table = JournalAudit::new(Arc::clone(&journal) as Arc<dyn tool_core::journal::Journal>);
        let sinks: Vec<Box<dyn AuditSink>> = vec![Box::new(lines), Box::new(table), Box::new(TracingAudit)];
        let measured = Measured::default();
        let registry = Registry::builder().add::<LeakTool>().add::<LookTool>().add::<ReadResultTool>();
        let executor = Executor::standard(registry.build().unwrap())
            .limit(LimitSettings::default())
            .journal(Arc::clone(&journal) as Arc<dyn tool_core::journal::Journal>, JournalMode::All, "test 1")
            .shape(ShapeSettings { secrets: Arc::clone(&secrets), ..ShapeSettings::default() })
            .check(CheckMode::Error)
            .retries(2)
            .trace()
            .metrics(Arc::new(measured.clone()))
            .audit(AuditSettings { sinks, secrets, required: true })
            .build()
            .unwrap();
        Installation { folder, journal, measured, executor }
    }

    /// What a call is answered, as text.
    fn call(&self, tool: &str, args: Value) -> String {
        let vault: HashMap<String, String> = [("VAULT_KEY".to_owned(), VAULT.to_owned())].into();
        let at = Coordinates::new("run").node("node");
        let ctx = ToolContext::builder().agent("bot").secrets(vault).at(at).build();
        match self.executor.call_blocking(Call::new(tool, args), &ctx, Caller::Llm) {
            Ok(output) => format!("{output:?}"),
            Err(error) => format!("{error:?} {}", error.to_json()),
        }
    }

    fn rows(&self) -> Vec<Row> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(self.journal.rows(&RowQuery::default())).unwrap()
    }

    /// The audit rows in the journal, those that were queued too.
    fn audited(&self) -> Vec<Value> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            self.journal.mark_lost().await.unwrap();
            self.journal.audited(&AuditQuery::default()).await.unwrap()
        })
    }
}

fn leak_args(how: &str) -> Value {
    json!({"password": PASSWORD, "note": "plain-canary-note", "how": how})
}

#[test]
fn a_secret_is_in_no_byte_of_anything_that_a_call_leaves() {
    let log = tool_trials::Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::FULL)
        .with_writer(log.clone())
        .with_ansi(false)
        .finish();
    let own = Installation::new();
    let listening = tool_trials::listening(subscriber);
    let ways = ["ok", "error", "panic", "split", "long"];
    let mut answers: Vec<String> = ways.iter().map(|how| own.call("leak", leak_args(how))).collect();
    answers.push(own.call("look", json!({"password": PASSWORD})));
    // A model that has seen it somewhere hands it on where none is expected.
    for args in [
        json!({"password": PASSWORD, "note": VAULT, "how": VAULT}),
        json!({"password": PASSWORD, VAULT: VAULT}),
    ] {
        answers.push(own.call("leak", args));
    }
    answers.push(own.call(VAULT, json!({VAULT: VAULT})));
    drop(listening);
    // What is queued is written when somebody asks for it.
    let rows = own.rows();
    assert!(rows.len() >= 7, "{}", rows.len());
    let mut all: Vec<(String, Vec<u8>)> = vec![
        ("answers".to_owned(), answers.join("\n").into_bytes()),
        ("log".to_owned(), log.text().into_bytes()),
        ("measurements".to_owned(), own.measured.0.lock().unwrap().clone().into_bytes()),
    ];
    let mut paths = Vec::new();
    files(own.folder.path(), &mut paths);
    all.extend(paths.iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())));
    for ending in ["journal.db", "journal.db-wal", "audit.jsonl", "journal.key", "journal.seal"] {
        assert!(all.iter().any(|(name, _)| name.ends_with(ending)), "{ending} was not looked at");
    }
    for (name, bytes) in &all {
        for needle in needles() {
            let text = || String::from_utf8_lossy(bytes).into_owned();
            let line = || text().lines().find(|line| line.contains(&needle)).map(str::to_owned);
            assert!(!has(bytes, &needle), "{needle} is in {name}: {:?}", line());
        }
    }
    // The table of the journal and the file tell of the same calls.
    let kept = own.audited();
    let lines = std::fs::read_to_string(own.folder.path().join("audit.jsonl")).unwrap();
    assert_eq!(kept.len(), lines.lines().count());
    // The twins: what is no secret is where it belongs, and the places were written to.
    let place = |ending: &str| {
        let mut places = all.iter().filter(|(name, _)| name.ends_with(ending));
        &places.next().unwrap().1
    };
    for (ending, told) in [
        ("answers", "[secret:VAULT_KEY] [secret:password]"),
        ("answers", "plain-canary-note"),
        ("journal.db-wal", "plain-canary-note"),
        ("audit.jsonl", "plain-canary-note"),
        ("log", "a tool ran"),
        ("log", "a tool panicked"),
        ("log", "execute_tool"),
        ("measurements", "gen_ai.execute_tool.duration"),
    ] {
        assert!(has(place(ending), told), "{told} is not in {ending}");
    }
}

#[test]
fn the_digest_of_a_secret_argument_is_another_one_in_another_installation() {
    let (one, other) = (Installation::new(), Installation::new());
    let digest = |installation: &Installation, password: &str| {
        let args = json!({"password": password, "note": "n", "how": "ok"});
        installation.call("leak", args);
        let row = installation.rows().pop().unwrap();
        (row.args_sha256, row.call_key, row.input_complete)
    };
    let first = digest(&one, PASSWORD);
    assert!(!first.2, "what is hidden cannot be run again from the row");
    assert_eq!(digest(&one, PASSWORD).0, first.0, "an equal call of the same installation is the same");
    assert_ne!(digest(&one, "another-password").0, first.0);
    let elsewhere = digest(&other, PASSWORD);
    assert_ne!(elsewhere.0, first.0);
    assert_ne!(elsewhere.1, first.1);
    // Nor is it the digest of the secret alone, which anybody could try passwords against.
    let plain = tool_core::canonical::sha256(&json!({"password": PASSWORD, "note": "n", "how": "ok"}));
    assert!(![&first.0, &elsewhere.0].contains(&&plain));
    for installation in [&one, &other] {
        let mut paths = Vec::new();
        files(installation.folder.path(), &mut paths);
        for path in paths {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!needles().iter().any(|needle| has(&bytes, needle)), "{}", path.display());
        }
    }
}
