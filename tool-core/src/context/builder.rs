//! What a host provides to its tools, collected before the first call.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::{CLIENT_CHARACTERS, Host, ToolContext};
use crate::access::AccessSink;
use crate::ask::Asker;
use crate::call::gate::Snapshot;
use crate::call::{Approver, Coordinates, RunScope, TraceParent};
use crate::clock::Clock;
use crate::items::ItemSink;
use crate::live::LiveSink;
use crate::progress::ProgressSink;
use crate::secret::SecretSource;

/// Collects what a host provides to its tools.
#[must_use]
pub struct ContextBuilder {
    pub(super) host: Host,
    pub(super) run: Option<Arc<RunScope>>,
}

impl ContextBuilder {
    /// Provides a value, for `#[ctx] db: &Db`.
    pub fn provide<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.provide_arc(Arc::new(value))
    }

    /// Provides a shared value, also behind a trait: `provide_arc::<dyn Db>(arc)`.
    pub fn provide_arc<T: ?Sized + Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        Arc::make_mut(&mut self.host.capabilities).insert(value);
        self
    }

    /// Provides a value that is made for each call that asks, bound to its deadline, cancellation and effects.
    pub fn provide_with<T: ?Sized + Send + Sync + 'static>(
        mut self,
        make: impl Fn(&ToolContext) -> Arc<T> + Send + Sync + 'static,
    ) -> Self {
        Arc::make_mut(&mut self.host.capabilities).insert_with(make);
        self
    }

    /// Provides a type unless it is provided already, for a host that fills up what somebody else began.
    ///
    /// ```
    /// use tool_core::{Clock, SystemClock, ToolContext};
    ///
    /// let begun = ToolContext::builder();
    /// let ctx = begun.unless_provided::<dyn Clock>(|ctx| ctx.clock(SystemClock::default())).build();
    /// assert!(ctx.capability::<dyn Clock>().is_some());
    /// ```
    pub fn unless_provided<T: ?Sized + 'static>(self, provide: impl FnOnce(Self) -> Self) -> Self {
        if self.host.capabilities.contains(TypeId::of::<T>()) { self } else { provide(self) }
    }

    /// The clock that capabilities keep time by.
    pub(crate) fn keeps_time(mut self, clock: Arc<dyn Clock>) -> Self {
        self.host.clock = Some(clock);
        self
    }

    /// The clock that was provided, for what goes on beyond single calls.
    pub fn provided_clock(&self) -> Option<Arc<dyn Clock>> {
        self.host.clock.clone()
    }

    /// The clock of a test that the time limits of calls go by.
    #[cfg(feature = "test")]
    pub(crate) fn paced(mut self, clock: crate::test::FakeClock) -> Self {
        self.host.pace = Some(clock);
        self
    }

    /// Where declared secrets come from.
    pub fn secrets(mut self, source: impl SecretSource + 'static) -> Self {
        self.host.secrets = Arc::new(source);
        self
    }

    /// Who hears of progress.
    pub fn progress(mut self, sink: impl ProgressSink + 'static) -> Self {
        self.host.progress = Some(Arc::new(sink));
        self
    }

    /// Who watches output as it comes.
    pub fn live(mut self, sink: impl LiveSink + 'static) -> Self {
        self.host.live = Some(Arc::new(sink));
        self
    }

    /// Who watches the elements of lists as they come ([`ToolContext::items`]).
    pub fn items(mut self, sink: impl ItemSink + 'static) -> Self {
        self.host.items = Some(Arc::new(sink));
        self
    }

    /// Who hears of what calls do through their capabilities.
    pub fn accesses(mut self, sink: impl AccessSink + 'static) -> Self {
        self.host.accesses = Some(Arc::new(sink));
        self
    }

    /// Who is asked before a tool that needs approval runs; without it such a tool does not run.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.host.approver = Some(Arc::new(approver));
        self
    }

    /// The trace that the caller is in, as it names it; a text that is none is ignored.
    pub fn traceparent(mut self, text: &str) -> Self {
        self.host.traceparent = TraceParent::parse(text).map(Arc::new);
        self
    }

    /// Asks those whom another context asks.
    pub fn asked_as(mut self, other: &ToolContext) -> Self {
        self.host.approver.clone_from(&other.host.approver);
        self.host.asker.clone_from(&other.host.asker);
        self
    }

    /// Who answers the questions of a running call; without it they are refused.
    pub fn asker(mut self, asker: impl Asker + 'static) -> Self {
        self.host.asker = Some(Arc::new(asker));
        self
    }

    /// The agent whose calls these are; the person at the command line is `operator`.
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.host.agent = Some(agent.into().into());
        self
    }

    /// The program on the other side of a protocol, name and version, as it calls itself: rows of the journal name it. Of what it
    /// says [`CLIENT_CHARACTERS`] characters are kept, and none that controls a terminal.
    ///
    /// ```
    /// let ctx = tool_core::ToolContext::builder().client("editor\u{1b} 2.1").build();
    /// assert_eq!(ctx.client(), Some("editor 2.1"));
    /// ```
    pub fn client(mut self, client: &str) -> Self {
        let said: String = client.chars().filter(|c| !c.is_control()).take(CLIENT_CHARACTERS).collect();
        self.host.client = Some(said.trim()).filter(|said| !said.is_empty()).map(Arc::from);
        self
    }

    /// The run that these calls belong to.
    pub fn run(self, id: impl Into<String>) -> Self {
        self.at(Coordinates::new(id))
    }

    /// Where these calls stand in a run.
    pub fn at(mut self, at: Coordinates) -> Self {
        self.run = Some(RunScope::new(at, None));
        self
    }

    /// What the agent sees during this turn.
    pub fn snapshot(mut self, snapshot: Arc<Snapshot>) -> Self {
        self.host.snapshot = Some(snapshot);
        self
    }

    /// The token that ends every call of this host.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.host.cancel = token;
        self
    }

    /// When every call of this host must have ended.
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.host.deadline = Some(deadline);
        self
    }

    /// The context.
    pub fn build(self) -> ToolContext {
        ToolContext { host: Arc::new(self.host), call: None, run: self.run, tried: None }
    }
}
