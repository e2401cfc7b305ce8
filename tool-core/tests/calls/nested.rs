//! Tools that call tools: held to their own effects, to a depth, a number and no circle.

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Behavior, DynTool, ErrorKind, Executor, Registry};

use crate::scene::{EndTool, call, registry};

#[tokio::test]
async fn nested_calls_are_held_to_what_their_own_call_may_do() {
    let executor = Executor::standard(registry()).build().unwrap();
    let ok = call(&executor, "relay", json!({"tool": "end", "args": {"how": "ok"}})).await.unwrap();
    assert_eq!(ok.data(), json!("fine"));
    let changed = call(&executor, "look_through", json!({"tool": "risky"})).await.unwrap_err();
    assert_eq!((changed.kind(), changed.code_str()), (ErrorKind::Denied, "effect_not_declared"));

    // Each level differs from the one above, so only their number ends it.
    let mut args = json!({"tool": "end", "args": {"how": "ok"}});
    for _ in 0..6 {
        args = json!({"tool": "relay", "args": args});
    }
    assert!(call(&executor, "relay", args.clone()).await.is_ok(), "eight calls in each other");
    let deep = json!({"tool": "relay", "args": args});
    assert_eq!(call(&executor, "relay", deep).await.unwrap_err().code_str(), "call_depth");
}

#[tokio::test]
async fn a_call_that_would_wait_for_itself_is_refused_and_so_is_the_257th() {
    let again = DynTool::builder("again").description("Calls itself.").behavior(Behavior::READ);
    let again = again.handler(|args, ctx: ToolContext| async move { ctx.call("again", args).await });
    let many = DynTool::builder("many").description("Calls a lot.").behavior(Behavior::READ);
    let many = many.handler(|_, ctx: ToolContext| async move {
        for _ in 0..256 {
            ctx.call("end", json!({"how": "ok"})).await?;
        }
        let refused = ctx.call("end", json!({"how": "ok"})).await.unwrap_err();
        Ok(ToolOutput::text(refused.code_str().to_owned()))
    });
    let registry = Registry::builder().add_dyn(again.build().unwrap()).add_dyn(many.build().unwrap());
    let executor = Executor::standard(registry.add::<EndTool>().build().unwrap()).build().unwrap();
    assert_eq!(call(&executor, "again", json!({})).await.unwrap_err().code_str(), "call_cycle");
    assert_eq!(call(&executor, "many", json!({})).await.unwrap().data(), json!("call_budget"));
}
