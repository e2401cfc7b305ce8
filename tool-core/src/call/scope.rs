//! One call, as its context knows it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::closing::Closing;
use super::gate::Snapshot;
use super::policy::Policy;
use super::recording::Recording;
use super::redact::KnownSecrets;
use super::shape::ResultStore;
use super::tried::Try;
use super::{Caller, Executor};
use crate::context::LazyToken;
use crate::def::{Behavior, ToolDef};
use crate::items::Emitted;
use crate::registry::ToolEntry;
use crate::secret::Secret;

/// The tool, caller, effects and limits of a running call.
pub struct CallScope {
    executor: Executor,
    /// What the caller sees; the tools that ask agents live in it.
    snapshot: Option<Arc<Snapshot>>,
    /// What the call was let in under: capabilities ask it again about what they opened.
    policy: Option<Arc<dyn Policy>>,
    tool: Found,
    caller: Caller,
    call_id: Option<String>,
    deadline: Option<Instant>,
    recording: Recording,
    cancel: LazyToken,
    /// Nanoseconds that the call waited for somebody, which its limits do not count.
    waited: AtomicU64,
    parent: Option<Arc<CallScope>>,
    /// The try of the parent that made it, and that ends it.
    within: Option<Arc<Try>>,
    /// Whether it, or a call that it made, has changed something.
    acted: AtomicBool,
    /// How many calls a root call has led to.
    nested: AtomicU32,
    /// The normal form of its arguments, where another call may have to be compared with it.
    args: OnceLock<Arc<Value>>,
    /// What must not leave, where its own arguments are part of that.
    secrets: OnceLock<Arc<KnownSecrets>>,
    /// The list that it emits.
    items: Mutex<Option<Arc<Emitted>>>,
}

/// Where the tool of a call was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// In the registry of the executor.
    Registry(usize),
    /// Among the agents that the snapshot offers.
    Agent(usize),
}

/// What is known of a call when its scope is made.
pub(super) struct Begin {
    pub(super) executor: Executor,
    pub(super) snapshot: Option<Arc<Snapshot>>,
    pub(super) policy: Option<Arc<dyn Policy>>,
    pub(super) tool: Found,
    pub(super) caller: Caller,
    pub(super) call_id: Option<String>,
    pub(super) deadline: Option<Instant>,
    pub(super) recording: Recording,
}

impl CallScope {
    pub(super) fn new(begin: Begin, parent: Option<Arc<CallScope>>) -> CallScope {
        let Begin { executor, snapshot, policy, tool, caller, call_id, deadline, recording } = begin;
        CallScope {
            executor,
            snapshot,
            policy,
            tool,
            caller,
            call_id,
            deadline,
            recording,
            cancel: LazyToken::default(),
            waited: AtomicU64::new(0),
            parent,
            within: None,
            acted: AtomicBool::new(false),
            nested: AtomicU32::new(0),
            args: OnceLock::new(),
            secrets: OnceLock::new(),
            items: Mutex::new(None),
        }
    }

    /// Within a try of the call that made it.
    pub(crate) fn within(mut self, tried: Option<Arc<Try>>) -> CallScope {
        self.within = tried;
        self
    }

    fn entry(&self) -> Option<&ToolEntry> {
        match self.tool {
            Found::Registry(index) => self.executor.registry().at(index),
            Found::Agent(index) => self.snapshot.as_ref()?.agent_tools().at(index),
        }
    }

