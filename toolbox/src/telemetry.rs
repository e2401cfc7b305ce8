//! Spans and metrics of calls for OpenTelemetry, in a file. (calls.md §14)
//!
//! `[otel]` of the settings file names the file. Its lines are those of OpenTelemetry's file exporter, OTLP as JSON, which the
//! collector reads (receiver `otlpjsonfile`): nothing is sent anywhere by this program.

mod exporter;
mod otlp;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use opentelemetry::metrics::{Counter, Histogram, MeterProvider as _, UpDownCounter};
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tool_cli::{LogLayer, Settings};
use tool_core::prelude::*;
use tool_core::{
    ArgIssue, ExecutorBuilder, IssueCode, METRICS, Metric, MetricKind, Metrics, TraceLink, TraceParent, args,
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};

use self::exporter::Lines;

/// The table of the settings file.
pub(crate) const TABLE: &str = "otel";

/// What spans of calls are told under.
const TARGET: &str = "toolbox::call";

/// The buckets of durations, in seconds, as the conventions for generative AI recommend them.
const SECONDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// What the table says.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct OtelTable {
    /// Where spans and metrics are written to.
    file: Option<PathBuf>,
    /// Whether spans have arguments and results, redacted as for audit.
    content: bool,
}

impl OtelTable {
    fn of(settings: &Settings) -> OtelTable {
        settings.table(TABLE).and_then(|table| OtelTable::deserialize(table).ok()).unwrap_or_default()
    }
}

/// Everything that is wrong with the table.
pub(crate) fn misfits(_: &str, table: &Value) -> Result<Vec<ArgIssue>, ToolError> {
    let mut issues = args::misfits::<OtelTable>(table)?;
    let file = table.get("file").and_then(Value::as_str).filter(|file| !Path::new(file).is_absolute());
    issues.extend(file.map(|file| ArgIssue {
        path: "/file".to_owned(),
        code: IssueCode::Invalid,
        expected: "an absolute path, such as /var/log/toolbox/otel.jsonl".to_owned(),
        got: format!("string {:?}", file.chars().take(80).collect::<String>()),
        hint: None,
    }));
    Ok(issues)
}

/// The file that is written to, which no tool changes.
pub(crate) fn file(settings: &Settings) -> Option<PathBuf> {
    OtelTable::of(settings).file
}

/// The telemetry of the process, made when it is first asked for.
#[derive(Clone, Default)]
pub(crate) struct Telemetry(Arc<OnceLock<Option<Providers>>>);

struct Providers {
    spans: SdkTracerProvider,
    metrics: SdkMeterProvider,
    instruments: Arc<Instruments>,
}

impl Telemetry {
    /// The providers; `None` where no file is named, or it cannot be written to.
    fn providers(&self, settings: &Settings) -> Option<&Providers> {
        let make = || {
            let lines = Lines::open(&OtelTable::of(settings).file?).ok()?;
            let resource = Resource::builder_empty().with_service_name("toolbox");
            let resource =
                resource.with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
            let resource = resource.build();
            let spans = SdkTracerProvider::builder().with_resource(resource.clone());
            let metrics = SdkMeterProvider::builder().with_resource(resource);
            let spans = spans.with_simple_exporter(lines.spans()).build();
            let metrics = metrics.with_periodic_exporter(lines.metrics()).build();
            let instruments = Arc::new(Instruments::new(&metrics));
            Some(Providers { spans, metrics, instruments })
        };
        self.0.get_or_init(make).as_ref()
    }

    /// What hears of the spans of calls.
    pub(crate) fn layer(&self, settings: &Settings) -> Option<LogLayer> {
        let tracer = self.providers(settings)?.spans.tracer("toolbox");
        let bridge = tracing_opentelemetry::layer().with_tracer(tracer);
        let bridge = bridge.with_location(false).with_threads(false).with_target(false);
        let bridge = bridge.with_tracked_inactivity(false);
        Some(bridge.with_filter(Targets::new().with_target(TARGET, LevelFilter::DEBUG)).boxed())
    }

