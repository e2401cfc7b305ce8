//! Around a whole call: its span and its audit row, each exactly once, whether it was refused, ended or left.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tracing::{Instrument as _, Span};

use super::audit::{Audit, AuditRow, Ended};
use super::decode::Asked;
use super::facts::{Facts, Known};
use super::metrics::{self, Meter};
use super::redact::KnownSecrets;
use super::trace::UNKNOWN;
use super::traceparent::TraceLink;
use super::who::Who;
use super::{Caller, Executor, trace};
use crate::context::ToolContext;
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// The steps outside of decoding.
pub(super) struct Outside {
    pub(super) trace: bool,
    pub(super) link: Option<Arc<dyn TraceLink>>,
    /// Whether spans have arguments and results.
    pub(super) content: bool,
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
        facts.known().trace_id = self.trace_id(&span, ctx);
        let began = Instant::now();
        let (audit, content) = (self.audit.as_deref(), self.content && !span.is_none());
        let telling = (audit.is_some() || content).then(|| {
            let telling = Telling {
                asked: asked.tool().to_owned(),
                raw: asked.raw_args(),
                ctx: ctx.clone(),
                caller,
                began,
                secrets: self.secrets(executor),
            };
            Arc::new(telling)
        });
        if let (Some(_), Some(telling)) = (audit.filter(|audit| audit.comes_with_outcomes()), &telling) {
            facts.tell_by(telling);
        }
        let (meter, facts_of) = (&self.meter, Arc::clone(&facts));
        let span_of = span.clone();
        let mut open =
            Open { audit, meter, span: span_of, content, telling, facts: facts_of, ctx, began, ended: false };
        self.meter.record(metrics::ACTIVE, 1.0, &[]);
        let result = executor.inside(asked, ctx, caller, Some(facts)).instrument(span).await;
        open.end(Some(&result));
        result
    }

    /// What neither rows nor spans may hold.
    fn secrets(&self, executor: &Executor) -> Arc<KnownSecrets> {
        let audit = self.audit.as_ref().map(|audit| Arc::clone(&audit.settings.secrets));
        let shape = || executor.inner().shape.as_ref().map(|shape| Arc::clone(&shape.secrets));
        audit.or_else(shape).unwrap_or_default()
    }

    /// The trace that a call is part of. One that another call makes has its span within that one's.
    fn trace_id(&self, span: &Span, ctx: &ToolContext) -> Option<String> {
        let parent = ctx.traceparent();
        let linked =
            self.link.as_ref().and_then(|link| link.link(span, parent.filter(|_| ctx.running().is_none())));
        linked.or_else(|| parent.map(|parent| parent.trace_id().to_owned()))
    }
}

/// What an audit row says besides what layers find out.
pub(super) struct Telling {
    asked: String,
    raw: Value,
    ctx: ToolContext,
    caller: Caller,
    began: Instant,
    secrets: Arc<KnownSecrets>,
}

impl fmt::Debug for Telling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telling").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl Telling {
    /// The row of a call that has ended, or was left.
    pub(super) fn row(&self, known: Known, result: Option<&ToolResult>) -> AuditRow {
        let Telling { asked, raw, ctx, caller, began, secrets } = self;
        let secrets = known.secrets.clone().unwrap_or_else(|| Arc::clone(secrets));
        let duration = began.elapsed();
        AuditRow::of(&Ended { asked, raw, ctx, caller: *caller, known, result, duration }, &secrets)
    }
}

/// A call that has not been told of yet. Leaving it counts as its end.
struct Open<'a> {
    audit: Option<&'a Audit>,
    /// What rows and spans tell besides what layers find out, where they tell it.
    telling: Option<Arc<Telling>>,
    /// Whether the span has arguments and result.
    content: bool,
    meter: &'a Meter,
    span: Span,
    facts: Arc<Facts>,
    ctx: &'a ToolContext,
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
        let duration = self.began.elapsed();
        self.meter.record(metrics::ACTIVE, -1.0, &[]);
        let tool = known.tool.as_ref().map_or(UNKNOWN, ToolEntry::name);
        self.meter.ended(tool, Who::of(self.ctx).agent, &known, result, duration);
        let Some(telling) = &self.telling else { return };
        let recorded = known.audited;
        let row = telling.row(known, result);
        if self.content {
            trace::content(&self.span, &row);
        }
        if let Some(audit) = self.audit {
            audit.write(&row, recorded);
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.end(None);
    }
}
