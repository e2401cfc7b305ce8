//! OTLP as JSON: the forms of spans and metrics. (opentelemetry.io, OTLP specification 1.9, "JSON Protobuf Encoding")

use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry::trace::{SpanId, SpanKind, Status};
use opentelemetry::{Array, KeyValue, Value as Attribute};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, Metric, MetricData, ResourceMetrics};
use opentelemetry_sdk::trace::SpanData;
use serde_json::{Value, json};

/// The traces of one export.
pub(super) fn spans(of: &Resource, batch: &[SpanData]) -> Value {
    let spans: Vec<Value> = batch.iter().map(span).collect();
    let scope = batch.first().map_or("", |span| span.instrumentation_scope.name());
    json!({"resourceSpans": [{
        "resource": resource(of),
        "scopeSpans": [{"scope": {"name": scope}, "spans": spans}],
    }]})
}

fn span(span: &SpanData) -> Value {
    let mut told = json!({
        "traceId": span.span_context.trace_id().to_string(),
        "spanId": span.span_context.span_id().to_string(),
        "flags": span.span_context.trace_flags().to_u8(),
        "name": span.name,
        "kind": kind(&span.span_kind),
        "startTimeUnixNano": nanos(span.start_time),
        "endTimeUnixNano": nanos(span.end_time),
        "attributes": attributes(span.attributes.iter()),
        "status": status(&span.status),
    });
    if let (Some(members), true) = (told.as_object_mut(), span.parent_span_id != SpanId::INVALID) {
        members.insert("parentSpanId".to_owned(), json!(span.parent_span_id.to_string()));
    }
    told
}

/// The number of a kind.
fn kind(kind: &SpanKind) -> u8 {
    match kind {
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
        SpanKind::Producer => 4,
        SpanKind::Consumer => 5,
    }
}

fn status(status: &Status) -> Value {
    match status {
        Status::Unset => json!({}),
        Status::Ok => json!({"code": 1}),
        Status::Error { description } => json!({"code": 2, "message": description}),
    }
}

/// The metrics of one export.
pub(super) fn metrics(metrics: &ResourceMetrics) -> Value {
    let scopes = metrics.scope_metrics().map(|scope| {
        let metrics: Vec<Value> = scope.metrics().filter_map(metric).collect();
        json!({"scope": {"name": scope.scope().name()}, "metrics": metrics})
    });
    let scopes: Vec<Value> = scopes.collect();
    json!({"resourceMetrics": [{"resource": resource(metrics.resource()), "scopeMetrics": scopes}]})
}

/// A metric; every instrument of this program has values of `f64`, and is a histogram or a sum.
fn metric(metric: &Metric) -> Option<Value> {
    let mut told = json!({"name": metric.name(), "unit": metric.unit()});
    let (form, data) = match metric.data() {
        AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
            let times = (nanos(histogram.start_time()), nanos(histogram.time()));
            let points = histogram.data_points().map(|point| {
                json!({
                    "startTimeUnixNano": times.0,
                    "timeUnixNano": times.1,
                    "attributes": attributes(point.attributes()),
                    "count": point.count().to_string(),
                    "sum": point.sum(),
                    "bucketCounts": point.bucket_counts().map(|count| count.to_string()).collect::<Vec<_>>(),
                    "explicitBounds": point.bounds().collect::<Vec<_>>(),
                    "min": point.min(),
                    "max": point.max(),
                })
            });
            let points: Vec<Value> = points.collect();
            let temporality = temporality(histogram.temporality());
            ("histogram", json!({"dataPoints": points, "aggregationTemporality": temporality}))
        }
        AggregatedMetrics::F64(MetricData::Sum(sum)) => {
            let times = (nanos(sum.start_time()), nanos(sum.time()));
            let points = sum.data_points().map(|point| {
                json!({
                    "startTimeUnixNano": times.0,
                    "timeUnixNano": times.1,
                    "attributes": attributes(point.attributes()),
                    "asDouble": point.value(),
                })
            });
            let points: Vec<Value> = points.collect();
            let temporality = temporality(sum.temporality());
            let monotonic = sum.is_monotonic();
            (
                "sum",
                json!({"dataPoints": points, "aggregationTemporality": temporality, "isMonotonic": monotonic}),
            )
        }
        _ => return None,
    };
    told.as_object_mut()?.insert(form.to_owned(), data);
    Some(told)
}

/// The number of a temporality.
fn temporality(temporality: Temporality) -> u8 {
    if temporality == Temporality::Delta { 1 } else { 2 }
}

fn resource(resource: &Resource) -> Value {
    let attributes: Vec<Value> =
        resource.iter().map(|(key, value)| json!({"key": key.as_str(), "value": any(value)})).collect();
    json!({"attributes": attributes})
}

fn attributes<'a>(pairs: impl Iterator<Item = &'a KeyValue>) -> Vec<Value> {
    pairs.map(|pair| json!({"key": pair.key.as_str(), "value": any(&pair.value)})).collect()
}

/// A value; whole numbers are texts, as 64 bits are in JSON.
fn any(value: &Attribute) -> Value {
    match value {
        Attribute::Bool(flag) => json!({"boolValue": flag}),
        Attribute::I64(number) => json!({"intValue": number.to_string()}),
        Attribute::F64(number) => json!({"doubleValue": number}),
        Attribute::String(text) => json!({"stringValue": text.as_str()}),
        Attribute::Array(array) => json!({"arrayValue": {"values": values(array)}}),
        _ => json!({}),
    }
}

fn values(array: &Array) -> Vec<Value> {
    match array {
        Array::Bool(flags) => flags.iter().map(|flag| json!({"boolValue": flag})).collect(),
        Array::I64(numbers) => numbers.iter().map(|number| json!({"intValue": number.to_string()})).collect(),
        Array::F64(numbers) => numbers.iter().map(|number| json!({"doubleValue": number})).collect(),
        Array::String(texts) => texts.iter().map(|text| json!({"stringValue": text.as_str()})).collect(),
        _ => Vec::new(),
    }
}

/// Nanoseconds since 1970, as a text.
fn nanos(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}
