//! The background processes of a program, each seen by its owner only (shell.md §6).
//!
//! A program that lives longer than one call provides [`Processes`]; without it `background` is refused. The owner is what
//! the program says it is, usually the agent and its run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Notify;
use tool_core::{Effect, ToolContext, ToolError};

use crate::limits::ECHO_CHARS;
use crate::sandbox::{End, Ended, Running, State, signal_name};
use crate::workspace::refusal;

/// How long an ended process is still listed.
const KEPT: Duration = Duration::from_secs(15 * 60);
/// How many ended processes are still listed.
const MOST_KEPT: usize = 64;

/// The background processes of one owner; a capability, cheap to clone.
#[derive(Clone, Debug)]
pub struct Processes {
    table: Arc<Mutex<Table>>,
    owner: Arc<str>,
    notice: Notice,
    /// Tells that a process that was being started has started or not.
    settled: Arc<Notify>,
}

/// What is done at the end of each process.
type Told = dyn Fn(&ProcessEnd) + Send + Sync;

/// Who is told of the end of each process.
#[derive(Clone, Default)]
struct Notice(Option<Arc<Told>>);

impl std::fmt::Debug for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Notice(…)")
    }
}

/// The end of a background process, for the audit: the record of its call has its start.
#[derive(Clone, Debug)]
pub struct ProcessEnd {
    /// Its id, `p1`.
    pub process_id: String,
    /// The tool that started it.
    pub tool: &'static str,
    /// The call that did.
    pub call_id: Option<String>,
    /// Whose call that was.
    pub tenant: String,
    /// The agent that called.
    pub agent: String,
    /// The run of the call.
    pub run_id: String,
    /// How it ended, and what it wrote.
    pub ended: Ended,
}

#[derive(Debug, Default)]
struct Table {
    made: u64,
    entries: Vec<Arc<Process>>,
    /// Those that nobody owns any more and that are about to end.
    leaving: Vec<Arc<Process>>,
    /// The owners of processes that are being started.
    starting: Vec<Arc<str>>,
    /// Whether the program ends, and nothing more is started.
    is_closed: bool,
}

/// A background process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) id: String,
    owner: Arc<str>,
    pub(super) argv: Vec<String>,
    pub(super) cwd: String,
    pub(super) started: String,
    pub(super) running: Running,
}

/// A place for a process that is being started; given back when dropped.
pub(super) struct Reservation<'a>(&'a Processes);

/// How a process stands, as results show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessState {
    /// It runs.
    Running,
    /// It came to its own end, or a limit did.
    Exited,
    /// It was stopped.
    Stopped,
    /// Its time was over.
    TimedOut,
}

impl From<State> for ProcessState {
    fn from(state: State) -> Self {
        match state {
            State::Running => Self::Running,
            State::Exited => Self::Exited,
            State::Stopped => Self::Stopped,
            State::TimedOut => Self::TimedOut,
        }
    }
}

impl Processes {
    /// An empty table and its first owner.
    pub fn new(owner: impl Into<Arc<str>>) -> Self {
        Self {
            table: Arc::default(),
            owner: owner.into(),
            notice: Notice::default(),
            settled: Arc::default(),
        }
    }

    /// Tells somebody of the end of every process, on whatever thread notices it.
    #[must_use]
    pub fn told(self, notice: impl Fn(&ProcessEnd) + Send + Sync + 'static) -> Self {
        Self { notice: Notice(Some(Arc::new(notice))), ..self }
    }

    /// The same table as another owner sees it.
    #[must_use]
    pub fn owned_by(&self, owner: impl Into<Arc<str>>) -> Self {
        Self { owner: owner.into(), ..self.clone() }
    }

    /// Ends every process of this owner and forgets it: at the end of a run.
    pub fn end(&self) {
        let own = |process: &Arc<Process>| process.owner == self.owner;
        let mut table = self.lock();
        let ended: Vec<Arc<Process>> = table.entries.extract_if(.., |process| own(process)).collect();
        ended.iter().for_each(|process| process.running.cancel());
        table.leaving.extend(ended);
    }

    /// Ends every process of every owner, and waits until whoever is told of ends was told of each: at the end of the
    /// program, which would take them with it and leave nobody to tell. Nothing is started any more.
    ///
    /// Says how many had not ended when the time was over.
    pub async fn close(&self, most: Duration) -> usize {
        self.lock().is_closed = true;
        let all = async {
            loop {
                let settled = self.settled.notified();
                tokio::pin!(settled);
                settled.as_mut().enable();
                let (alive, starting) = self.alive();
                alive.iter().for_each(|process| process.running.cancel());
                for process in &alive {
                    process.running.over().await;
                }
                if starting == 0 {
                    return;
                }
                settled.await;
            }
        };
        let _ = tokio::time::timeout(most, all).await;
        let (alive, starting) = self.alive();
        alive.len() + starting
    }

