//! Good calls build no schema. Alone in its program: the counter is that of the process.

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry};

/// Takes four scalars.
#[tool(register = false)]
fn four(
    /// Text.
    text: &str,
    /// Whole number.
    count: u64,
    /// Number.
    share: f64,
    /// Flag.
    flag: bool,
) -> String {
    format!("{text} {count} {share} {flag}")
}

#[test]
fn decoding_by_type_builds_no_schema_and_a_misfit_does() {
    let registry = Registry::builder().add::<FourTool>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let ctx = ToolContext::empty();
    let args = json!({"text": "a", "count": 5, "share": 0.5, "flag": true});
    for args in [args.clone(), json!({"text": "a", "count": "5", "share": 1, "flag": "true"})] {
        executor.call_blocking(Call::new("four", args), &ctx, Caller::Test).unwrap();
    }
    executor.call_text_blocking("four", &args.to_string(), &ctx, Caller::Test).unwrap();
    // The normal form is what came, as long as nothing was read otherwise.
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let plan = runtime.block_on(executor.plan(Call::new("four", args.clone()), &ctx, Caller::Test)).unwrap();
    assert_eq!((plan.args, Registry::built()), (args, 0));

    executor.call_blocking(Call::new("four", json!({"text": "a"})), &ctx, Caller::Test).unwrap_err();
    assert!(Registry::built() > 0, "what is missing is told from the schema");
}
