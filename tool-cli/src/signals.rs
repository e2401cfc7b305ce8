//! Ctrl-C and SIGTERM: the first cancels the call, the second ends the program, and so does time.

use std::io;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// How long a program that was told to end may take.
pub(crate) const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// What the person is told.
pub(crate) const NOTE: &str = "cancelling; press Ctrl-C again to stop at once";

/// Calls `first` at the first signal, and `last` at the second or when the grace is over.
pub(crate) fn watch(
    first: impl FnOnce() + Send + 'static,
    last: impl Fn() + Clone + Send + 'static,
) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut first = Some(first);
        for _ in signals.forever() {
            let Some(first) = first.take() else { return last() };
            first();
            let last = last.clone();
            thread::spawn(move || {
                thread::sleep(CANCEL_GRACE);
                last();
            });
        }
    })?;
    Ok(())
}
