//! `cancel`: a call that was cancelled before it began runs nothing, and one that is dropped at any of its await points leaves no
//! file where that is watched and no child process. Only of tools that may run (`running`).

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;

use super::super::left::{children, files, living};
use super::{Fault, Subject};
use crate::call::{Caller, Executor};
use crate::error::ErrorKind;

pub(super) const ID: &str = "cancel";

/// How many calls of each tool are dropped at each of their await points.
const CALLS: usize = 2;

/// At how many await points a call is dropped.
const POINTS: usize = 32;

/// How long a call may rest at an await point before it is taken to wait for something that does not come.
const QUIET: Duration = Duration::from_millis(50);

/// How long a plain function may take to notice that its call has ended.
const GRACE: Duration = Duration::from_secs(2);

/// What the threads of one look are called, with a number: at most the 15 bytes that Linux keeps.
const THREAD: &str = "tools-drop";

/// The number of the last look.
static LOOKS: AtomicUsize = AtomicUsize::new(0);

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    if !subject.is_harmless() {
        return Vec::new();
    }
    let executor = match subject.executor().build() {
        Ok(executor) => executor,
        Err(error) => return vec![Fault::of_tool(format!("no executor: {error}"))],
    };
    let thread = format!("{THREAD}{}", LOOKS.fetch_add(1, Ordering::Relaxed));
    let watch = || {
        let of_call =
            |args| cancelled(subject, &executor, args).or_else(|| dropped(subject, &executor, &thread, args));
        subject.sound(CALLS).filter_map(of_call).collect()
    };
    std::thread::scope(|scope| {
        let looking = std::thread::Builder::new().name(thread.clone()).spawn_scoped(scope, watch);
        match looking.map(|looking| looking.join()) {
            Ok(Ok(faults)) => faults,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => vec![Fault::of_tool(format!("no thread to look from: {error}"))],
        }
    })
}

/// A call that was cancelled before it began.
fn cancelled(subject: &Subject<'_>, executor: &Executor, args: &Value) -> Option<Fault> {
    let ctx = subject.checks().given().to_builder().cancellation(Default::default()).build();
    ctx.cancel();
    let text = match executor.call_blocking(subject.call(args), &ctx, Caller::Test) {
        Err(error) if error.kind() == ErrorKind::Cancelled => return None,
        Err(error) => format!("cancelled before it began, it ends with `{}`", error.kind().as_str()),
        Ok(_) => "cancelled before it began, it runs all the same".to_owned(),
    };
    Some(Fault::of_tool(text).with(args))
}

/// A call that is dropped at its first await point, at its second, and so on: wherever the executor waits for it.
fn dropped(subject: &Subject<'_>, executor: &Executor, thread: &str, args: &Value) -> Option<Fault> {
    for point in 1..=POINTS {
        let before = files(&subject.checks().watched);
        let (ended, started) = drop_at(subject, executor, thread, args, point)?;
        let fault = |text: String| {
            let text = format!("dropped at its await point {point}, it leaves {text}");
            Some(Fault::of_tool(text).with(args))
        };
        if let Some(process) = living(&started).first() {
            return fault(format!("the process {process} running"));
        }
        if let Some(file) = files(&subject.checks().watched).difference(&before).next() {
            return fault(file.display().to_string());
        }
        if ended {
            break;
        }
    }
    None
}

/// Drops a call at an await point: whether it had ended before or waits there for what does not come, and the processes that were
/// there then. Nothing where there is no runtime to be had.
fn drop_at(
    subject: &Subject<'_>,
    executor: &Executor,
    thread: &str,
    args: &Value,
    point: usize,
) -> Option<(bool, std::collections::BTreeSet<u32>)> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().thread_name(thread).build().ok()?;
    let ctx = subject.checks().given();
    let ended = runtime.block_on(async {
        let mut call = pin!(executor.call(subject.call(args), &ctx, Caller::Test));
        let mut polls = 0;
        let reached = poll_fn(|cx| {
            polls += 1;
            match call.as_mut().poll(cx) {
                Poll::Ready(_) => Poll::Ready(true),
                Poll::Pending if polls >= point => Poll::Ready(false),
                Poll::Pending => Poll::Pending,
            }
        });
        tokio::time::timeout(QUIET, reached).await.unwrap_or(true)
    });
    let started = children(thread);
    // What was dropped may end on a thread of its own.
    runtime.shutdown_timeout(GRACE);
    Some((ended, started))
}
