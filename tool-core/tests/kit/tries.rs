//! Further tries: how many there were is in the audit row whatever ended them, and how long lies between two of them.

use std::sync::Mutex;

use super::*;

/// What each try of a call ends with, and when it was made.
#[derive(Default)]
struct Tries {
    ends: Mutex<Vec<Result<(), ToolError>>>,
    at: Mutex<Vec<Duration>>,
}

impl Tries {
    fn ending(ends: impl IntoIterator<Item = ToolError>) -> Tries {
        let mut ends: Vec<_> = ends.into_iter().map(Err).collect();
        ends.reverse();
        Tries { ends: Mutex::new(ends), ..Tries::default() }
    }

    fn delays(&self) -> Vec<Duration> {
        self.at.lock().unwrap().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

/// Ends as it is told to, and well after that.
#[tool(register = false, timeout = "10m")]
fn end_in_turn(#[ctx] tries: &Tries, #[ctx] clock: &dyn Clock) -> Result<(), ToolError> {
    tries.at.lock().unwrap().push(clock.now());
    tries.ends.lock().unwrap().pop().unwrap_or(Ok(()))
}

fn unavailable() -> ToolError {
    ToolError::unavailable("Not yet.")
}

/// A kit that tries again so often, and whose clock moves when somebody waits.
fn kit(again: u32, ends: impl Fn() -> Vec<ToolError> + Send + Sync + 'static) -> ToolKit {
    let tools = Registry::builder().add::<EndInTurnTool>().build().unwrap();
    let recipe = ToolKit::of(tools).executor(move |builder| builder.retries(again));
    recipe.provide_new(move || Tries::ending(ends())).hurry().build()
}

/// How a call ended, and how many tries its result and its row tell of.
fn tried(kit: &ToolKit) -> (Option<ErrorKind>, Option<u64>, u32) {
    let result = kit.call_blocking("end_in_turn", json!({}));
    let told = result.as_ref().ok().and_then(|output| output.meta.get("tries").and_then(Value::as_u64));
    (result.err().map(|error| error.kind()), told, kit.audit().pop().unwrap().tries)
}

#[test]
fn a_row_tells_how_many_tries_there_were_whatever_ended_them() {
    assert_eq!(tried(&kit(2, Vec::new)), (None, None, 1));
    assert_eq!(tried(&kit(2, || vec![unavailable()])), (None, Some(2), 2));
    assert_eq!(tried(&kit(2, || vec![unavailable(), unavailable()])), (None, Some(3), 3));
    let all = || vec![unavailable(), unavailable(), unavailable()];
    assert_eq!(tried(&kit(2, all)), (Some(ErrorKind::Unavailable), None, 3));
    assert_eq!(tried(&kit(0, all)), (Some(ErrorKind::Unavailable), None, 1));
    // What no other try would change ends them.
    let gone = || vec![unavailable(), ToolError::not_found("It is gone.")];
    assert_eq!(tried(&kit(2, gone)), (Some(ErrorKind::NotFound), None, 2));
    let ended = || vec![ToolError::cancelled("I was ended.").retryable(true)];
    assert_eq!(tried(&kit(2, ended)), (Some(ErrorKind::Cancelled), None, 1));
    // The deadline of ten minutes comes before the second further try.
    let later = |seconds| unavailable().retry_after(Duration::from_secs(seconds));
    let late = move || vec![later(300), later(300)];
    assert_eq!(tried(&kit(3, late)), (Some(ErrorKind::Unavailable), None, 2));
    let soon = move || vec![later(300), later(299)];
    assert_eq!(tried(&kit(3, soon)), (None, Some(3), 3));
}

#[tokio::test]
async fn who_gives_up_between_two_tries_has_made_the_first_only() {
    let tools = Registry::builder().add::<EndInTurnTool>().build().unwrap();
    let recipe = ToolKit::of(tools).executor(|builder| builder.retries(3));
    let kit = recipe.provide_new(|| Tries::ending([unavailable(), unavailable()])).build();
    let (result, ()) = tokio::join!(kit.call("end_in_turn", json!({})), async {
        kit.clock().asleep(1).await;
        kit.advance(Duration::from_millis(200));
        kit.clock().asleep(1).await;
        kit.context().cancel();
    });
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(kit.audit().pop().unwrap().tries, 2);
}

#[test]
fn the_delay_is_random_below_a_limit_that_doubles_up_to_five_seconds() {
    let kit = kit(24, || (0..24).map(|_| unavailable()).collect());
    kit.call_blocking("end_in_turn", json!({})).unwrap();
    let delays = kit.context().require::<Tries>().unwrap().delays();
    assert_eq!(delays.len(), 24);
    let limits: Vec<u64> = [200, 400, 800, 1_600, 3_200].into_iter().chain([5_000; 19]).collect();
    for (delay, limit) in delays.iter().zip(&limits) {
        assert!(!delay.is_zero() && *delay <= Duration::from_millis(*limit), "{delays:?} {limits:?}");
    }
    // Each of nineteen numbers below 5,000 is below 1,250, or above 3,750, in one of ten billion runs.
    let long = delays[5..].iter().filter(|delay| **delay > Duration::from_millis(1_250)).count();
    let short = delays[5..].iter().filter(|delay| **delay < Duration::from_millis(3_750)).count();
    assert!(long > 0 && short > 0, "{delays:?}");
}
