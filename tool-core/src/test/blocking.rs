//! Async code of a test where no runtime is.

use std::thread;

/// Runs a future to its end, on a runtime of its own; on another thread where this one is a runtime's already.
#[expect(clippy::panic, reason = "a test without a runtime fails, as does one whose work panicked")]
pub(super) fn block_on<F: Future<Output: Send> + Send>(future: F) -> F::Output {
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime could be started: {error}"));
        runtime.block_on(future)
    };
    if tokio::runtime::Handle::try_current().is_err() {
        return work();
    }
    let done = thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
