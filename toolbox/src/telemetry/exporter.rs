//! The file of spans and metrics: one export a line, appended whole.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use serde_json::Value;

use super::otlp;

/// The lines of one file.
#[derive(Clone, Debug)]
pub(super) struct Lines(Arc<Mutex<File>>);

impl Lines {
    /// Opens a file to append to it; it is made for its owner alone.
    pub(super) fn open(path: &Path) -> io::Result<Lines> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        Ok(Lines(Arc::new(Mutex::new(file))))
    }

    /// What writes spans.
    pub(super) fn spans(&self) -> Spans {
        Spans { lines: self.clone(), resource: Resource::builder_empty().build() }
    }

    /// What writes metrics.
    pub(super) fn metrics(&self) -> Measurements {
        Measurements(self.clone())
    }

    fn write(&self, line: &Value) -> OTelSdkResult {
        let text = format!("{line}\n");
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(text.as_bytes()).map_err(|error| OTelSdkError::InternalFailure(error.to_string()))
    }
}

/// Writes spans.
#[derive(Debug)]
pub(super) struct Spans {
    lines: Lines,
    resource: Resource,
}

impl SpanExporter for Spans {
    fn export(&self, batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        std::future::ready(self.lines.write(&otlp::spans(&self.resource, &batch)))
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.clone();
    }
}

/// Writes metrics.
#[derive(Debug)]
pub(super) struct Measurements(Lines);

impl PushMetricExporter for Measurements {
    fn export(&self, metrics: &ResourceMetrics) -> impl Future<Output = OTelSdkResult> + Send {
        std::future::ready(self.0.write(&otlp::metrics(metrics)))
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }

    fn temporality(&self) -> Temporality {
        Temporality::Cumulative
    }
}
