//! Everything that is logged and traced while something runs on this thread, as one text.

use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Runs something, and gives what it logged with what it returned: messages and fields of every event and span.
pub(super) fn logged<T>(body: impl FnOnce() -> T) -> (String, T) {
    let written = Arc::new(Mutex::new(String::new()));
    let subscriber = Writer { written: Arc::clone(&written), spans: AtomicU64::new(0) };
    // While there is but one subscriber in a process, tracing remembers of an event what the thread that first comes to it wants
    // to hear. A second one keeps what another test logged first from being missed here.
    let another = Dispatch::new(NoSubscriber::default());
    let result = tracing::subscriber::with_default(subscriber, body);
    drop(another);
    let text = written.lock().unwrap_or_else(PoisonError::into_inner).clone();
    (text, result)
}

struct Writer {
    written: Arc<Mutex<String>>,
    spans: AtomicU64,
}

impl Writer {
    fn write(&self, record: impl FnOnce(&mut Fields<'_>)) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        record(&mut Fields(&mut written));
        written.push('\n');
    }
}

impl Subscriber for Writer {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        self.write(|fields| attributes.record(fields));
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.write(|fields| values.record(fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.write(|fields| event.record(fields));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Writes fields one behind the other.
struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        // As it is: escapes would hide what is looked for.
        let _ = write!(self.0, "{}={value} ", field.name());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::logged;

    #[test]
    fn what_another_thread_logged_first_is_heard() {
        let say = || tracing::info!(secret = "k", "said");
        let (text, ()) = logged(|| {
            assert!(thread::spawn(say).join().is_ok());
            say();
        });
        assert_eq!(text, "message=said secret=k \n");
    }
}
