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
        let began = Instant::now();
        let audit = self.audit.as_deref().map(|audit| {
            let telling = Telling {
                asked: asked.tool().to_owned(),
                raw: asked.raw_args(),
                ctx: ctx.clone(),
                caller,
                began,
                secrets: Arc::clone(&audit.settings.secrets),
            };
            (audit, Arc::new(telling))
        });
        if let Some((_, telling)) = audit.as_ref().filter(|(audit, _)| audit.comes_with_outcomes()) {
            facts.tell_by(telling);
        }
        let (meter, facts_of) = (&self.meter, Arc::clone(&facts));
        let mut open = Open { audit, meter, span: span.clone(), facts: facts_of, ctx, began, ended: false };
        self.meter.record(metrics::ACTIVE, 1.0, &[]);
        let result = executor.inside(asked, ctx, caller, Some(facts)).instrument(span).await;
        open.end(Some(&result));
        result
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
    audit: Option<(&'a Audit, Arc<Telling>)>,
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
        let Some((audit, telling)) = &self.audit else { return };
        let recorded = known.audited;
        audit.write(&telling.row(known, result), recorded);
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.end(None);
    }
}
