//! Who looks after side effects is told of each that ran, and changes no result.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tool_core::journal::{MemoryJournal, Status};
use tool_core::prelude::*;
use tool_core::{
    BoxFuture, Call, Caller, EffectInfo, Executor, JournalMode, Registry, SNAPSHOT_TIME, SnapshotHook,
    WorkspaceRoot,
};
use tool_trials::Log;

/// Changes something, or fails.
#[tool(side_effect, idempotent, register = false)]
fn change(
    /// Fail.
    fail: bool,
) -> Result<u64, ToolError> {
    if fail { Err(ToolError::failed("It broke.")) } else { Ok(1) }
}

/// Reads.
#[tool(register = false)]
fn look() -> u64 {
    2
}

/// What was told: tool, id of the call, status, workspace.
type Told = Vec<(String, String, Status, Option<PathBuf>)>;

/// Notes what it is told, and then does something else.
#[derive(Clone)]
struct Notes(Arc<Mutex<Told>>, &'static str);

impl SnapshotHook for Notes {
    fn after_effect<'a>(&'a self, effect: &'a EffectInfo<'a>) -> BoxFuture<'a, Result<(), ToolError>> {
        let EffectInfo { tool, call_id, status, workspace, .. } = effect;
        let workspace = workspace.map(PathBuf::from);
        self.0.lock().unwrap().push(((*tool).to_owned(), (*call_id).to_owned(), *status, workspace));
        Box::pin(async move {
            match self.1 {
                "fails" => Err(ToolError::failed("No room for it.")),
                "panics" => panic!("it cannot be helped"),
                "hangs" => std::future::pending().await,
                _ => Ok(()),
            }
        })
    }
}

fn executor(notes: &Notes) -> Executor {
    let registry = Registry::builder().add::<ChangeTool>().add::<LookTool>().build().unwrap();
    Executor::standard(registry)
        .journal(Arc::new(MemoryJournal::new()), JournalMode::All, "test 1")
        .snapshot(notes.clone())
        .build()
        .unwrap()
}

fn call(tool: &str, id: &str, args: serde_json::Value) -> Call {
    Call { call_id: Some(id.to_owned()), ..Call::new(tool, args) }
}

#[tokio::test]
async fn each_effect_that_ran_is_told_of_with_its_status_and_no_read() {
    let notes = Notes(Arc::default(), "");
    let root = WorkspaceRoot(PathBuf::from("/srv/work"));
    for ctx in [ToolContext::empty(), ToolContext::builder().provide(root).build()] {
        let executor = executor(&notes);
        executor.call(call("change", "c-1", json!({"fail": false})), &ctx, Caller::Test).await.unwrap();
        executor.call(call("look", "c-2", json!({})), &ctx, Caller::Test).await.unwrap();
        executor.call(call("change", "c-3", json!({"fail": true})), &ctx, Caller::Test).await.unwrap_err();
    }
    let row = |id: &str, status, root: Option<&str>| {
        ("change".to_owned(), id.to_owned(), status, root.map(PathBuf::from))
    };
    let expected = [None, Some("/srv/work")]
        .map(|root| [row("c-1", Status::Ok, root), row("c-3", Status::Error, root)])
        .concat();
    assert_eq!(*notes.0.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn whatever_becomes_of_the_telling_the_result_stays_and_the_log_has_why() {
    for (how, problem, waits) in [
        ("fails", "No room for it.", Duration::ZERO),
        ("panics", "it panicked", Duration::ZERO),
        ("hangs", "it did not end in time", SNAPSHOT_TIME),
        ("works", "", Duration::ZERO),
    ] {
        let (notes, log) = (Notes(Arc::default(), how), Log::default());
        let executor = executor(&notes);
        let began = tokio::time::Instant::now();
        let result = {
            let _listening = log.of_this_thread();
            let call = call("change", "c-1", json!({"fail": false}));
            executor.call(call, &ToolContext::empty(), Caller::Test).await
        };
        assert_eq!(result.unwrap().data(), 1, "{how}");
        assert_eq!(began.elapsed().as_secs(), waits.as_secs(), "{how}");
        let text = log.text();
        let warnings: Vec<&str> = text.lines().filter(|line| line.contains("a snapshot failed")).collect();
        assert_eq!(warnings.len(), usize::from(!problem.is_empty()), "{how}: {text}");
        assert!(warnings.iter().all(|line| line.contains("WARN") && line.contains(problem)), "{how}: {text}");
    }
}
