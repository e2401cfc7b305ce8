//! A call that has ended, with what was seen of it: what a test asserts about, and what a failed assertion shows.

use std::fmt;
use std::ops::Deref;

use serde::de::DeserializeOwned;

use super::watch::Event;
use crate::args::Coercion;
use crate::call::AuditRow;
use crate::error::ToolError;
use crate::output::ToolOutput;

/// How a call of a kit ended: what it gave back or why it failed, each with what was seen of the call.
///
/// `unwrap` and `unwrap_err` show all of it: the tool, its arguments with every secret hidden, kind, code, each issue, and
/// the trace.
pub type CallResult = Result<Called<ToolOutput>, Called<ToolError>>;

/// The outcome of a call, which it dereferences to, and what was seen of the call.
pub struct Called<T> {
    outcome: T,
    trace: Box<Trace>,
}

/// What was seen of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    pub(super) tool: String,
    /// The arguments as text, without secrets.
    pub(super) args: String,
    pub(super) layers: Vec<&'static str>,
    pub(super) events: Vec<Event>,
    pub(super) row: Option<AuditRow>,
}

impl<T> Called<T> {
    pub(super) fn new(outcome: T, trace: Box<Trace>) -> Called<T> {
        Called { outcome, trace }
    }

    /// The outcome alone.
    pub fn into_inner(self) -> T {
        self.outcome
    }

    /// The steps that the call could go through, outermost first.
    pub fn layers(&self) -> &[&'static str] {
        &self.trace.layers
    }

    /// What happened during the call: progress, output and elements of its list as they came,
    /// questions with their answers; in order.
    pub fn events(&self) -> &[Event] {
        &self.trace.events
    }

    /// The reports of progress among the [events](Self::events), each as work done and all work.
    pub fn progress(&self) -> Vec<(f64, Option<f64>)> {
        let report = |event: &Event| match event {
            Event::Progress { done, total, .. } => Some((*done, *total)),
            _ => None,
        };
        self.trace.events.iter().filter_map(report).collect()
    }

    /// The row that is written about the call; none of a bare one.
    pub fn audit(&self) -> Option<&AuditRow> {
        self.trace.row.as_ref()
    }

    fn about(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.trace.tool, self.trace.args)
    }

    fn seen(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n  layers: {}", self.trace.layers.join(" ▸ "))?;
        if let Some(row) = &self.trace.row {
            write!(f, "\n  audited: {}, {} tries, decision {}", row.outcome, row.tries, row.decision)?;
        }
        self.trace.events.iter().try_for_each(|event| write!(f, "\n  {event}"))
    }
}

impl Called<ToolOutput> {
    /// The arguments that were not taken as they came.
    pub fn notes(&self) -> Vec<Coercion> {
        let notes = self.outcome.meta.get("coerced").cloned().unwrap_or_default();
        serde_json::from_value(notes).unwrap_or_default()
    }

    /// The data as a type, read as it stands: nothing is coerced.
    ///
    /// # Errors
    /// `failed`, code `unexpected_data`: what does not fit, and the call.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        serde_json::from_value(self.outcome.data()).map_err(|error| {
            let name = std::any::type_name::<T>();
            ToolError::failed(format!("The result is no {name}: {error}\nof {self:?}"))
                .code("unexpected_data")
        })
    }
}

impl<T> Deref for Called<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.outcome
    }
}

impl fmt::Debug for Called<ToolOutput> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.about(f)?;
        write!(f, "\n  ok: {}", self.outcome.data())?;
        if !self.outcome.meta.is_empty() {
            write!(f, "\n  meta: {}", serde_json::json!(self.outcome.meta))?;
        }
        self.seen(f)
    }
}

impl fmt::Debug for Called<ToolError> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.about(f)?;
        write!(f, "\n  {}", self.outcome.kind().as_str())?;
        if self.outcome.code_str() != self.outcome.kind().as_str() {
            write!(f, "/{}", self.outcome.code_str())?;
        }
        write!(f, ": {}", self.outcome.to_string().replace('\n', "\n    "))?;
        if !self.outcome.details().is_empty() {
            write!(f, "\n  details: {}", serde_json::json!(self.outcome.details()))?;
        }
        self.seen(f)
    }
}

impl fmt::Display for Called<ToolError> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for Called<ToolError> {}

impl From<Called<ToolError>> for ToolError {
    fn from(called: Called<ToolError>) -> ToolError {
        called.outcome
    }
}
