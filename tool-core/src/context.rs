//! What a call gets from its host: capabilities, declared secrets, cancellation, deadline and progress.
//!
//! The host builds one [`ToolContext`]; the executor derives one per call from it, which knows the tool and hands out
//! only what the tool declared. Both are cheap to clone. Capabilities are found by type ([`crate::capability`]).

use std::any::TypeId;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::access::{Access, AccessSink};
use crate::ask::Asker;
use crate::call::TraceParent;
use crate::call::gate::Snapshot;
use crate::call::{Approver, CallScope, Caller, RunScope, Try};
use crate::capability::Capabilities;
use crate::clock::Clock;
use crate::error::ToolError;
use crate::items::ItemSink;
use crate::live::LiveSink;
use crate::progress::{Progress, ProgressSink};
use crate::secret::{NoSecrets, Secret, SecretSource};

mod builder;
mod pace;

pub use builder::ContextBuilder;

/// The context of a call.
///
/// ```
/// use tool_core::ToolContext;
/// struct Db(&'static str);
/// let ctx = ToolContext::builder().provide(Db("main")).build();
/// assert_eq!(ctx.capability::<Db>().unwrap().0, "main");
/// assert!(ctx.require::<String>().is_err());
/// ```
#[derive(Clone)]
pub struct ToolContext {
    host: Arc<Host>,
    call: Option<Arc<CallScope>>,
    run: Option<Arc<RunScope>>,
    /// The try that the call is in, where tries have a limit of their own.
    tried: Option<Arc<Try>>,
}

/// What the host provides, shared by all its calls.
#[derive(Clone)]
struct Host {
    capabilities: Arc<Capabilities>,
    secrets: Arc<dyn SecretSource>,
    clock: Option<Arc<dyn Clock>>,
    /// What time limits go by in a test, in place of the clock of the machine.
    #[cfg(feature = "test")]
    pace: Option<crate::test::FakeClock>,
    progress: Option<Arc<dyn ProgressSink>>,
    live: Option<Arc<dyn LiveSink>>,
    items: Option<Arc<dyn ItemSink>>,
    accesses: Option<Arc<dyn AccessSink>>,
    approver: Option<Arc<dyn Approver>>,
    asker: Option<Arc<dyn Asker>>,
    agent: Option<Arc<str>>,
    client: Option<Arc<str>>,
    traceparent: Option<Arc<TraceParent>>,
    snapshot: Option<Arc<Snapshot>>,
    cancel: CancellationToken,
    deadline: Option<Instant>,
}

/// The most characters of what a client calls itself.
pub const CLIENT_CHARACTERS: usize = 80;

/// The agent that the person at the command line is.
const OPERATOR: &str = "operator";

impl ToolContext {
    /// A context that provides nothing.
    pub fn empty() -> ToolContext {
        Self::builder().build()
    }

    /// Collects what the host provides.
    pub fn builder() -> ContextBuilder {
        let host = Host {
            capabilities: Arc::default(),
            secrets: Arc::new(NoSecrets),
            clock: None,
            #[cfg(feature = "test")]
            pace: None,
            progress: None,
            live: None,
            items: None,
            accesses: None,
            approver: None,
            asker: None,
            agent: None,
            client: None,
            traceparent: None,
            snapshot: None,
            cancel: CancellationToken::new(),
            deadline: None,
        };
        ContextBuilder { host, run: None }
    }

    /// Starts from what this context's host provides, for a host that adds something for one call; the running call, if any,
    /// is left out.
    pub fn to_builder(&self) -> ContextBuilder {
        ContextBuilder { host: Host::clone(&self.host), run: self.run.clone() }
    }

