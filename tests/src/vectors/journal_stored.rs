//! The cases of journal.json that need a journal and an executor: the journal in memory, and tools that end as a case says.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::journal::{MemoryJournal, Word};
use tool_core::{
    Behavior, BoxFuture, Call, Caller, DynTool, EffectInfo, ErrorKind, Executor, JournalMode, Registry,
    SnapshotHook, ToolContext, ToolError, ToolOutput,
};
use tool_store::conformance::{Memory, vectors};

use super::journal::same;

fn stored(case: &Value) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(vectors::check(&Memory::default(), case, "case")).expect("a group about a store")
}

pub(super) fn seq_case(case: &Value) -> Result<(), String> {
    stored(case)
}

pub(super) fn seq_order_case(case: &Value) -> Result<(), String> {
    stored(case)
}

pub(super) fn step_case(case: &Value) -> Result<(), String> {
    stored(case)
}

pub(super) fn begin_case(case: &Value) -> Result<(), String> {
    stored(case)
}

/// A hook that behaves as a case says.
struct Hook {
    how: String,
    calls: Arc<Mutex<Vec<String>>>,
}

impl SnapshotHook for Hook {
    fn after_effect<'a>(&'a self, effect: &'a EffectInfo<'a>) -> BoxFuture<'a, Result<(), ToolError>> {
        self.calls.lock().unwrap().push(format!("{}:{}", effect.tool, effect.status.word()));
        let how = self.how.clone();
        Box::pin(async move {
            match how.as_str() {
                "panics" | "panic" => panic!("the hook panics"),
                "errors" | "fails" | "error" => Err(ToolError::failed("no snapshot")),
                "hangs" | "hang" => std::future::pending().await,
                _ => Ok(()),
            }
        })
    }
}

/// A side effect's snapshot is taken once, whatever it does to the hook, and never changes the result.
pub(super) fn snapshot_case(case: &Value) -> Result<(), String> {
    let said = &case["tool"];
    let (name, outcome) = (said["name"].as_str().unwrap(), case["outcome"].as_str().unwrap().to_owned());
    let behavior = Behavior {
        side_effect: said["side_effect"] == true,
        idempotent: said["class"] != "manual",
        destructive: false,
        open_world: false,
    };
    let ends = outcome.clone();
    let tool = DynTool::builder(name).description("Writes.").behavior(behavior).handler(move |_, _| {
        let ends = ends.clone();
        async move {
            match ErrorKind::all().find(|kind| ends == kind.as_str()) {
                Some(kind) => Err(ToolError::new(kind, "It did not work.")),
                None => Ok(ToolOutput::text("done")),
            }
        }
    });
    let registry = Registry::builder().add_dyn(tool.build().unwrap()).build().unwrap();
    let calls = Arc::default();
    let hook = Hook { how: case["hook"].as_str().unwrap().to_owned(), calls: Arc::clone(&calls) };
    let executor = Executor::standard(registry)
        .journal(Arc::new(MemoryJournal::new()), JournalMode::All, "test 1")
        .snapshot(hook)
        .build()
        .unwrap();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let mut call = Call::new(name, json!({}));
    call.idempotency_key = Some("key".to_owned());
    let run = |call: Call| {
        let result = runtime.block_on(executor.call(call, &ToolContext::empty(), Caller::Test));
        result.map_or_else(|error| error.kind().as_str().to_owned(), |_| "ok".to_owned())
    };
    if outcome == "replayed" || outcome == "replay" {
        run(call.clone());
        calls.lock().unwrap().clear();
    }
    let result = run(call);
    same(json!(*calls.lock().unwrap()), &case["hook_calls"])?;
    same(result, &case["result"])
}
