//! One span per call, refused ones included, with the attributes that are promised and no others; and what is measured. (calls.md §14)
//!
//! The exporter is in memory: it keeps what a bridge to OpenTelemetry would be given.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_core::journal::MemoryJournal;
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, ApprovalRequest, Approver, BoxFuture, Call, Caller, Decision, Executor, JournalMode,
    METRICS, Metric, Metrics, Registry,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Spans by number: name and attributes.
#[derive(Clone, Default)]
struct Exporter(Arc<Mutex<BTreeMap<u64, NamedSpan>>>, Arc<AtomicU64>);

/// A span's name and its attributes.
type NamedSpan = (String, BTreeMap<String, String>);

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl Subscriber for Exporter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == "toolbox::call"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.1.fetch_add(1, Ordering::SeqCst) + 1;
        let mut fields = BTreeMap::new();
        span.record(&mut Fields(&mut fields));
        self.0.lock().unwrap().insert(id, (span.metadata().name().to_owned(), fields));
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        if let Some((_, fields)) = self.0.lock().unwrap().get_mut(&id.into_u64()) {
            values.record(&mut Fields(fields));
        }
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Measurements: name, value, attributes.
#[derive(Clone, Default)]
struct Measured(Arc<Mutex<Vec<Measurement>>>);

/// An instrument, what it measured, and the attributes.
type Measurement = (&'static str, f64, BTreeMap<&'static str, String>);

