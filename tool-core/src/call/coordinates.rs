//! Run coordinates: which task of which run a call belongs to, and which attempt at it. (journal.md §3)

use std::sync::Arc;

use crate::context::ToolContext;
use crate::journal::{Ordinals, Row, Task};

/// Where a context stands in a run.
///
/// ```
/// use tool_core::{Coordinates, ToolContext};
/// let ctx = ToolContext::empty().for_run(Coordinates::new("run-1").node("pay").attempt(2));
/// assert_eq!((ctx.run_id(), ctx.node_id(), ctx.attempt()), ("run-1", "pay", 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinates {
    /// Whose run it is.
    pub tenant: String,
    /// The run; empty for none.
    pub run_id: String,
    /// The node of the run.
    pub node_id: String,
    /// Which time the node is run for.
    pub iteration: u64,
    /// Which try at that this is, from 1. Starting over is a new attempt; using a number again continues it.
    pub attempt: u32,
    /// Whether tools see the one key per task that older systems have stored.
    pub legacy_keys: bool,
}

impl Default for Coordinates {
    fn default() -> Self {
        Self {
            tenant: String::new(),
            run_id: String::new(),
            node_id: String::new(),
            iteration: 0,
            attempt: 1,
            legacy_keys: false,
        }
    }
}

impl Coordinates {
    /// The first attempt at a run without nodes.
    pub fn new(run_id: impl Into<String>) -> Coordinates {
        Coordinates { run_id: run_id.into(), ..Coordinates::default() }
    }

    /// Whose run it is.
    #[must_use]
    pub fn tenant(self, tenant: impl Into<String>) -> Self {
        Self { tenant: tenant.into(), ..self }
    }

    /// The node of the run.
    #[must_use]
    pub fn node(self, node_id: impl Into<String>) -> Self {
        Self { node_id: node_id.into(), ..self }
    }

    /// Which time the node is run for.
    #[must_use]
    pub fn iteration(self, iteration: u64) -> Self {
        Self { iteration, ..self }
    }

    /// Which try this is.
    #[must_use]
    pub fn attempt(self, attempt: u32) -> Self {
        Self { attempt, ..self }
    }

    /// Where a recorded call stood.
    pub fn of(row: &Row) -> Coordinates {
        Coordinates {
            tenant: row.tenant.clone(),
            run_id: row.run_id.clone(),
            node_id: row.node_id.clone(),
            iteration: row.iteration,
            attempt: row.attempt,
            legacy_keys: row.key_form == crate::journal::KeyForm::Legacy,
        }
    }

    /// The task.
    pub fn task(&self) -> Task {
        Task {
            tenant: self.tenant.clone(),
            run_id: self.run_id.clone(),
            node_id: self.node_id.clone(),
            iteration: self.iteration,
        }
    }
}

/// One attempt at a task, shared by its calls.
#[derive(Debug, Default)]
pub(crate) struct RunScope {
    pub(crate) at: Coordinates,
    pub(crate) ordinals: Ordinals,
    /// A recorded call that is run again under its own keys.
    pub(crate) recovers: Option<Box<Row>>,
}

impl RunScope {
    pub(crate) fn new(at: Coordinates, recovers: Option<Box<Row>>) -> Arc<RunScope> {
        Arc::new(RunScope { at, recovers, ..RunScope::default() })
    }
}

/// The coordinates of a context without a run.
static NOWHERE: std::sync::LazyLock<Coordinates> = std::sync::LazyLock::new(Coordinates::default);

impl ToolContext {
    /// The same context at a place of a run.
    #[must_use]
    pub fn for_run(&self, at: Coordinates) -> ToolContext {
        self.with_run(RunScope::new(at, None))
    }

    /// The same context, in which a recorded call is run again: it keeps its keys.
    #[must_use]
    pub fn for_recovery(&self, row: &Row) -> ToolContext {
        self.with_run(RunScope::new(Coordinates::of(row), Some(Box::new(row.clone()))))
    }

    /// Where this context stands in a run.
    pub fn coordinates(&self) -> &Coordinates {
        self.run().map_or(&NOWHERE, |run| &run.at)
    }

    /// The node of the run.
    pub fn node_id(&self) -> &str {
        &self.coordinates().node_id
    }

    /// Which time the node is run for.
    pub fn iteration(&self) -> u64 {
        self.coordinates().iteration
    }

    /// Which try this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.coordinates().attempt
    }
}
