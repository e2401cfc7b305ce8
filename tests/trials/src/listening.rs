//! What a thread logs, for a test.

use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Dispatch, Subscriber};

/// Keeps a subscriber listening, until it is dropped.
#[derive(Debug)]
pub struct Listening {
    _own: DefaultGuard,
    /// While there is but one subscriber in a process, tracing asks only that of the thread that comes to an event first, and
    /// remembers the answer for all threads: what a test beside this one logs first would never be heard here.
    _another: Dispatch,
}

/// Lets a subscriber hear what this thread logs.
pub fn listening(subscriber: impl Subscriber + Send + Sync + 'static) -> Listening {
    let another = Dispatch::new(NoSubscriber::default());
    Listening { _own: tracing::subscriber::set_default(subscriber), _another: another }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::listening;

    struct Counts(Arc<AtomicUsize>);

    impl Subscriber for Counts {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    fn says() {
        tracing::info!("said");
    }

    #[test]
    fn what_another_thread_logged_first_is_heard_on_this_one() {
        let heard = Arc::new(AtomicUsize::new(0));
        let listening = listening(Counts(Arc::clone(&heard)));
        assert!(thread::spawn(says).join().is_ok());
        assert_eq!(heard.load(Ordering::Relaxed), 0, "the other thread has no subscriber");
        says();
        assert_eq!(heard.load(Ordering::Relaxed), 1);
        drop(listening);
        says();
        assert_eq!(heard.load(Ordering::Relaxed), 1);
    }
}
