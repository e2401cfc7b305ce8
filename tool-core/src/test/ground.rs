//! Where the tools of kits run, and what they leave running there.
//!
//! The kits of a recipe have a runtime of their own, in which their tools are polled: what a tool spawns goes there, and not among
//! the tasks of the test, so that it can be counted. When the last of these kits ends, nothing may run there any more, nor any
//! process that a call has started.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

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

/// The ground of the kits of a recipe: the last one that is dropped looks at what is left.
#[derive(Clone, Default)]
pub(super) struct Ground(Arc<Lease>);

impl Ground {
    /// The step of an executor in which tools run on this ground.
    pub(super) fn layer(&self) -> impl Layer + 'static {
        OnGround(Arc::clone(&self.0.0))
    }
}

/// What all holders of a ground share, and its calls do not.
#[derive(Default)]
struct Lease(Arc<Site>);

impl Drop for Lease {
    #[expect(clippy::panic, reason = "a test must fail that leaves something behind")]
    fn drop(&mut self) {
        let left = if thread::panicking() { Vec::new() } else { self.0.left() };
        self.0.close();
        if !left.is_empty() {
            panic!("the tools of the kit have left this behind:\n{}", left.join("\n"));
        }
    }
}

/// A runtime, and the processes that were started by the calls on it.
struct Site {
    thread: String,
    driven: OnceLock<Option<Driven>>,
    /// Their ids, with the tools.
    processes: Mutex<BTreeMap<u32, String>>,
}

/// A runtime on a thread of its own.
struct Driven {
    handle: Handle,
    closed: Arc<Notify>,
}

impl Default for Site {
    fn default() -> Site {
        let thread = format!("{THREAD}{}", GROUNDS.fetch_add(1, Ordering::Relaxed));
        Site { thread, driven: OnceLock::new(), processes: Mutex::default() }
    }
}

impl Driven {
    fn start(thread: &str) -> io::Result<Driven> {
        let runtime = Builder::new_current_thread().enable_all().thread_name(thread).build()?;
        let (handle, closed) = (runtime.handle().clone(), Arc::new(Notify::new()));
        let until = Arc::clone(&closed);
        thread::Builder::new().name(thread.to_owned()).spawn(move || {
            runtime.block_on(until.notified());
            runtime.shutdown_background();
        })?;
        Ok(Driven { handle, closed })
    }
}

impl Site {
    /// The runtime; none where no thread can be had.
    fn runtime(&self) -> Option<&Handle> {
        let driven = self.driven.get_or_init(|| Driven::start(&self.thread).ok());
        driven.as_ref().map(|driven| &driven.handle)
    }

    /// Notes the processes that a call of a tool has started on this thread since then.
    fn note(&self, tool: &str, before: &BTreeSet<u32>) {
        let after = left::own_children();
        if after.is_subset(before) {
            return;
        }
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        for id in after.difference(before) {
            // A tool that another one called has noted its own already.
            processes.entry(*id).or_insert_with(|| tool.to_owned());
        }
    }

    /// What still runs, after a while for the rest to end.
    fn left(&self) -> Vec<String> {
        let Some(Some(driven)) = self.driven.get() else { return Vec::new() };
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for id in left::children(&self.thread) {
            processes.entry(id).or_default();
        }
        let tasks = left::settled(|| driven.handle.metrics().num_alive_tasks(), |tasks| *tasks == 0);
        let mut told = Vec::new();
        if tasks > 0 {
            told.push(format!("spawned tasks that still run: {tasks}"));
        }
        for id in left::living(&processes.keys().copied().collect()) {
            let by = processes.get(&id).filter(|tool| !tool.is_empty());
            let by = by.map(|tool| format!(", which {tool} started,")).unwrap_or_default();
            told.push(format!("the process {id} ({}){by} still runs", left::name(id)));
        }
        told
    }

    fn close(&self) {
        if let Some(Some(driven)) = self.driven.get() {
            driven.closed.notify_one();
        }
    }
}

/// Polls tools on a ground.
struct OnGround(Arc<Site>);

impl Layer for OnGround {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        let tool = inv.tool.name();
        let mut call = next.run(inv);
        let Some(runtime) = self.0.runtime() else { return call };
        Box::pin(poll_fn(move |cx| {
            let before = left::own_children();
            let polled = {
                let _entered = runtime.enter();
                call.as_mut().poll(cx)
            };
            self.0.note(tool, &before);
            polled
        }))
    }
}
