//! The calls of one turn: reads run together, and what changes something or ends the run goes alone, in its place.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry};

/// What began and what ended.
#[derive(Clone, Default)]
struct Order(Arc<Mutex<Vec<String>>>);

impl Order {
    /// Begins, lets others go first, and ends.
    async fn of(&self, name: &str) {
        self.0.lock().unwrap().push(format!("{name}("));
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
        self.0.lock().unwrap().push(format!(") {name}"));
    }
}

/// Reads.
#[tool(register = false)]
async fn read(
    /// What.
    name: &str,
    #[ctx] order: &Order,
) {
    order.of(name).await;
}

/// Changes something.
#[tool(side_effect, idempotent, register = false)]
async fn change(
    /// What.
    name: &str,
    #[ctx] order: &Order,
) {
    order.of(name).await;
}

/// Ends the run without changing anything.
#[tool(terminal, register = false)]
async fn stop(
    /// With what.
    name: &str,
    #[ctx] order: &Order,
) -> String {
    order.of(name).await;
    name.to_owned()
}

async fn turn(calls: &[(&str, &str)]) -> (String, Option<String>) {
    let registry = Registry::builder().add::<ReadTool>().add::<ChangeTool>().add::<StopTool>();
    let executor = Executor::standard(registry.build().unwrap()).build().unwrap();
    let order = Order::default();
    let ctx = ToolContext::builder().provide(order.clone()).build();
    let calls = calls.iter().map(|(tool, name)| Call::new(*tool, json!({"name": name})));
    let batch = executor.call_all(calls.collect(), &ctx, Caller::Llm).await;
    let text = order.0.lock().unwrap().join(" ");
    (text, batch.finish.map(|finish| finish.outcome))
}

#[tokio::test]
async fn reads_that_follow_each_other_run_together() {
    let (order, finish) = turn(&[("read", "a"), ("read", "b")]).await;
    assert_eq!((order.as_str(), finish), ("a( b( ) a ) b", None));
}

#[tokio::test]
async fn each_change_runs_alone_in_its_place() {
    let calls = [("read", "a"), ("change", "b"), ("change", "c"), ("read", "d"), ("read", "e")];
    assert_eq!(turn(&calls).await.0, "a( ) a b( ) b c( ) c d( e( ) d ) e");
}

#[tokio::test]
async fn what_ends_the_run_waits_for_the_reads_before_it_and_the_next_one_is_refused() {
    let (order, finish) = turn(&[("read", "a"), ("stop", "b"), ("stop", "c"), ("read", "d")]).await;
    assert_eq!(order, "a( ) a b( ) b d( ) d");
    assert_eq!(finish.as_deref(), Some("stop"));
}
