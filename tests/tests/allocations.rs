//! What an executor with nothing configured costs over the bare handler: heap allocations, counted. (calls.md §1)

use serde_json::{Value, json};
use tool_core::args::{Args, Coerce};
use tool_core::def::{Handler, Run, ToolDef};
use tool_core::{Call, Caller, Executor, Registry, Tool, ToolContext, ToolResult, tool};

/// How many allocations more a call may make.
const MOST: u64 = 6;

/// Adds.
#[tool(register = false)]
fn add(
    /// One number.
    a: i64,
    /// Another one.
    b: i64,
) -> i64 {
    a + b
}

/// The handler alone, on the same arguments.
fn bare(def: &ToolDef<'_>, args: Value, ctx: &ToolContext) -> ToolResult {
    let mut args = Args::new(def, args, Coerce::Lenient)?;
    let run = match def.handler {
        Handler::Sync(enter) | Handler::Async(enter) => enter(&mut args)?,
        Handler::Dynamic(handler) => handler.enter(&mut args)?,
    };
    match run {
        Run::Sync(body) => body(ctx.clone()),
        Run::Async(_) => Err(tool_core::ToolError::internal("add is no async function")),
    }
}

#[test]
fn an_unconfigured_executor_allocates_at_most_six_times_more_than_the_handler() {
    let executor = Executor::standard(Registry::builder().add::<AddTool>().build().expect("a registry"));
    let executor = executor.build().expect("an executor");
    assert_eq!(executor.layers(), ["decode", "run"]);
    let ctx = ToolContext::empty();
    let args = json!({"a": 1, "b": 2});
    let call = || Call::new("add", args.clone());
    // What is computed once is computed now.
    assert!(executor.call_blocking(call(), &ctx, Caller::Test).is_ok());
    assert!(bare(AddTool::DEF, args.clone(), &ctx).is_ok());

    let (given, made) = (args.clone(), call());
    let alone = allocation_counter::measure(|| drop(bare(AddTool::DEF, given, &ctx)));
    let through = allocation_counter::measure(|| drop(executor.call_blocking(made, &ctx, Caller::Test)));
    let more = through.count_total.saturating_sub(alone.count_total);
    println!("allocations: handler {}, executor {}, {more} more", alone.count_total, through.count_total);
    assert!(alone.count_total > 0, "nothing was counted");
    assert!(more <= MOST, "{more} allocations more than the handler");

    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let made = call();
    let inside = allocation_counter::measure(|| {
        runtime.block_on(async {
            let _ = executor.call(made, &ctx, Caller::Test).await;
        });
    });
    println!("allocations: inside a runtime {}, with its task on the blocking pool", inside.count_total);
}
