//! What tools leave running fails the test: tasks, and processes that they have started.

use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;
use tool_core::test::KitBuilder;

use super::*;

const LONG: Duration = Duration::from_secs(3_600);

/// Less than the time that a call has.
const WHILE: Duration = Duration::from_secs(30);

/// Counts for a while where nobody hears it.
#[tool(register = false)]
async fn count_on(
    /// Whether the counting ends with the call.
    ends: bool,
) -> &'static str {
    let mut counting = JoinSet::new();
    counting.spawn(sleep(LONG));
    tokio::task::yield_now().await;
    if !ends {
        counting.detach_all();
    }
    "counting"
}

/// Somebody who counts, until nobody wants it any more.
#[derive(Default)]
struct Counter(Mutex<Option<AbortHandle>>);

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(counting) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            counting.abort();
        }
    }
}

/// Lets somebody else count.
#[tool(register = false)]
async fn have_counted(#[ctx] counter: &Counter) -> bool {
    let mut counting = counter.0.lock().unwrap();
    let is_counting = counting.as_ref().is_some_and(|counting| !counting.is_finished());
    counting.get_or_insert_with(|| tokio::spawn(sleep(LONG)).abort_handle());
    is_counting
}

fn sleeper() -> Child {
    Command::new("sleep").arg("60").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

/// The processes of this file, which end with their test.
#[derive(Default)]
struct Sleepers(Mutex<Vec<Child>>);

impl Drop for Sleepers {
    fn drop(&mut self) {
        for sleeper in self.0.get_mut().unwrap_or_else(PoisonError::into_inner) {
            sleeper.kill().unwrap();
            sleeper.wait().unwrap();
        }
    }
}

/// Lets a program sleep.
#[tool(register = false)]
async fn lull(#[ctx] sleepers: &Sleepers) -> u32 {
    let sleeper = sleeper();
    let id = sleeper.id();
    sleepers.0.lock().unwrap().push(sleeper);
    id
}

/// Lets a program sleep, on a thread that may.
#[tool(register = false)]
fn lull_at_leisure(#[ctx] sleepers: &Sleepers) -> u32 {
    let sleeper = sleeper();
    let id = sleeper.id();
    sleepers.0.lock().unwrap().push(sleeper);
    id
}

/// Has a program put to sleep.
#[tool(register = false)]
async fn have_lulled(ctx: &ToolContext) -> Result<u64, ToolError> {
    Ok(ctx.call("lull", json!({})).await?.data().as_u64().unwrap_or_default())
}

/// Does something where waiting does no harm.
#[tool(register = false)]
async fn work_aside(
    /// For how many milliseconds.
    milliseconds: u64,
) {
    tokio::task::spawn_blocking(move || std::thread::sleep(Duration::from_millis(milliseconds)));
}

/// Lulls a program a little later.
#[tool(register = false)]
async fn lull_later(#[ctx] sleepers: Arc<Sleepers>) {
    tokio::spawn(async move {
        sleep(Duration::from_millis(50)).await;
        sleepers.0.lock().unwrap().push(sleeper());
    });
}

/// Spawns a task when the call that it is in is dropped.
struct Parting;

impl Drop for Parting {
    fn drop(&mut self) {
        tokio::spawn(sleep(LONG));
    }
}

/// Does not end, and leaves somebody who counts.
#[tool(register = false)]
async fn part_with_counting() {
    let _parting = Parting;
    std::future::pending::<()>().await;
}

tool_set! {
    static LEAVING = [
        CountOnTool,
        HaveCountedTool,
        LullTool,
        LullAtLeisureTool,
        HaveLulledTool,
        WorkAsideTool,
        LullLaterTool,
        PartWithCountingTool,
    ];
}

fn recipe() -> KitBuilder {
    ToolKit::new(&LEAVING).provide_new(Counter::default).provide_new(Sleepers::default)
}

/// What is said when this is dropped.
fn said(drop: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(drop)).map_err(|panic| *panic.downcast::<String>().unwrap());
    panic.err().unwrap_or_default()
}

const HEAD: &str = "the tools of the kit have left this behind, which should end with its call, or with what the kit provides:\n";

#[test]
fn a_task_that_runs_on_fails_the_test_whatever_layers_it_went_through() {
    for (ends, told) in [
        (true, String::new()),
        (false, format!("{HEAD}spawned tasks that still run: 1; tasks were spawned by count_on")),
    ] {
        for call in [ToolKit::call_blocking, ToolKit::call_bare_blocking] {
            let kit = recipe().build();
            call(&kit, "count_on", json!({ "ends": ends })).unwrap();
            assert_eq!(said(|| drop(kit)), told, "{ends}");
        }
    }
}

#[tokio::test]
async fn a_task_that_runs_on_in_an_async_test_is_told_from_those_of_the_test() {
    let own = tokio::spawn(sleep(LONG));
    for (ends, told) in [
        (true, String::new()),
        (false, format!("{HEAD}spawned tasks that still run: 1; tasks were spawned by count_on")),
    ] {
        let kit = recipe().build();
        kit.call("count_on", json!({ "ends": ends })).await.unwrap();
        assert_eq!(said(|| drop(kit)), told, "{ends}");
    }
    assert!(!own.is_finished());
}

