//! One span per call, refused ones included, with the attributes that are promised and no others; and what is measured. (calls.md §14)
//!
//! The exporter is that of OpenTelemetry's SDK, in memory, behind the bridge from `tracing`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentelemetry::trace::{SpanKind, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use serde_json::json;
use tool_core::journal::MemoryJournal;
use tool_core::prelude::*;
use tool_core::{
    ApprovalLevel, ApprovalRequest, Approver, BoxFuture, Call, Caller, Decision, Executor, JournalMode,
    METRICS, Metric, Metrics, Registry, TraceLink, TraceParent,
};
use tracing::{Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;

/// The spans that OpenTelemetry's SDK exports, by way of the bridge that a host would set up. It adds nothing of its own.
fn exported() -> (InMemorySpanExporter, SdkTracerProvider, impl Subscriber + Send + Sync) {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let bridge = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("tests"))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false);
    let own = Targets::new().with_target("toolbox::call", Level::DEBUG);
    (exporter, provider, tracing_subscriber::registry().with(own).with(bridge))
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

/// The attributes of a call's span.
const ATTRIBUTES: [&str; 11] = [
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
    let measured = Measured::default();
    let (exporter, provider, subscriber) = exported();
    let _listening = tool_trials::listening(subscriber);
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
    provider.force_flush().unwrap();
    let spans = exporter.get_finished_spans().unwrap();
    let own: Vec<_> = spans.iter().filter(|span| span.name.starts_with("execute_tool")).collect();
    assert_eq!(own.len(), calls.len(), "one for each call, refused ones too");
    for (nth, (span, (tool, _, code))) in own.iter().zip(&calls).enumerate() {
        let name = if *tool == "made_up" { "_unknown" } else { tool };
        assert_eq!(
            (span.name.as_ref(), &span.span_kind),
            (&*format!("execute_tool {name}"), &SpanKind::Internal)
        );
        let attributes: BTreeMap<&str, String> = span
            .attributes
            .iter()
            .map(|pair| (pair.key.as_str(), pair.value.as_str().into_owned()))
            .collect();
        let mut wanted: BTreeMap<&str, String> = [
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", name),
            ("gen_ai.tool.type", "function"),
            ("gen_ai.agent.name", "bot"),
            ("toolbox.caller", "llm"),
            ("toolbox.run.id", "run-7"),
            ("toolbox.attempt", "1"),
            ("toolbox.replayed", "false"),
            ("toolbox.tries", "1"),
        ]
        .map(|(key, value)| (key, value.to_owned()))
        .into();
        wanted.insert("gen_ai.tool.call.id", format!("id-{nth}"));
        wanted.extend(code.map(|code| ("error.type", code.to_owned())));
        assert_eq!(attributes, wanted);
        assert!(attributes.keys().all(|key| ATTRIBUTES.contains(key)));
    }
    for child in ["toolbox.approve", "toolbox.journal.begin", "toolbox.journal.finish"] {
        let found = spans.iter().find(|span| span.name == child);
        let found = found.unwrap_or_else(|| panic!("no {child}: {spans:#?}"));
        assert!(own.iter().any(|span| span.span_context.span_id() == found.parent_span_id), "{child}");
        assert!(found.attributes.is_empty(), "{child}: {:?}", found.attributes);
    }
    let others = spans.iter().filter(|span| !span.name.starts_with("execute_tool"));
    for span in others {
        assert!(span.name.starts_with("toolbox."), "{}", span.name);
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

/// Ties nothing, and keeps the traces that callers are in.
#[derive(Clone, Default)]
struct Linked(Arc<Mutex<Vec<Option<String>>>>);

impl TraceLink for Linked {
    fn link(&self, _: &tracing::Span, parent: Option<&TraceParent>) -> Option<String> {
        let trace = parent.map(|parent| parent.trace_id().to_owned());
        self.0.lock().unwrap().push(trace.clone());
        trace
    }
}

#[tokio::test]
async fn a_span_is_tied_to_the_trace_of_its_caller_and_has_contents_where_that_is_wanted() {
    let (exporter, provider, subscriber) = exported();
    let _listening = tool_trials::listening(subscriber);
    let (trace, linked) = ("0af7651916cd43dd8448eb211c80319c", Linked::default());
    let registry = Registry::builder().add::<LookTool>().build().unwrap();
    let executor = Executor::standard(registry).trace_link(linked.clone()).trace_content().build().unwrap();
    let parents = [format!("00-{trace}-b7ad6b7169203331-01"), "no parent".to_owned()];
    for parent in &parents {
        let ctx = ToolContext::builder().traceparent(parent).build();
        executor.call(Call::new("look", json!({})), &ctx, Caller::Llm).await.unwrap();
    }
    assert_eq!(*linked.0.lock().unwrap(), [Some(trace.to_owned()), None]);
    provider.force_flush().unwrap();
    let spans = exporter.get_finished_spans().unwrap();
    let told = |key: &str| {
        let of_span = |span: &opentelemetry_sdk::trace::SpanData| {
            let own = span.attributes.iter().find(|attribute| attribute.key.as_str() == key);
            own.map(|attribute| attribute.value.to_string())
        };
        spans.iter().map(of_span).collect::<Vec<_>>()
    };
    assert_eq!(told("gen_ai.tool.call.arguments"), [Some("{}".to_owned()), Some("{}".to_owned())]);
    assert_eq!(told("gen_ai.tool.call.result"), [Some("5".to_owned()), Some("5".to_owned())]);
}

/// Answers when it has been asked so often.
#[tool(register = false)]
async fn late(
    /// How often.
    times: u64,
    #[ctx] asked: &AtomicU64,
) -> Result<u64, ToolError> {
    let before = asked.fetch_add(1, Ordering::SeqCst);
    if before < times {
        Err(ToolError::unavailable("Not yet.").retry_after(Duration::ZERO))
    } else {
        Ok(before)
    }
}

#[tokio::test]
async fn further_tries_are_counted_and_nothing_is_where_there_is_none() {
    let measured = Measured::default();
    let registry = Registry::builder().add::<LateTool>().build().unwrap();
    let executor =
        Executor::standard(registry).retries(2).metrics(Arc::new(measured.clone())).build().unwrap();
    let mut counted = Vec::new();
    for times in 0..=2 {
        let ctx = ToolContext::builder().provide(AtomicU64::new(0)).build();
        executor.call(Call::new("late", json!({"times": times})), &ctx, Caller::Llm).await.unwrap();
        let all = measured.of("toolbox.call.retries");
        counted.push(all.iter().map(|row| row.0).collect::<Vec<_>>());
    }
    assert_eq!(counted, [vec![], vec![1.0], vec![1.0, 2.0]]);
    assert!(measured.of("toolbox.call.queue.duration").is_empty(), "no call waited for a place");
}
