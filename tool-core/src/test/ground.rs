//! Where the tools of kits run, and what they leave running there.
//!
//! The kits of a recipe have a runtime of their own, in which their tools are polled: what a tool spawns goes there, and not among
//! the tasks of the test, so that it can be counted. When the recipe and the last of its kits are gone, nothing may run there any
//! more, nor any process that a call has started. Processes and threads are seen where the system tells of them (Linux).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;

use super::left;
use crate::call::{Invocation, Layer, Next};
use crate::def::BoxFuture;
use crate::output::ToolResult;

/// What the threads of a ground are called, with a number: at most the 15 bytes that Linux keeps.
const THREAD: &str = "tool-kit-";

/// The number of the last ground.
static GROUNDS: AtomicUsize = AtomicUsize::new(0);

/// How long a thread stays that has nothing to do: its processes are told by its name.
const IDLE: Duration = Duration::from_secs(3_600);

/// The ground of the kits of a recipe: the last holder that is dropped looks at what is left.
#[derive(Clone, Default)]
pub(super) struct Ground(Arc<Lease>);

impl Ground {
    /// The step of an executor in which tools run on this ground.
    pub(super) fn layer(&self) -> impl Layer + 'static {
        OnGround(Arc::clone(&self.0.0))
    }

    /// A call of a tool, on this ground.
    pub(super) fn call<'a>(
        &'a self,
        tool: &'a str,
        call: BoxFuture<'a, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        self.0.0.call(tool, call)
    }
}

/// What all holders of a ground share, and its calls do not.
#[derive(Default)]
struct Lease(Arc<Site>);

impl Drop for Lease {
    #[expect(clippy::panic, reason = "a test must fail that leaves something behind")]
    fn drop(&mut self) {
        let left = self.0.close(!thread::panicking());
        if !left.is_empty() {
            panic!(
                "the tools of the kit have left this behind, which should end with its call, or with what the kit provides:\n{}",
                left.join("\n")
            );
        }
    }
}

/// A runtime, and what was started by the calls on it.
struct Site {
    thread: String,
    driven: OnceLock<Option<Driven>>,
    is_closed: AtomicBool,
    started: Mutex<Started>,
}

/// What calls have started.
#[derive(Default)]
struct Started {
    /// The tools that were seen to spawn tasks.
    spawners: BTreeSet<String>,
    /// The ids of processes, with the tools.
    processes: BTreeMap<u32, String>,
}

/// What there is at one moment: tasks on the ground, and processes that this thread has started.
struct Moment {
    tasks: usize,
    children: BTreeSet<u32>,
}

impl Moment {
    fn now(runtime: &Handle) -> Moment {
        Moment { tasks: runtime.metrics().num_alive_tasks(), children: left::own_children() }
    }
}

