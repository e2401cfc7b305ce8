//! The limit step: budgets of runs, token buckets, and places. (calls.md §6)
//!
//! A call takes its tokens before it waits for a place. Within a run reads overlap and a side effect runs alone, in order of
//! arrival; different runs do not wait for each other.

mod bucket;
mod places;
mod repeats;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{RwLock, Semaphore};
use tracing::Instrument as _;

pub use bucket::RateBucket;
use places::{Held, Kept, Place, Queue};
use repeats::Repeats;

use super::facts::Facts;
use super::gate::Admitted;
use super::layer::{Invocation, Layer, Next};
use super::policy::{Limits, Rate};
use super::refuse::refuse;
use super::run;
use super::who::Who;
use crate::canonical;
use crate::clock::{Clock, SystemClock};
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::output::ToolResult;

/// How much a process lets happen at once.
#[derive(Clone)]
pub struct LimitSettings {
    /// Calls of one run.
    pub calls_per_run: u64,
    /// Reads of one agent at once.
    pub reads_per_agent: usize,
    /// Calls at once.
    pub calls_at_once: usize,
    /// Calls that wait.
    pub waiting: usize,
    /// The longest wait.
    pub wait: Duration,
    /// How often in a row one run may make the same side effect with the same arguments; 0 is any number.
    pub repeat_limit: u32,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

impl Default for LimitSettings {
    fn default() -> Self {
        LimitSettings {
            calls_per_run: 2_000,
            reads_per_agent: 16,
            calls_at_once: 64,
            waiting: 256,
            wait: Duration::from_secs(30),
            repeat_limit: 5,
            clock: Arc::new(SystemClock::default()),
        }
    }
}

impl std::fmt::Debug for LimitSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LimitSettings")
            .field("calls_per_run", &self.calls_per_run)
            .field("reads_per_agent", &self.reads_per_agent)
            .field("calls_at_once", &self.calls_at_once)
            .finish_non_exhaustive()
    }
}

/// How long runs and places are remembered that nobody uses.
const IDLE: Duration = Duration::from_secs(3_600);

/// Tenant, agent, tool (empty for all of the agent), and the rate that a bucket is filled at.
type BucketKey = (String, String, String, Rate);

/// The layer.
pub(super) struct Limit {
    settings: LimitSettings,
    buckets: Kept<BucketKey, Arc<RateBucket>>,
    runs: Kept<(String, String), Arc<RunState>>,
    tools: Kept<(String, String, u32), Arc<Semaphore>>,
    readers: Kept<(String, String), Arc<Semaphore>>,
    process: Arc<Semaphore>,
    queue: Queue,
    taking: Arc<Mutex<()>>,
}

/// What is known of one run.
#[derive(Debug, Default)]
struct RunState {
    order: Arc<RwLock<()>>,
    counts: Mutex<(u64, HashMap<String, u64>)>,
    repeats: Repeats,
}

/// What a call was let through with, for each further try.
#[derive(Clone)]
pub(super) struct Tokens {
    buckets: Vec<Arc<RateBucket>>,
    /// Held while tokens are taken: nobody sees one that is given back.
    taking: Arc<Mutex<()>>,
}

impl Tokens {
    /// Takes one token from each bucket, or none at all.
    pub(super) fn take(&self) -> Result<(), ToolError> {
        if self.buckets.is_empty() {
            return Ok(());
        }
        let _alone = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let taken: Vec<_> = self.buckets.iter().map(|bucket| bucket.take()).collect();
        let Some(wait) = taken.iter().filter_map(|taken| taken.err()).max() else { return Ok(()) };
        let full = self.buckets.iter().zip(&taken).filter(|(_, taken)| taken.is_ok());
        full.for_each(|(bucket, _)| bucket.give_back());
        Err(refuse("limit", ToolError::rate_limited("Too many calls.").retry_after(wait)))
    }
}

impl Limit {
    pub(super) fn new(settings: LimitSettings) -> Limit {
        Limit {
            buckets: Kept::new(IDLE * 48),
            runs: Kept::new(IDLE),
            tools: Kept::new(IDLE),
            readers: Kept::new(IDLE),
            process: Arc::new(Semaphore::new(settings.calls_at_once)),
            queue: Queue::default(),
            taking: Arc::default(),
            settings,
        }
    }

    /// Whether a run may make one more call, which is counted if that is what it does.
    fn budget(&self, run: &RunState, tool: &str, limits: &[Limits; 2], count: bool) -> Result<(), ToolError> {
        let mut counts = run.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let of_tool = counts.1.get(tool).copied().unwrap_or(0);
        let [own, agent] = limits;
        let most = agent.max_calls_per_run.unwrap_or(self.settings.calls_per_run);
        if own.max_calls_per_run.is_some_and(|most| of_tool >= most) || counts.0 >= most {
            let text = format!("This run has made all the calls that it may make of {tool}.");
            return Err(ToolError::denied(text).code("call_budget"));
        }
        if count {
            counts.0 += 1;
            counts.1.insert(tool.to_owned(), of_tool + 1);
        }
        Ok(())
    }

    fn tokens(&self, who: Who<'_>, tool: &str, limits: &[Limits; 2], now: Duration) -> Tokens {
        let named = limits.iter().zip([tool, ""]);
        let buckets = named.filter_map(|(limits, tool)| {
            let rate = limits.rate?;
            let key = (who.tenant.to_owned(), who.agent.to_owned(), tool.to_owned(), rate);
            let make = || Arc::new(RateBucket::new(rate, Arc::clone(&self.settings.clock)));
            Some(self.buckets.get(key, now, make))
        });
        Tokens { buckets: buckets.collect(), taking: Arc::clone(&self.taking) }
    }