    /// Who measures calls and the commits of their journal.
    pub(crate) fn metrics(&self, settings: &Settings) -> Option<Arc<dyn Metrics>> {
        Some(Arc::clone(&self.providers(settings)?.instruments) as Arc<dyn Metrics>)
    }

    /// Calls have spans within the traces of their callers.
    ///
    /// # Errors
    /// `not_configured`, code `otel_unwritable`, for a file that cannot be written to.
    pub(crate) fn watch(
        &self,
        builder: ExecutorBuilder,
        settings: &Settings,
    ) -> Result<ExecutorBuilder, ToolError> {
        let OtelTable { file, content } = OtelTable::of(settings);
        let Some(file) = file else { return Ok(builder) };
        if self.providers(settings).is_none() {
            let text = format!("Spans and metrics cannot be written to {}.", file.display());
            let hint = "name another file under [otel] of the settings file, or none";
            return Err(ToolError::not_configured(text).code("otel_unwritable").hint(hint));
        }
        let builder = builder.trace_link(Link);
        Ok(if content { builder.trace_content() } else { builder })
    }

    /// Writes what was measured, and ends.
    pub(crate) fn end(&self) {
        let Some(Some(providers)) = self.0.get() else { return };
        for ended in [providers.spans.shutdown(), providers.metrics.shutdown()] {
            if let Err(error) = ended {
                tracing::warn!(target: "toolbox::otel", %error, "not all spans and metrics were written");
            }
        }
    }
}

/// Makes the spans of calls children of what their callers name.
struct Link;

impl TraceLink for Link {
    fn link(&self, span: &Span, parent: Option<&TraceParent>) -> Option<String> {
        if let Some(remote) = parent.and_then(remote) {
            // Nobody has entered the span yet, which is all that could be in the way.
            let _ = span.set_parent(Context::new().with_remote_span_context(remote));
        }
        let context = span.context();
        let own = context.span().span_context().clone();
        own.is_valid().then(|| own.trace_id().to_string())
    }
}

fn remote(parent: &TraceParent) -> Option<SpanContext> {
    let trace = TraceId::from_hex(parent.trace_id()).ok()?;
    let span = SpanId::from_hex(parent.span_id()).ok()?;
    let flags = if parent.is_sampled() { TraceFlags::SAMPLED } else { TraceFlags::default() };
    Some(SpanContext::new(trace, span, flags, true, TraceState::default()))
}

/// What is measured, by name.
struct Instruments(HashMap<&'static str, Instrument>);

enum Instrument {
    Histogram(Histogram<f64>),
    Counter(Counter<f64>),
    UpDown(UpDownCounter<f64>),
}

impl Instruments {
    fn new(provider: &SdkMeterProvider) -> Instruments {
        let meter = provider.meter("toolbox");
        let make = |metric: &Metric| match metric.kind {
            MetricKind::Histogram => {
                let built = meter.f64_histogram(metric.name).with_unit(metric.unit);
                let built = match metric.unit {
                    "s" => built.with_boundaries(SECONDS.to_vec()),
                    _ => built,
                };
                Instrument::Histogram(built.build())
            }
            MetricKind::Counter => {
                Instrument::Counter(meter.f64_counter(metric.name).with_unit(metric.unit).build())
            }
            MetricKind::UpDown => {
                Instrument::UpDown(meter.f64_up_down_counter(metric.name).with_unit(metric.unit).build())
            }
        };
        Instruments(METRICS.iter().map(|metric| (metric.name, make(metric))).collect())
    }
}

impl Metrics for Instruments {
    fn record(&self, metric: &Metric, value: f64, attributes: &[(&'static str, &str)]) {
        let attributes: Vec<KeyValue> =
            attributes.iter().map(|(name, value)| KeyValue::new(*name, (*value).to_owned())).collect();
        match self.0.get(metric.name) {
            Some(Instrument::Histogram(histogram)) => histogram.record(value, &attributes),
            Some(Instrument::Counter(counter)) => counter.add(value, &attributes),
            Some(Instrument::UpDown(counter)) => counter.add(value, &attributes),
            None => {}
        }
    }
}
