//! Time limits of calls: they go by the clock of the kit, and by no other.

use super::*;

/// Waits for something that does not come.
#[tool(register = false, timeout = "30s")]
async fn wait_long(ctx: &ToolContext) -> Result<u64, ToolError> {
    ctx.cancelled().await;
    Ok(ctx.time_left().unwrap_or_default().as_secs())
}

/// Blocks its thread until the call is to end.
#[tool(register = false, timeout = "30s")]
fn block_long(ctx: &ToolContext) -> u64 {
    while !ctx.is_cancelled() {
        std::thread::yield_now();
    }
    ctx.time_left().unwrap_or_default().as_secs()
}

/// Lets others go first, so many times.
#[tool(register = false, timeout = "30s")]
async fn give_way(
    /// How often.
    times: u32,
) -> u32 {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
    times
}

/// Agrees to wait.
#[tool(register = false, destructive, idempotent = false, timeout = "30s")]
async fn wait_gravely(ctx: &ToolContext, #[ctx] began: &Began) {
    began.0.notify_one();
    ctx.cancelled().await;
}

fn waiting() -> tool_core::test::KitBuilder {
    let tools = Registry::builder().add::<WaitLongTool>().add::<BlockLongTool>().add::<GiveWayTool>();
    ToolKit::of(tools.add::<WaitGravelyTool>().build().unwrap()).provide_new(Began::default)
}

#[tokio::test]
async fn a_call_is_late_when_the_clock_is_moved_beyond_its_limit_and_not_before() {
    for tool in ["wait_long", "block_long"] {
        let kit = waiting().build();
        let call = kit.call(tool, json!({}));
        tokio::pin!(call);
        let mut looked_at = async || {
            // Nothing comes of looking, however often.
            for _ in 0..50 {
                tokio::select! {
                    biased;
                    ended = &mut call => return Some(ended),
                    () = tokio::task::yield_now() => {}
                }
            }
            None
        };
        assert!(looked_at().await.is_none(), "{tool}");
        kit.advance(Duration::from_secs(29));
        assert!(looked_at().await.is_none(), "{tool}");
        kit.advance(Duration::from_secs(1));
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{tool}");
        assert_eq!(error.details()["partial"], 0, "{tool}: it is told in time to give back what it has");
    }
}

#[tokio::test]
async fn time_that_a_person_takes_does_not_make_a_moved_clock_miss_a_limit() {
    let kit = waiting().answers([answer::yes("wait_gravely")]).build();
    let moved = async {
        kit.context().require::<Began>().unwrap().0.notified().await;
        kit.advance(Duration::from_secs(30));
    };
    let (ended, ()) = tokio::join!(kit.call("wait_gravely", json!({})), moved);
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Timeout);
}

/// Consents after a minute.
struct Thinks(tool_core::test::FakeClock);

impl tool_core::Approver for Thinks {
    fn decide<'a>(
        &'a self,
        _: &'a tool_core::ApprovalRequest<'a>,
    ) -> tool_core::BoxFuture<'a, tool_core::Decision> {
        self.0.advance(Duration::from_secs(60));
        Box::pin(std::future::ready(tool_core::Decision::AllowOnce))
    }
}

/// Tells how much time it has.
#[tool(register = false, destructive, idempotent = false, timeout = "30s")]
async fn tell_time(ctx: &ToolContext) -> u64 {
    ctx.time_left().unwrap_or_default().as_secs()
}

#[tokio::test]
async fn a_call_has_all_its_time_when_somebody_has_thought_for_longer_than_that() {
    let kit = waiting().build();
    let tools = Registry::builder().add::<TellTimeTool>().build().unwrap();
    let executor = tool_core::Executor::standard(tools).approve(tool_core::ApprovalLevel::Destructive);
    let ctx = kit.context().to_builder().approver(Thinks(kit.clock().clone())).build();
    let call = Call::new("tell_time", json!({}));
    let left = executor.build().unwrap().call(call, &ctx, Caller::Test).await.unwrap();
    assert_eq!(left.data(), 30);
}

/// Has the time told by another tool, and tells its own.
#[tool(register = false, destructive, idempotent, timeout = "10m")]
async fn have_time_told(ctx: &ToolContext) -> Result<u64, ToolError> {
    ctx.call("tell_time", json!({})).await?;
    Ok(ctx.time_left().unwrap_or_default().as_secs())
}

