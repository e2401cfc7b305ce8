//! Measurements of calls, named as OpenTelemetry's conventions for generative AI name them. (calls.md §14)
//!
//! One table says what is measured; who keeps it is the host's business ([`Metrics`]). Attributes are names of tools, agents,
//! layers, kinds and codes: never ids, keys, arguments, paths or hosts.

use std::sync::Arc;
use std::time::Duration;

use super::audit::is_replayed;
use super::facts::Known;
use crate::output::ToolResult;

/// The conventions that spans and measurements follow.
pub const TELEMETRY_CONVENTIONS: &str = "open-telemetry/semantic-conventions-genai (status: development)";

/// How the values of a measurement are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Each value counts by itself.
    Histogram,
    /// Values are added up.
    Counter,
    /// Values are added up and may be negative.
    UpDown,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// Its unit, in the notation of UCUM.
    pub unit: &'static str,
    /// How values are put together.
    pub kind: MetricKind,
}

macro_rules! metrics {
    ($($constant:ident $name:literal $unit:literal $kind:ident,)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: Metric = Metric { name: $name, unit: $unit, kind: MetricKind::$kind };
        )*

        /// Everything that is measured.
        pub const METRICS: &[Metric] = &[$($constant,)*];
    };
}

metrics! {
    DURATION "gen_ai.execute_tool.duration" "s" Histogram,
    ACTIVE "toolbox.call.active" "{call}" UpDown,
    REFUSALS "toolbox.call.refusals" "{call}" Counter,
    RETRIES "toolbox.call.retries" "{retry}" Counter,
    QUEUE_DURATION "toolbox.call.queue.duration" "s" Histogram,
    APPROVAL_DURATION "toolbox.approval.duration" "s" Histogram,
    APPROVAL_DECISIONS "toolbox.approval.decisions" "{decision}" Counter,
    RESULT_SIZE "toolbox.result.size" "By" Histogram,
    RESULT_PARKED "toolbox.result.parked" "{result}" Counter,
    RUN_ABANDONED "toolbox.run.abandoned" "{thread}" Counter,
    AUDIT_LOST "toolbox.audit.lost" "{row}" Counter,
    JOURNAL_COMMIT_DURATION "toolbox.journal.commit.duration" "s" Histogram,
    JOURNAL_BATCH_SIZE "toolbox.journal.batch.size" "{operation}" Histogram,
    JOURNAL_IN_DOUBT "toolbox.journal.in_doubt" "{call}" Counter,
}

/// Keeps measurements.
pub trait Metrics: Send + Sync {
    /// One value. It must not block.
    fn record(&self, metric: &Metric, value: f64, attributes: &[(&'static str, &str)]);
}

/// Measurements for nobody, or for the host's.
#[derive(Clone, Default)]
pub(super) struct Meter(pub(super) Option<Arc<dyn Metrics>>);

impl Meter {
    pub(super) fn record(&self, metric: Metric, value: f64, attributes: &[(&'static str, &str)]) {
        if let Some(metrics) = &self.0 {
            metrics.record(&metric, value, attributes);
        }
    }

    /// What a call came to.
    pub(super) fn ended(
        &self,
        tool: &str,
        agent: &str,
        known: &Known,
        result: Option<&ToolResult>,
        duration: Duration,
    ) {
        if self.0.is_none() {
            return;
        }
        let error = match result {
            Some(Ok(_)) => None,
            Some(Err(error)) => Some(error.code_str()),
            None => Some("cancelled"),
        };
        let of =
            [("gen_ai.tool.name", tool), ("gen_ai.agent.name", agent), ("error.type", error.unwrap_or(""))];
        let (named, whole) = (of.get(..2).unwrap_or_default(), if error.is_some() { 3 } else { 2 });
        self.record(DURATION, duration.as_secs_f64(), of.get(..whole).unwrap_or_default());
        let layer = match result {
            Some(Err(error)) => error.details().get("layer").and_then(|layer| layer.as_str()),
            _ => None,
        };
        if let (Some(layer), Some(code)) = (layer, error) {
            self.record(REFUSALS, 1.0, &[("toolbox.layer", layer), ("error.type", code)]);
        }
        if known.tries > 1 {
            self.record(RETRIES, f64::from(known.tries - 1), named);
        }
        if known.queued > Duration::ZERO {
            self.record(QUEUE_DURATION, known.queued.as_secs_f64(), named);
        }
        for (thought, decision) in &known.approvals {
            self.record(APPROVAL_DURATION, thought.as_secs_f64(), named);
            self.record(APPROVAL_DECISIONS, 1.0, &[("toolbox.decision", decision)]);
        }
        if let (Some(Ok(output)), false) = (result, is_replayed(result)) {
            let bytes = output.data().to_string().len();
            self.record(RESULT_SIZE, f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)), named);
        }
        if known.parked {
            self.record(RESULT_PARKED, 1.0, named);
        }
        if known.in_doubt {
            self.record(JOURNAL_IN_DOUBT, 1.0, named);
        }
    }
}