    fn def(&self) -> Option<&ToolDef<'_>> {
        self.entry().map(ToolEntry::def)
    }

    pub(crate) fn recording(&self) -> &Recording {
        &self.recording
    }

    pub(crate) fn tool_def(&self) -> Option<(&str, &ToolDef<'_>)> {
        self.entry().map(|entry| (entry.name(), entry.def()))
    }

    /// The effective name of the tool.
    pub fn tool(&self) -> &str {
        self.entry().map_or("", ToolEntry::name)
    }

    /// What the tool may change: capabilities hold it to that.
    pub fn behavior(&self) -> Behavior {
        self.def().map_or(Behavior::READ, |def| def.behavior)
    }

    /// Who called.
    pub fn caller(&self) -> Caller {
        self.caller
    }

    /// The caller's id of the call, if it gave one.
    pub fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// Whether a journal has, or will have, a row about the call.
    pub fn is_recorded(&self) -> bool {
        self.recording.is_begun()
    }

    /// Whether the call, or one that it made, has changed something.
    pub fn has_acted(&self) -> bool {
        self.acted.load(Ordering::Relaxed)
    }

    /// Notes that something is about to be changed, for this call and those above it.
    pub(crate) fn set_acted(&self) {
        self.chain().for_each(|scope| scope.acted.store(true, Ordering::Relaxed));
    }

    /// The call that made this one.
    pub fn parent(&self) -> Option<&CallScope> {
        self.parent.as_deref()
    }

    /// This call and those above it, innermost first.
    pub fn chain(&self) -> impl Iterator<Item = &CallScope> {
        std::iter::successors(Some(self), |scope| scope.parent())
    }

    /// The tools that the caller sees.
    pub(crate) fn sees<'a>(&'a self, snapshot: Option<&'a Arc<Snapshot>>) -> Vec<&'a ToolEntry> {
        match snapshot {
            Some(snapshot) => self.executor.visible(snapshot),
            None => self.executor.registry().iter().collect(),
        }
    }

    /// When the call must have ended.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.map(|deadline| deadline + self.waited())
    }

    /// How long the call waited for somebody.
    pub(crate) fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited.load(Ordering::Relaxed))
    }

    /// Notes time that the call, and with it those above, waited for somebody.
    pub(crate) fn add_waited(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.chain().for_each(|scope| {
            scope.waited.fetch_add(nanos, Ordering::Relaxed);
        });
    }

    pub(crate) fn declares(&self, secret: &str) -> bool {
        self.def().is_some_and(|def| def.secrets.iter().any(|declared| declared.key == secret))
    }

    /// Whether a tool of the program declares a secret of this name.
    pub(crate) fn is_secret(&self, name: &str) -> bool {
        let mut tools = self.executor.registry().iter();
        tools.any(|tool| tool.def().secrets.iter().any(|secret| secret.key == name))
    }

    pub(crate) fn cancellation(&self, host: &CancellationToken) -> &CancellationToken {
        match (&self.within, &self.parent) {
            (Some(tried), _) => self.cancel.get(tried.cancellation()),
            (None, Some(parent)) => self.cancel.get(parent.cancellation(host)),
            (None, None) => self.cancel.get(host),
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        let is_over = |tried: &Arc<Try>| tried.cancellation().is_cancelled();
        let is_cancelled =
            |scope: &CallScope| scope.cancel.is_cancelled() || scope.within.as_ref().is_some_and(is_over);
        self.closing().ends_calls() || self.chain().any(is_cancelled)
    }

    pub(crate) fn closing(&self) -> &Closing {
        self.executor.closing()
    }

    pub(crate) fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.snapshot.as_ref()
    }

    pub(crate) fn policy(&self) -> Option<&Arc<dyn Policy>> {
        self.policy.as_ref()
    }

    pub(crate) fn results(&self) -> Option<&Arc<dyn ResultStore>> {
        self.executor.results()
    }

    /// What must not leave: what the process knows, and the secret arguments of this call and those above it.
    pub(crate) fn known_secrets(&self) -> Option<&KnownSecrets> {
        let own = self.chain().find_map(CallScope::own_secrets);
        own.map(|own| &**own).or_else(|| self.executor.known_secrets())
    }

    pub(super) fn own_secrets(&self) -> Option<&Arc<KnownSecrets>> {
        self.secrets.get()
    }

    pub(super) fn keep_secrets(&self, secrets: KnownSecrets) {
        let _ = self.secrets.set(Arc::new(secrets));
    }

    /// A secret that was handed out: neither this call nor those above or after it may let it out.
    pub(crate) fn learn(&self, name: &str, secret: &Secret) {
        self.executor.learn(name, secret);
        self.chain().filter_map(CallScope::own_secrets).for_each(|own| own.learn(name, secret.expose()));
    }

    fn own_items(&self) -> MutexGuard<'_, Option<Arc<Emitted>>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the list that the call emits, which is the first one of a try.
    pub(crate) fn begin_items(&self, items: &Arc<Emitted>) {
        self.own_items().get_or_insert_with(|| Arc::clone(items));
    }

    /// Whether a list is the one that the call emits.
    pub(crate) fn emits(&self, items: &Arc<Emitted>) -> bool {
        self.own_items().as_ref().is_some_and(|own| Arc::ptr_eq(own, items))
    }

    /// Gives the list up for that of another try; not where somebody has seen elements of it, which that would show again.
    pub(crate) fn give_up_items(&self) -> bool {
        let mut own = self.own_items();
        if own.as_ref().is_some_and(|own| own.is_shown()) {
            return false;
        }
        *own = None;
        true
    }

    /// The list that the call emits.
    pub(crate) fn items(&self) -> Option<Arc<Emitted>> {
        self.own_items().clone()
    }

    pub(super) fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Counts one more call that the root of this one has led to.
    pub(super) fn count_nested(&self) -> u32 {
        let root = self.chain().last().unwrap_or(self);
        root.nested.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn keep_args(&self, args: &Arc<Value>) {
        let _ = self.args.set(Arc::clone(args));
    }

    pub(super) fn args(&self) -> Option<&Arc<Value>> {
        self.args.get()
    }
}

impl std::fmt::Debug for CallScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallScope")
            .field("tool", &self.tool())
            .field("caller", &self.caller)
            .field("call_id", &self.call_id)
            .finish_non_exhaustive()
    }
}