#[tokio::test]
async fn a_try_has_all_its_time_when_somebody_has_thought_within_it() {
    let kit = waiting().build();
    let tools = Registry::builder().add::<TellTimeTool>().add::<HaveTimeToldTool>().build().unwrap();
    let executor = tool_core::Executor::standard(tools).approve(tool_core::ApprovalLevel::Destructive);
    let executor = executor.retries(1).try_timeout(Duration::from_secs(20)).build().unwrap();
    let ctx = kit.context().to_builder().approver(Thinks(kit.clock().clone())).build();
    let left = executor.call(Call::new("have_time_told", json!({})), &ctx, Caller::Test).await.unwrap();
    assert_eq!(left.data(), 20);
}

#[tokio::test]
async fn nobody_hurries_for_the_limit_of_a_call() {
    let kit = waiting().hurry().build();
    assert_eq!(kit.call("give_way", json!({"times": 20})).await.unwrap().data(), 20);
    assert_eq!(kit.clock().now(), Duration::ZERO);
    assert_eq!(kit.clock().sleepers(), 0);
}

#[test]
fn a_bare_call_without_a_runtime_is_late_by_the_clock_too() {
    let kit = waiting().build();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| kit.call_bare_blocking("block_long", json!({})).unwrap_err().kind());
        while !call.is_finished() {
            kit.advance(Duration::from_secs(30));
            std::thread::yield_now();
        }
        assert_eq!(call.join().unwrap(), ErrorKind::Timeout);
    });
}

/// Blocks its thread until the call that it is in is to end.
#[tool(register = false, timeout = "30s")]
fn block_unasked() {
    let ctx = ToolContext::current().unwrap();
    while !ctx.is_cancelled() {
        std::thread::yield_now();
    }
}

#[test]
fn a_call_of_an_executor_without_layers_is_late_by_the_clock_of_its_context() {
    let kit = waiting().build();
    let tools = Registry::builder().add::<BlockUnaskedTool>().build().unwrap();
    let executor = tool_core::Executor::standard(tools).build().unwrap();
    std::thread::scope(|scope| {
        let call = Call::new("block_unasked", json!({}));
        let call = scope.spawn(|| executor.call_blocking(call, kit.context(), Caller::Test));
        let began = std::time::Instant::now();
        while !call.is_finished() && began.elapsed() < Duration::from_secs(10) {
            kit.advance(Duration::from_secs(30));
            std::thread::yield_now();
        }
        assert!(call.is_finished(), "it waits for another clock");
        assert_eq!(call.join().unwrap().unwrap_err().kind(), ErrorKind::Timeout);
    });
}

/// Fails once, and says when to come again.
#[tool(register = false)]
async fn come_again(#[ctx] asked: &Deletions) -> Result<u32, ToolError> {
    match asked.0.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ToolError::unavailable("Come again.").retry_after(Duration::from_secs(20))),
        before => Ok(before),
    }
}

#[tokio::test]
async fn what_lies_between_two_tries_goes_by_the_clock() {
    let tools = Registry::builder().add::<ComeAgainTool>().build().unwrap();
    let recipe = ToolKit::of(tools).provide_new(Deletions::default).executor(|builder| builder.retries(1));
    let kit = recipe.clone().build();
    let asked = |kit: &ToolKit| kit.context().require::<Deletions>().unwrap().0.load(Ordering::SeqCst);
    let moved = async {
        kit.clock().asleep(1).await;
        kit.advance(Duration::from_secs(19));
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert_eq!(asked(&kit), 1);
        kit.advance(Duration::from_secs(1));
    };
    let (result, ()) = tokio::join!(kit.call("come_again", json!({})), moved);
    assert_eq!(result.unwrap().data(), 1);

    // Where nobody waits, the clock is moved by whoever would.
    let kit = recipe.hurry().build();
    assert_eq!(kit.call_blocking("come_again", json!({})).unwrap().data(), 1);
    assert_eq!(kit.clock().now(), Duration::from_secs(20));
}

#[tokio::test]
async fn a_person_who_does_not_answer_in_time_has_not_agreed() {
    let kit = waiting().answers([answer::late("wait_gravely")]).build();
    let moved = async {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        kit.advance(tool_core::APPROVAL_TIME - Duration::from_secs(1));
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert!(kit.audit().is_empty(), "there is a second left to answer");
        kit.advance(Duration::from_secs(1));
    };
    let (ended, ()) = tokio::join!(kit.call("wait_gravely", json!({})), moved);
    let error = ended.unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::Denied, "approval_timeout"));
}