    /// The places that a call needs, in the one order in which all calls take them.
    fn places(
        &self,
        inv: &Invocation<'_>,
        who: Who<'_>,
        run: Option<&RunState>,
        limits: &[Limits; 2],
        now: Duration,
    ) -> Vec<Place> {
        let parent = inv.ctx.running().and_then(|scope| scope.parent());
        let (tool, reads) = (inv.tool.name(), !inv.tool.def().behavior.side_effect);
        let mut places = Vec::new();
        if let (Some(run), None) = (run, parent) {
            let order = Arc::clone(&run.order);
            places.push(if reads { Place::Shared(order) } else { Place::Alone(order) });
        }
        let above =
            |name: &str| parent.is_some_and(|parent| parent.chain().any(|scope| scope.tool() == name));
        for (limits, name) in limits.iter().zip([tool, ""]) {
            let Some(most) =
                limits.max_concurrent.filter(|_| !above(tool) && (parent.is_none() || !name.is_empty()))
            else {
                continue;
            };
            let key = (who.agent.to_owned(), name.to_owned(), most);
            let many = usize::try_from(most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
            places.push(Place::OneOf(self.tools.get(key, now, || Arc::new(Semaphore::new(many)))));
        }
        // A nested call has the places of the call that it belongs to.
        if parent.is_none() {
            if reads {
                let key = (who.tenant.to_owned(), who.agent.to_owned());
                let many = self.settings.reads_per_agent;
                places.push(Place::OneOf(self.readers.get(key, now, || Arc::new(Semaphore::new(many)))));
            }
            places.push(Place::OneOf(Arc::clone(&self.process)));
        }
        places
    }

    /// What the call needs to run now, and its place among equal calls in a row.
    async fn admit(&self, inv: &mut Invocation<'_>) -> Result<(Held, u32), ToolError> {
        let (who, tool, now) = (Who::of(inv.ctx), inv.tool.name(), self.settings.clock.now());
        let admitted = inv.ext.get::<Admitted>();
        let limits = admitted.map_or_else(Default::default, |admitted| {
            [admitted.tool_limits(inv.tool), admitted.agent_limits()]
        });
        let run = (!who.run.is_empty())
            .then(|| self.runs.get((who.tenant.to_owned(), who.run.to_owned()), now, Arc::default));
        // A tool that calls another one again and again is no model that is stuck.
        let is_root = inv.ctx.running().is_none_or(|scope| scope.parent().is_none());
        let most = if inv.tool.def().behavior.side_effect { self.settings.repeat_limit } else { 0 };
        let again = run.as_ref().filter(|_| is_root).map(|run| (run, canonical::sha256(&inv.args)));
        if let Some((run, digest)) = &again {
            run.repeats.check(tool, digest, most)?;
        }
        if let Some(run) = &run {
            self.budget(run, tool, &limits, false)?;
        }
        let tokens = self.tokens(who, tool, &limits, now);
        tokens.take()?;
        let places = self.places(inv, who, run.as_deref(), &limits, now);
        let held = self.wait(inv, places).await?;
        // What was refused does not count; who waited is judged by what others have done meanwhile.
        if let Some((run, digest)) = &again {
            run.repeats.check(tool, digest, most)?;
        }
        if let Some(run) = &run {
            self.budget(run, tool, &limits, true)?;
        }
        let nth = again.map_or(1, |(run, digest)| run.repeats.count(tool, digest));
        inv.ext.insert(tokens);
        Ok((held, nth))
    }

    async fn wait(&self, inv: &Invocation<'_>, places: Vec<Place>) -> Result<Held, ToolError> {
        let mut held = Held::default();
        let mut places = places.into_iter().skip_while(|place| held.try_take(place));
        // What could be taken at once is held; the first that could not is waited for, and so on.
        let rest: Vec<Place> = places.by_ref().collect();
        drop(places);
        if rest.is_empty() {
            return Ok(held);
        }
        let full = || ToolError::rate_limited("Too many calls are waiting.").code("queue_full");
        let _waiting = self.queue.join(self.settings.waiting).ok_or_else(full)?;
        let (began, began_by_limits) = (Instant::now(), inv.ctx.now());
        let longest = inv.ctx.time_left().map_or(self.settings.wait, |left| left.min(self.settings.wait));
        let take_all = async {
            for place in rest {
                held.take(place).await;
            }
        };
        let span = tracing::debug_span!(target: "toolbox::call", "toolbox.queue");
        let in_time = tokio::select! {
            biased;
            () = inv.ctx.cancelled() => return Err(run::cancelled(inv.tool.def())),
            taken = tokio::time::timeout(longest, take_all).instrument(span) => taken.is_ok(),
        };
        let waited = began.elapsed();
        inv.ctx.waited(inv.ctx.now().saturating_duration_since(began_by_limits));
        if let Some(facts) = inv.ext.get::<Arc<Facts>>() {
            facts.known().queued += waited;
        }
        if in_time {
            return Ok(held);
        }
        Err(ToolError::rate_limited("No place became free in time.").code("queue_timeout"))
    }
}

impl Layer for Limit {
    fn call<'a>(&'a self, mut inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            if inv.ext.get::<super::identify::WillReplay>().is_some() {
                return next.run(inv).await;
            }
            let (held, nth) = self.admit(&mut inv).await.map_err(|error| refuse("limit", error))?;
            let result = next.run(inv).await;
            drop(held);
            repeats::told(result, nth)
        })
    }
}