    /// The processes of every owner that run, and how many are being started.
    fn alive(&self) -> (Vec<Arc<Process>>, usize) {
        let table = self.lock();
        let all = table.entries.iter().chain(&table.leaving);
        let alive = all.filter(|process| process.is_running()).cloned().collect();
        (alive, table.starting.len())
    }

    /// Takes a place for one more process.
    ///
    /// # Errors
    /// `rate_limited`/`too_many_processes`; `unavailable`/`shutting_down` when the program ends.
    pub(super) fn reserve(&self, most: u64) -> Result<Reservation<'_>, ToolError> {
        let mut table = self.lock();
        if table.is_closed {
            return Err(ToolError::unavailable("This program is shutting down.")
                .code("shutting_down")
                .effect(Effect::None));
        }
        let alive =
            table.entries.iter().filter(|process| process.owner == self.owner && process.is_running());
        let own = alive.count() + table.starting.iter().filter(|owner| **owner == self.owner).count();
        if own as u64 >= most {
            return Err(ToolError::rate_limited(format!("{most} background processes run already."))
                .code("too_many_processes")
                .hint("Stop one with process_stop.")
                .effect(Effect::None));
        }
        table.starting.push(Arc::clone(&self.owner));
        drop(table);
        Ok(Reservation(self))
    }

    /// The processes of this owner, oldest first.
    pub(super) fn list(&self) -> Vec<Arc<Process>> {
        self.lock().entries.iter().filter(|process| process.owner == self.owner).cloned().collect()
    }

    /// One process of an owner; a program that ends after one call has none.
    ///
    /// # Errors
    /// `not_found`/`process_not_found`.
    pub(super) fn find(owner: Option<&Self>, id: &str) -> Result<Arc<Process>, ToolError> {
        owner.map(Self::list).unwrap_or_default().into_iter().find(|process| process.id == id).ok_or_else(
            || {
                ToolError::not_found(format!("There is no process {}.", refusal::echo(id, ECHO_CHARS)))
                    .code("process_not_found")
                    .effect(Effect::None)
            },
        )
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.forget_old();
        table
    }
}

impl Table {
    fn forget_old(&mut self) {
        self.leaving.retain(|process| process.is_running());
        self.entries.retain(|process| process.running.ended().is_none_or(|ended| ended.at.elapsed() < KEPT));
        let ended = self.entries.iter().filter(|process| !process.is_running()).count();
        let mut over = ended.saturating_sub(MOST_KEPT);
        self.entries.retain(|process| {
            let forgotten = over > 0 && !process.is_running();
            over -= usize::from(forgotten);
            !forgotten
        });
    }
}

impl Reservation<'_> {
    /// Puts the started process in the table.
    pub(super) fn add(
        self,
        tool: &'static str,
        argv: Vec<String>,
        cwd: String,
        running: Running,
        call: Option<&ToolContext>,
    ) -> Arc<Process> {
        let mut table = self.0.lock();
        table.made += 1;
        let process = Arc::new(Process {
            id: format!("p{}", table.made),
            owner: Arc::clone(&self.0.owner),
            argv,
            cwd,
            started: Timestamp::now().to_string(),
            running,
        });
        table.entries.push(Arc::clone(&process));
        drop(table);
        if let Some(notice) = self.0.notice.0.clone() {
            let of_call = |read: fn(&ToolContext) -> &str| call.map(read).unwrap_or_default().to_owned();
            let id = call.and_then(ToolContext::running).and_then(|call| call.call_id());
            let (process_id, call_id) = (process.id.clone(), id.map(str::to_owned));
            let tenant = of_call(ToolContext::tenant);
            let (agent, run_id) = (of_call(ToolContext::agent), of_call(ToolContext::run_id));
            process.running.on_end(move |ended| {
                notice(&ProcessEnd {
                    process_id,
                    tool,
                    call_id,
                    tenant,
                    agent,
                    run_id,
                    ended: ended.clone(),
                });
            });
        }
        process
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let starting = &mut self.0.lock().starting;
        if let Some(at) = starting.iter().position(|owner| *owner == self.0.owner) {
            starting.remove(at);
        }
        self.0.settled.notify_waiters();
    }
}

impl Process {
    fn is_running(&self) -> bool {
        self.running.state() == State::Running
    }

    /// State, exit code and signal.
    pub(super) fn end(&self) -> (ProcessState, Option<i32>, Option<String>) {
        let state = self.running.state().into();
        match self.running.ended().map(|ended| ended.end) {
            None => (state, None, None),
            Some(End::Exit(code)) => (state, Some(code), None),
            Some(End::Signal(number)) => (state, None, Some(signal_name(number))),
        }
    }
}