    /// The capability of a type, bound to this call; `None` when the host does not provide it.
    pub fn capability<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.host.capabilities.get::<T>(self)
    }

    /// The capability of a type, bound to this call.
    ///
    /// # Errors
    /// `not_configured`, code `capability_missing`, when the host does not provide it.
    pub fn require<T: ?Sized + Send + Sync + 'static>(&self) -> Result<Arc<T>, ToolError> {
        self.capability::<T>().ok_or_else(|| {
            let name = std::any::type_name::<T>();
            ToolError::not_configured(format!("This program does not provide {name}."))
                .code("capability_missing")
        })
    }

    /// Whether a type is provided, without making it.
    pub fn provides(&self, id: TypeId) -> bool {
        self.host.capabilities.contains(id)
    }

    /// A declared secret.
    ///
    /// # Errors
    /// `internal`, code `secret_undeclared`, for a key that the tool does not declare: it is not even looked up.
    /// `not_configured`, code `secret_missing`, when it is not set.
    pub fn secret(&self, key: &str) -> Result<Arc<Secret>, ToolError> {
        self.optional_secret(key)?.ok_or_else(|| {
            ToolError::not_configured(format!("The secret {key} is not set.")).code("secret_missing")
        })
    }

    /// A declared secret, `None` when it is absent or blank.
    ///
    /// # Errors
    /// `internal`, code `secret_undeclared`, for a key that the tool does not declare.
    pub fn optional_secret(&self, key: &str) -> Result<Option<Arc<Secret>>, ToolError> {
        if let Some(call) = &self.call
            && !call.declares(key)
        {
            let tool = call.tool();
            let text = format!(
                "{tool} asked for the secret {key}, which it does not declare; add requires(secret = \"{key}\")."
            );
            return Err(ToolError::internal(text).code("secret_undeclared"));
        }
        let secret = self.host.secrets.get(key).filter(|secret| !secret.is_blank());
        if let (Some(call), Some(secret)) = (&self.call, &secret) {
            call.learn(key, secret);
        }
        Ok(secret.map(Arc::new))
    }

    /// Whether a secret has a value, without handing it out. Inside a call a key that the tool does not declare has
    /// none: it is not even looked up.
    pub fn has_secret(&self, key: &str) -> bool {
        self.call.as_ref().is_none_or(|call| call.declares(key))
            && self.host.secrets.get(key).is_some_and(|secret| !secret.is_blank())
    }

    /// The token that ends this call: the host's, or one of its own inside a call.
    pub fn cancellation(&self) -> &CancellationToken {
        match (&self.tried, &self.call) {
            (Some(tried), _) => tried.cancellation(),
            (None, Some(call)) => call.cancellation(&self.host.cancel),
            (None, None) => &self.host.cancel,
        }
    }

    /// Whether the call should end.
    pub fn is_cancelled(&self) -> bool {
        self.host.cancel.is_cancelled()
            || self.call.as_ref().is_some_and(|call| call.is_cancelled())
            || self.tried.as_ref().is_some_and(|tried| tried.cancellation().is_cancelled())
    }

    /// Completes when the call should end.
    pub async fn cancelled(&self) {
        match &self.call {
            Some(call) => tokio::select! {
                () = self.cancellation().cancelled() => {}
                () = call.closing().begins() => {}
            },
            None => self.host.cancel.cancelled().await,
        }
    }

    /// Ends the call, or the try that it is in.
    pub fn cancel(&self) {
        self.cancellation().cancel();
    }

    /// When the call must have ended. How much time it has left until then is told by [`time_left`](Self::time_left).
    #[inline]
    pub fn deadline(&self) -> Option<Instant> {
        if self.call.is_none() && self.tried.is_none() {
            return self.host.deadline;
        }
        self.deadline_inside()
    }

    fn deadline_inside(&self) -> Option<Instant> {
        let call = self.call.as_ref().and_then(|call| call.deadline());
        let waited = self.call.as_ref().map(|call| call.waited()).unwrap_or_default();
        let host = self.host.deadline.map(|deadline| deadline + waited);
        let tried = self.tried.as_ref().map(|tried| tried.deadline(waited));
        [call, host, tried].into_iter().flatten().min()
    }

    /// Fails when the call should end: long work asks between its steps.
    ///
    /// # Errors
    /// `cancelled`, or `timeout` when the deadline has passed.
    pub fn check(&self) -> Result<(), ToolError> {
        if self.deadline().is_some_and(|deadline| self.now() >= deadline) {
            return Err(ToolError::timeout("The tool did not finish in time."));
        }
        if self.is_cancelled() {
            return Err(ToolError::cancelled("The call was cancelled."));
        }
        Ok(())
    }

    /// Reports how far the work is; costs nothing when nobody listens.
    pub fn progress(&self, progress: Progress<'_>) {
        if let Some(sink) = &self.host.progress {
            sink.report(self, progress);
        }
    }

    /// Tells that the call is about to use a capability; costs nothing when nobody listens.
    pub fn accesses(&self, capability: &'static str, what: fmt::Arguments<'_>) {
        if let Some(sink) = &self.host.accesses {
            sink.accessed(self, Access { capability, what });
        }
    }

    /// What a future gives, unless the call is to end before: capabilities wait so.
    ///
    /// # Errors
    /// Those of the future; `cancelled`, or `timeout` when the deadline has passed.
    pub async fn unless_ended<T>(
        &self,
        future: impl Future<Output = Result<T, ToolError>>,
    ) -> Result<T, ToolError> {
        tokio::select! {
            biased;
            done = future => done,
            () = self.cancelled() => {
                self.check()?;
                Err(ToolError::cancelled("The call was cancelled."))
            }
        }
    }

    /// Who watches the output of the call as it comes, if anybody does.
    pub fn live(&self) -> Option<Arc<dyn LiveSink>> {
        self.host.live.clone()
    }

    /// Who watches the elements of the call's list, if anybody does.
    pub(crate) fn item_sink(&self) -> Option<Arc<dyn ItemSink>> {
        self.host.items.clone()
    }

    /// The running call: its tool, id, caller and effects; `None` outside a call.
    pub fn running(&self) -> Option<&CallScope> {
        self.call.as_deref()
    }

    /// The agent whose call this is.
    pub fn agent(&self) -> &str {
        match (self.snapshot(), &self.host.agent) {
            (Some(snapshot), _) => snapshot.agent(),
            (None, Some(agent)) => agent,
            (None, None) => OPERATOR,
        }
    }

    /// The program on the other side of a protocol, name and version, as it called itself.
    pub fn client(&self) -> Option<&str> {
        self.host.client.as_deref()
    }

    /// Whose call this is; empty where there is only one tenant.
    pub fn tenant(&self) -> &str {
        match self.run() {
            Some(run) if !run.at.tenant.is_empty() => &run.at.tenant,
            _ => self.snapshot().map_or("", |snapshot| snapshot.tenant()),
        }
    }

    /// The run that this call belongs to; empty where there is none.
    pub fn run_id(&self) -> &str {
        self.run().map_or("", |run| &run.at.run_id)
    }

    /// What the agent sees, where that is known for the turn.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        let call = self.call.as_ref().and_then(|call| call.snapshot());
        call.or(self.host.snapshot.as_ref())
    }

    /// Judges a path that the call has opened, absolute and without links, by the policy that the call was let in under.
    ///
    /// # Errors
    /// `denied`, code `path_not_allowed` or `path_denied`.
    pub fn judge_path(&self, path: &Path) -> Result<(), ToolError> {
        let Some(call) = &self.call else { return Ok(()) };
        call.policy().map_or(Ok(()), |policy| policy.judge_path(self.agent(), call.tool(), path))
    }

    /// Judges an address that the call is about to reach, by the policy that the call was let in under.
    ///
    /// # Errors
    /// `denied`, code `domain_not_allowed` or `domain_denied`.
    pub fn judge_url(&self, url: &str) -> Result<(), ToolError> {
        let Some(call) = &self.call else { return Ok(()) };
        call.policy().map_or(Ok(()), |policy| policy.judge_url(self.agent(), call.tool(), url))
    }

    /// Whether [`judge_path`](Self::judge_path) can refuse anything to this call: asked before work that serves only it.
    pub fn has_path_rules(&self) -> bool {
        let call = self.call.as_ref();
        let policy = call.and_then(|call| Some((call.tool(), call.policy()?)));
        policy.is_some_and(|(tool, policy)| policy.has_path_rules(self.agent(), tool))
    }

    /// Who called; `None` outside a call.
    pub fn caller(&self) -> Option<Caller> {
        self.call.as_ref().map(|call| call.caller())
    }

    /// The clock of the host, or that of the machine, for capabilities that keep time; none of its uses are the call's.
    #[cfg(feature = "http")]
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        let own = self.host.clock.clone();
        own.unwrap_or_else(|| Arc::new(crate::clock::SystemClock::default()))
    }

    /// Who is asked before the call of a tool that needs approval.
    pub(crate) fn approver(&self) -> Option<&dyn Approver> {
        self.host.approver.as_deref()
    }

    /// The trace that the caller is in, if it named one.
    pub fn traceparent(&self) -> Option<&TraceParent> {
        self.host.traceparent.as_deref()
    }

    /// Who answers the questions of the call.
    pub(crate) fn asker(&self) -> Option<&dyn Asker> {
        self.host.asker.as_deref()
    }

    /// The attempt that this context belongs to.
    pub(crate) fn run(&self) -> Option<&Arc<RunScope>> {
        self.run.as_ref()
    }

    /// The call that this context belongs to, to be kept.
    pub(crate) fn scope_of_call(&self) -> Option<&Arc<CallScope>> {
        self.call.as_ref()
    }

    /// The same context within another attempt.
    pub(crate) fn with_run(&self, run: Arc<RunScope>) -> ToolContext {
        ToolContext { run: Some(run), ..self.clone() }
    }

    /// The same call in one try of it, which ends after a time of its own.
    pub(crate) fn for_try(&self, limit: Duration) -> ToolContext {
        let waited = self.call.as_ref().map(|call| call.waited()).unwrap_or_default();
        let tried = Try::new(self.cancellation().child_token(), self.now() + limit, waited);
        ToolContext { tried: Some(Arc::new(tried)), ..self.clone() }
    }

    /// The try that this context belongs to.
    pub(crate) fn tried(&self) -> Option<&Arc<Try>> {
        self.tried.as_ref()
    }

    /// Notes time that the call waited for somebody: its limits do not count it.
    pub(crate) fn waited(&self, time: Duration) {
        if let Some(call) = &self.call {
            call.add_waited(time);
        }
    }

    /// What calls are made from; `None` inside of one, of a try, and of a run.
    #[inline]
    pub(crate) fn idle(&self) -> Option<Idle> {
        let is_idle = self.call.is_none() && self.run.is_none() && self.tried.is_none();
        is_idle.then(|| Idle { host: Arc::clone(&self.host) })
    }

    /// The same host with one call, which may be nested in the one that this context has.
    pub(crate) fn for_call(&self, make: impl FnOnce(Option<Arc<CallScope>>) -> CallScope) -> ToolContext {
        let call = Some(Arc::new(make(self.call.clone()).within(self.tried.clone())));
        ToolContext { host: Arc::clone(&self.host), call, run: self.run.clone(), tried: None }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("capabilities", &self.host.capabilities)
            .field("call", &self.call)
            .field("deadline", &self.deadline())
            .finish_non_exhaustive()
    }
}

/// A context in which no call runs, and which is in no run.
#[derive(Clone)]
pub(crate) struct Idle {
    host: Arc<Host>,
}

impl Idle {
    pub(crate) fn context(&self) -> ToolContext {
        ToolContext { host: Arc::clone(&self.host), call: None, run: None, tried: None }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.host.cancel.is_cancelled()
    }
}

/// A cancellation token that is made when somebody first asks for it.
#[derive(Debug, Default)]
pub(crate) struct LazyToken(OnceLock<CancellationToken>);

impl LazyToken {
    pub(crate) fn get(&self, parent: &CancellationToken) -> &CancellationToken {
        self.0.get_or_init(|| parent.child_token())
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.get().is_some_and(CancellationToken::is_cancelled)
    }
}
