//! Around a whole call: its span and its audit row, each exactly once, whether it was refused, ended or left.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tracing::{Instrument as _, Span};

use super::audit::{Audit, AuditRow, Ended};
use super::decode::Asked;
use super::facts::Facts;
use super::metrics::{self, Meter};
use super::trace::UNKNOWN;
use super::who::Who;
use super::{Caller, Executor, trace};
use crate::context::ToolContext;
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// The steps outside of decoding.
pub(super) struct Outside {
    pub(super) trace: bool,
    pub(super) audit: Option<Arc<Audit>>,
    pub(super) meter: Meter,
}

impl Outside {
    pub(super) async fn around(
        &self,
        executor: &Executor,
        mut asked: Asked<'_>,
        ctx: &ToolContext,
        caller: Caller,
    ) -> ToolResult {
        let facts = Arc::new(Facts::default());
        let call_id = asked.give_call_id();
        let known = executor.registry().get(asked.tool()).map(|tool| tool.name().to_owned());
        let span = match self.trace {
            true => trace::span(known.as_deref(), &call_id, ctx, caller),
            false => Span::none(),
        };
        facts.known().call_id = Some(call_id);
        let mut open = Open {
            audit: self.audit.as_deref(),
            meter: &self.meter,
            span: span.clone(),
            facts: Arc::clone(&facts),
            tool: asked.tool().to_owned(),
            raw: if self.audit.is_some() { asked.raw_args() } else { Value::Null },
            ctx,
            caller,
            began: Instant::now(),
            ended: false,
        };
        self.meter.record(metrics::ACTIVE, 1.0, &[]);
        let result = executor.inside(asked, ctx, caller, Some(facts)).instrument(span).await;
        open.end(Some(&result));
        result
    }
}

/// A call that has not been told of yet. Leaving it counts as its end.
struct Open<'a> {
    audit: Option<&'a Audit>,
    meter: &'a Meter,
    span: Span,
    facts: Arc<Facts>,
    tool: String,
    raw: Value,
    ctx: &'a ToolContext,
    caller: Caller,
    began: Instant,
    ended: bool,
}

impl Open<'_> {
    fn end(&mut self, result: Option<&ToolResult>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let known = self.facts.known().clone();
        trace::end(&self.span, &known, result);
        let duration: Duration = self.began.elapsed();
        self.meter.record(metrics::ACTIVE, -1.0, &[]);
        let tool = known.tool.as_ref().map_or(UNKNOWN, ToolEntry::name);
        self.meter.ended(tool, Who::of(self.ctx).agent, &known, result, duration);
        let Some(audit) = self.audit else { return };
        let secrets = known.secrets.clone().unwrap_or_else(|| Arc::clone(&audit.settings.secrets));
        let ended = Ended {
            asked: &self.tool,
            raw: &self.raw,
            ctx: self.ctx,
            caller: self.caller,
            known,
            result,
            duration,
        };
        audit.write(&AuditRow::of(&ended, &secrets));
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.end(None);
    }
}