/// A runtime on a thread of its own.
struct Driven {
    handle: Handle,
    closed: Arc<Notify>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Default for Site {
    fn default() -> Site {
        let thread = format!("{THREAD}{}", GROUNDS.fetch_add(1, Ordering::Relaxed));
        let (driven, is_closed) = (OnceLock::new(), AtomicBool::new(false));
        Site { thread, driven, is_closed, started: Mutex::default() }
    }
}

impl Driven {
    fn start(name: &str) -> io::Result<Driven> {
        let runtime =
            Builder::new_current_thread().enable_all().thread_name(name).thread_keep_alive(IDLE).build()?;
        let (handle, closed) = (runtime.handle().clone(), Arc::new(Notify::new()));
        let until = Arc::clone(&closed);
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            runtime.block_on(until.notified());
            runtime.shutdown_timeout(left::SETTLING);
        })?;
        Ok(Driven { handle, closed, thread: Mutex::new(Some(thread)) })
    }

    /// Ends the runtime, and waits for its threads for a while; not on one of them.
    fn end(&self) {
        self.closed.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

impl Site {
    /// The runtime; none where no thread can be had, or when the kits are gone.
    fn runtime(&self) -> Option<&Handle> {
        if self.is_closed.load(Ordering::Acquire) {
            return None;
        }
        let driven = self.driven.get_or_init(|| Driven::start(&self.thread).ok());
        driven.as_ref().map(|driven| &driven.handle)
    }

    /// A call of a tool, polled and dropped here.
    fn call<'a>(&'a self, tool: &'a str, call: BoxFuture<'a, ToolResult>) -> BoxFuture<'a, ToolResult> {
        match self.runtime() {
            Some(runtime) => Box::pin(Grounded { site: self, runtime, tool, call: Some(call) }),
            None => call,
        }
    }

    /// Notes what a call of a tool has started on this thread between two moments.
    fn note(&self, tool: &str, before: &Moment, after: &Moment) {
        let mut new = after.children.difference(&before.children).peekable();
        let spawned = after.tasks > before.tasks;
        if !spawned && new.peek().is_none() {
            return;
        }
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if spawned {
            started.spawners.insert(tool.to_owned());
        }
        for id in new {
            // A tool that another one called has noted its own already.
            started.processes.entry(*id).or_insert_with(|| tool.to_owned());
        }
    }

    /// Ends the runtime: what still ran, after a while for it to end, if somebody wants to know.
    fn close(&self, is_asked: bool) -> Vec<String> {
        self.is_closed.store(true, Ordering::Release);
        let Some(Some(driven)) = self.driven.get() else { return Vec::new() };
        if !is_asked {
            driven.closed.notify_one();
            return Vec::new();
        }
        let tasks = left::settled(|| driven.handle.metrics().num_alive_tasks(), |tasks| *tasks == 0);
        // Those of a thread are told by its name, as long as it is there.
        let of_threads = left::children(&self.thread);
        driven.end();
        // A thread that has told of its end may take a moment to be gone.
        let threads = left::settled(|| left::threads(&self.thread), |threads| *threads == 0);
        let Started { spawners, processes: by_tool } =
            std::mem::take(&mut *self.started.lock().unwrap_or_else(PoisonError::into_inner));
        let processes = left::living(&of_threads.into_iter().chain(by_tool.keys().copied()).collect());
        let count = |what: &str, count: usize| (count > 0).then(|| format!("{what} that still run: {count}"));
        let spawners: Vec<String> = spawners.into_iter().collect();
        let by = match spawners.is_empty() {
            true => String::new(),
            false => format!("; tasks were spawned by {}", spawners.join(", ")),
        };
        let tasks = count("spawned tasks", tasks).map(|told| told + &by);
        let told = [tasks, count("threads of blocking tasks", threads)];
        let process = |id: u32| {
            let by = by_tool.get(&id).map(|tool| format!(", which {tool} started,")).unwrap_or_default();
            format!("the process {id} ({}){by} still runs", left::name(id))
        };
        told.into_iter().flatten().chain(processes.into_iter().map(process)).collect()
    }
}

/// Has tools run on a ground.
struct OnGround(Arc<Site>);

impl Layer for OnGround {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        let tool = inv.tool.name();
        self.0.call(tool, next.run(inv))
    }
}

/// A call on a ground.
struct Grounded<'a> {
    site: &'a Site,
    runtime: &'a Handle,
    tool: &'a str,
    /// Until it is dropped.
    call: Option<BoxFuture<'a, ToolResult>>,
}

impl<'a> Grounded<'a> {
    fn within<T>(&mut self, work: impl FnOnce(&mut Option<BoxFuture<'a, ToolResult>>) -> T) -> T {
        let before = Moment::now(self.runtime);
        let entered = self.runtime.enter();
        let done = work(&mut self.call);
        drop(entered);
        self.site.note(self.tool, &before, &Moment::now(self.runtime));
        done
    }
}

impl Future for Grounded<'_> {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ToolResult> {
        self.within(|call| call.as_mut().map_or(Poll::Pending, |call| call.as_mut().poll(cx)))
    }
}

impl Drop for Grounded<'_> {
    fn drop(&mut self) {
        self.within(|call| drop(call.take()));
    }
}