impl Metrics for Measured {
    fn record(&self, metric: &Metric, value: f64, attributes: &[(&'static str, &str)]) {
        let attributes = attributes.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        self.0.lock().unwrap().push((metric.name, value, attributes));
    }
}

impl Measured {
    fn of(&self, name: &str) -> Vec<(f64, BTreeMap<&'static str, String>)> {
        let all = self.0.lock().unwrap();
        all.iter().filter(|row| row.0 == name).map(|row| (row.1, row.2.clone())).collect()
    }
}

/// Reads.
#[tool(register = false)]
async fn look() -> u64 {
    5
}

/// Deletes, or tries to.
#[tool(destructive, idempotent = false, register = false)]
async fn remove(
    /// What.
    name: &str,
) -> Result<String, ToolError> {
    if name == "lost" { Err(ToolError::unavailable("Gone.")) } else { Ok(name.to_owned()) }
}

struct Person;

impl Approver for Person {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        let no = request.args["name"] == "kept";
        let decision = if no { Decision::Deny { reason: None } } else { Decision::AllowOnce };
        Box::pin(std::future::ready(decision))
    }
}

/// The attributes of a call's span; `otel.*` say its name and kind.
const ATTRIBUTES: [&str; 13] = [
    "otel.name",
    "otel.kind",
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.tool.type",
    "gen_ai.tool.call.id",
    "gen_ai.agent.name",
    "error.type",
    "toolbox.caller",
    "toolbox.run.id",
    "toolbox.attempt",
    "toolbox.replayed",
    "toolbox.tries",
];

fn executor(measured: &Measured) -> Executor {
    let registry = Registry::builder().add::<LookTool>().add::<RemoveTool>().build().unwrap();
    Executor::standard(registry)
        .approve(ApprovalLevel::Destructive)
        .journal(Arc::new(MemoryJournal::new()), JournalMode::All, "test 1")
        .trace()
        .metrics(Arc::new(measured.clone()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn each_call_has_one_span_with_the_promised_attributes_and_no_others() {
    let (exporter, measured) = (Exporter::default(), Measured::default());
    let _guard = tracing::subscriber::set_default(exporter.clone());
    let executor = executor(&measured);
    let ctx = ToolContext::builder().agent("bot").run("run-7").approver(Person).build();
    let calls = [
        ("look", json!({}), None),
        ("look", json!({"nme": 1}), Some("invalid_args")),
        ("remove", json!({"name": "a canary"}), None),
        ("remove", json!({"name": "kept"}), Some("approval_denied")),
        ("remove", json!({"name": "lost"}), Some("unavailable")),
        ("made_up", json!({}), Some("unknown_tool")),
    ];
    for (nth, (tool, args, code)) in calls.iter().enumerate() {
        let call = Call { call_id: Some(format!("id-{nth}")), ..Call::new(*tool, args.clone()) };
        let result = executor.call(call, &ctx, Caller::Llm).await;
        assert_eq!(result.err().map(|error| error.code_str().to_owned()).as_deref(), *code);
    }
    let spans = exporter.0.lock().unwrap();
    let own: Vec<_> = spans.values().filter(|span| span.0 == "execute_tool").map(|span| &span.1).collect();
    assert_eq!(own.len(), calls.len());
    for (span, (tool, _, code)) in own.iter().zip(&calls) {
        let unknown: Vec<&String> = span.keys().filter(|name| !ATTRIBUTES.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        let name = if *tool == "made_up" { "_unknown" } else { tool };
        assert_eq!(span["otel.name"], format!("execute_tool {name}"));
        assert_eq!(
            (span["otel.kind"].as_str(), span["gen_ai.operation.name"].as_str()),
            ("internal", "execute_tool")
        );
        assert_eq!(
            (span["gen_ai.tool.name"].as_str(), span["gen_ai.tool.type"].as_str()),
            (name, "function")
        );
        assert_eq!((span["gen_ai.agent.name"].as_str(), span["toolbox.caller"].as_str()), ("bot", "llm"));
        assert_eq!((span["toolbox.run.id"].as_str(), span["toolbox.attempt"].as_str()), ("run-7", "1"));
        assert_eq!(span.get("error.type").map(String::as_str), *code);
        assert_eq!(span["toolbox.replayed"], "false");
        assert!(!span.values().any(|value| value.contains("canary")));
    }
    let children: Vec<&str> =
        spans.values().map(|span| span.0.as_str()).filter(|name| *name != "execute_tool").collect();
    for name in ["toolbox.approve", "toolbox.journal.begin", "toolbox.journal.finish"] {
        assert!(children.contains(&name), "{children:?}");
    }
}

#[tokio::test]
async fn what_is_measured_names_tools_agents_layers_and_codes_alone() {
    let measured = Measured::default();
    let executor = executor(&measured);
    let ctx = ToolContext::builder().agent("bot").run("run-7").approver(Person).build();
    for (tool, args) in [
        ("look", json!({})),
        ("remove", json!({"name": "a canary"})),
        ("remove", json!({"name": "kept"})),
        ("remove", json!({"name": "lost"})),
        ("made_up_canary", json!({})),
    ] {
        let _ = executor.call(Call::new(tool, args), &ctx, Caller::Llm).await;
    }
    assert_eq!(measured.of("gen_ai.execute_tool.duration").len(), 5);
    assert_eq!(measured.of("toolbox.call.active").iter().map(|row| row.0).sum::<f64>(), 0.0);
    let refused = measured.of("toolbox.call.refusals");
    assert_eq!((refused.len(), refused[0].1["toolbox.layer"].as_str()), (1, "approve"));
    assert_eq!(refused[0].1["error.type"], "approval_denied");
    let decisions: Vec<String> = measured
        .of("toolbox.approval.decisions")
        .iter()
        .map(|row| row.1["toolbox.decision"].clone())
        .collect();
    assert_eq!(decisions, ["once", "deny", "once"]);
    assert_eq!(measured.of("toolbox.journal.in_doubt").len(), 1);
    assert_eq!(measured.of("toolbox.result.size")[0].0, 1.0);
    let known: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    for (name, _, attributes) in measured.0.lock().unwrap().iter() {
        assert!(known.contains(name), "{name}");
        assert!(
            attributes.values().all(|value| !value.contains("canary") && !value.contains("run-7")),
            "{name}"
        );
    }
}
