//! The least that runs a future: tools that answer at once never sleep.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Polls a future until it is ready.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::hint::spin_loop();
    }
}
