//! What a run is made of.

use std::sync::Arc;

use tool_core::dialect::PlanOptions;
use tool_core::{Executor, Snapshot};

use super::limits::{LoopLimits, OnText};
use crate::model::Model;

/// A model and the tools it may use.
///
/// ```
/// use serde_json::json;
/// use tool_agent::{Outcome, ScriptedModel, Step, ToolLoop};
/// use tool_core::prelude::*;
/// use tool_core::{Executor, Registry};
/// use tool_core::dialect::DialectId;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(/** One. */ a: i64, /** The other. */ b: i64) -> i64 {
///     a + b
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let executor = Executor::standard(Registry::builder().add::<AddTool>().build()?).build()?;
/// let model = ScriptedModel::new(
///     DialectId::Anthropic,
///     [Step::call("add", json!({"a": 2, "b": 3})), Step::text("It is 5.")],
/// );
/// let run = ToolLoop::new(model, executor).run("What is 2 + 3?", &ToolContext::empty()).await;
/// assert!(matches!(run.outcome, Outcome::Text(text) if text == "It is 5."));
/// assert_eq!(run.turns[0].calls[0].result.as_ref().unwrap().data(), json!(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[must_use]
pub struct ToolLoop {
    pub(super) model: Box<dyn Model>,
    pub(super) executor: Executor,
    pub(super) system: Option<String>,
    pub(super) limits: LoopLimits,
    pub(super) on_text: OnText,
    pub(super) options: PlanOptions,
    pub(super) snapshot: Option<Arc<Snapshot>>,
}

impl ToolLoop {
    /// A loop with the default limits over every tool that is made for models.
    pub fn new(model: impl Model + 'static, executor: Executor) -> Self {
        Self {
            model: Box::new(model),
            executor,
            system: None,
            limits: LoopLimits::default(),
            on_text: OnText::default(),
            options: PlanOptions::default(),
            snapshot: None,
        }
    }

    /// What the model is told before everything else.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Where the run ends at the latest.
    pub fn limits(mut self, limits: LoopLimits) -> Self {
        self.limits = limits;
        self
    }

    /// What a reply without a call means.
    pub fn on_text(mut self, on_text: OnText) -> Self {
        self.on_text = on_text;
        self
    }

    /// How the tools of each request are planned.
    pub fn plan_options(mut self, options: PlanOptions) -> Self {
        self.options = options;
        self
    }

    /// Offers what the caller of this snapshot may see, and nothing else.
    pub fn snapshot(mut self, snapshot: Arc<Snapshot>) -> Self {
        self.snapshot = Some(snapshot);
        self
    }
}

impl std::fmt::Debug for ToolLoop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolLoop")
            .field("dialect", &self.model.dialect())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
