//! What a program sets up around its calls: who hears of their spans, who measures them, and what is done at the end.

use std::sync::Arc;

use tool_core::Metrics;
use tracing_subscriber::{Layer, Registry};

use crate::cli::Cli;
use crate::settings::Settings;

/// What hears of spans and events beside the log.
pub type LogLayer = Box<dyn Layer<Registry> + Send + Sync + 'static>;

/// Makes what hears of spans and events beside the log.
pub(crate) type Subscribe = dyn Fn(&Settings) -> Option<LogLayer> + Send + Sync;

/// Makes who measures calls.
pub(crate) type Measure = dyn Fn(&Settings) -> Option<Arc<dyn Metrics>> + Send + Sync;

/// What is done when everything is over.
pub(crate) type End = dyn Fn() + Send + Sync;

impl Cli {
    /// Adds a layer that hears of spans and events beside the log, with a filter of its own. It is asked for once the settings are
    /// read, where a process starts its log.
    #[must_use]
    pub fn subscriber<F>(mut self, layer: F) -> Cli
    where
        F: Fn(&Settings) -> Option<LogLayer> + Send + Sync + 'static,
    {
        self.subscriber = Some(Arc::new(layer));
        self
    }

    /// Measures calls, and the commits of their journal.
    #[must_use]
    pub fn metrics<F>(mut self, metrics: F) -> Cli
    where
        F: Fn(&Settings) -> Option<Arc<dyn Metrics>> + Send + Sync + 'static,
    {
        self.metrics = Some(Arc::new(metrics));
        self
    }

    /// Says what is done when everything is over, before the process ends.
    #[must_use]
    pub fn ended<F: Fn() + Send + Sync + 'static>(mut self, end: F) -> Cli {
        self.ended = Some(Box::new(end));
        self
    }
}
