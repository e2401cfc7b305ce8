//! What an executor costs that has nothing configured: a counted number of allocations more than the function alone.

#![allow(unsafe_code, reason = "counting allocations takes an allocator")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use serde_json::{Value, json};
use tool_core::args::{Args, Coerce};
use tool_core::def::{Handler, Run};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry};

/// Most allocations beyond the handler's own. (calls.md, acceptance 1)
const MOST: usize = 6;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counted for each thread.
struct Counting;

// SAFETY: every call goes on to the system's allocator unchanged; the counter allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = COUNT.with(Cell::get);
    let done = work();
    (done, COUNT.with(Cell::get) - before)
}

/// Joins.
#[tool(register = false)]
async fn join(
    /// The texts.
    texts: Vec<String>,
    /// What to put between.
    #[arg(default = ", ".to_owned())]
    separator: String,
) -> String {
    texts.join(&separator)
}

fn args() -> Value {
    json!({"texts": ["one", "two", "three"]})
}

/// The handler on its own: its arguments taken, its future made and polled.
async fn bare(args: Value, ctx: ToolContext) -> ToolResult {
    let def = <JoinTool as Tool>::DEF;
    let mut args = Args::new(def, args, Coerce::Lenient)?;
    let run = match def.handler {
        Handler::Async(enter) | Handler::Sync(enter) => enter(&mut args)?,
        Handler::Dynamic(handler) => handler.enter(&mut args)?,
    };
    match run {
        Run::Async(make) => make(ctx).await,
        Run::Sync(body) => body(ctx),
    }
}

#[test]
fn an_executor_with_nothing_configured_adds_at_most_six_allocations() {
    let executor =
        Executor::standard(Registry::builder().add::<JoinTool>().build().unwrap()).build().unwrap();
    assert_eq!(executor.layers(), ["decode", "run"]);
    let ctx = ToolContext::empty();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // Whatever is computed once is computed now.
        bare(args(), ctx.clone()).await.unwrap();
        executor.call(Call::new("join", args()), &ctx, Caller::Test).await.unwrap();
        let (input, call) = (args(), Call::new("join", args()));
        let own = ctx.clone();
        let (alone, own) = {
            let before = COUNT.with(Cell::get);
            let result = bare(input, own).await;
            (result.unwrap(), COUNT.with(Cell::get) - before)
        };
        let before = COUNT.with(Cell::get);
        let whole = executor.call(call, &ctx, Caller::Test).await.unwrap();
        let called = COUNT.with(Cell::get) - before;
        assert_eq!(alone.data(), whole.data());
        println!("the handler allocates {own} times, the call {called} times");
        assert!(own > 0 && called <= own + MOST, "{called} against {own}");
    });
    let ((), none) = counted(|| ());
    assert_eq!(none, 0, "the counter counts nothing of its own");
}