#[test]
fn a_task_of_a_capability_ends_with_it_and_serves_all_kits_of_a_recipe() {
    let recipe = recipe().provide(Counter::default());
    let kit = recipe.clone().build();
    let counts = |kit: &ToolKit| kit.call_blocking("have_counted", json!({})).unwrap().data();
    assert_eq!((counts(&kit), counts(&kit)), (json!(false), json!(true)));
    assert_eq!(said(|| drop(kit)), "");
    let other = recipe.build();
    assert_eq!(counts(&other), json!(true), "the counter is shared, and so is where it counts");
    assert_eq!(said(|| drop(other)), "");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_runs_on_fails_the_test_with_the_tool_that_started_it() {
    for (tool, by) in
        [("lull", ", which lull started,"), ("have_lulled", ", which lull started,"), ("lull_at_leisure", "")]
    {
        let kit = recipe().build();
        kit.call(tool, json!({})).await.unwrap();
        assert_eq!(said(|| drop(kit)), "", "{tool}: it ends with the kit");

        let sleepers = Arc::new(Sleepers::default());
        let kit = recipe().provide_arc(Arc::clone(&sleepers)).build();
        let id = kit.call(tool, json!({})).await.unwrap().data();
        let told = format!("{HEAD}the process {id} (sleep){by} still runs");
        assert_eq!(said(|| drop(kit)), told, "{tool}: it is held beyond the kit");
    }
}

#[tokio::test]
async fn what_a_call_leaves_that_is_dropped_is_seen() {
    let kit = recipe().build();
    let call = kit.call("part_with_counting", json!({}));
    assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
    assert_eq!(
        said(|| drop(kit)),
        format!("{HEAD}spawned tasks that still run: 1; tasks were spawned by part_with_counting")
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_of_a_task_is_seen_and_a_thread_that_is_busy() {
    let sleepers = Arc::new(Sleepers::default());
    let kit = recipe().provide_arc(Arc::clone(&sleepers)).build();
    kit.call("lull_later", json!({})).await.unwrap();
    let told = said(|| drop(kit));
    let id = sleepers.0.lock().unwrap()[0].id();
    assert_eq!(told, format!("{HEAD}the process {id} (sleep) still runs"));

    for (milliseconds, told) in
        [(100, String::new()), (5_000, format!("{HEAD}threads of blocking tasks that still run: 1"))]
    {
        let kit = recipe().build();
        kit.call("work_aside", json!({ "milliseconds": milliseconds })).await.unwrap();
        assert_eq!(said(|| drop(kit)), told, "{milliseconds}");
    }
}

#[test]
fn an_executor_that_outlives_its_kit_still_runs_tools() {
    let kit = recipe().build();
    let (executor, ctx) = (kit.executor().clone(), kit.context().clone());
    kit.call_blocking("count_on", json!({"ends": true})).unwrap();
    drop(kit);
    let later =
        executor.call_blocking(Call::new("work_aside", json!({"milliseconds": 0})), &ctx, Caller::Test);
    later.unwrap();
}

#[tokio::test]
async fn a_process_of_the_test_is_none_of_a_tool() {
    let sleepers = Sleepers(Mutex::new(vec![sleeper()]));
    let kit = recipe().build();
    kit.call("count_on", json!({"ends": true})).await.unwrap();
    sleepers.0.lock().unwrap().push(sleeper());
    assert_eq!(said(|| drop(kit)), "");
}

#[test]
fn what_is_left_behind_is_not_told_beside_another_failure() {
    let failed = said(|| {
        let kit = recipe().build();
        kit.call_blocking("count_on", json!({"ends": false})).unwrap();
        panic!("{}", "the test itself".to_owned());
    });
    assert_eq!(failed, "the test itself");
}

/// Sleeps for a while.
#[tool(register = false)]
async fn rest() {
    sleep(WHILE).await;
}

#[tokio::test(start_paused = true)]
async fn where_the_test_has_paused_its_time_tools_run_there() {
    let registry = Registry::builder().add::<RestTool>().build().unwrap();
    let kit = ToolKit::of(registry).on_runtime_of_test().build();
    let before = tokio::time::Instant::now();
    kit.call("rest", json!({})).await.unwrap();
    assert!(before.elapsed() >= WHILE);
}

/// A thread that is held until this is opened.
type Gate = std::sync::RwLock<()>;

/// Blocks a thread, whatever happens to its call.
#[tool(register = false, timeout = "30s")]
fn block_on(#[ctx] gate: &Gate) {
    drop(gate.read().unwrap());
}

#[tokio::test]
#[expect(
    clippy::await_holding_lock,
    reason = "the function waits for it on another thread, and the test only for its call"
)]
async fn a_plain_function_that_runs_on_when_its_call_has_ended_fails_the_test() {
    let gate = Arc::new(Gate::default());
    let tools = Registry::builder().add::<BlockOnTool>().build().unwrap();
    let kit = ToolKit::of(tools).provide_arc(Arc::clone(&gate)).build();
    let shut = gate.write().unwrap();
    let late = async {
        tokio::task::yield_now().await;
        kit.advance(Duration::from_secs(30));
    };
    let (ended, ()) = tokio::join!(kit.call("block_on", json!({})), late);
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Timeout);
    let told = said(|| drop(kit));
    assert!(told.contains("1 plain functions still run whose calls have ended"), "{told}");
    drop(shut);
}
