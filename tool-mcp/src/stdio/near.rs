//! Clients that ask again as soon as they are answered: programs that call one tool after another.
//!
//! A process that sleeps is woken late: on an idle machine later than a small call takes from end to end. So where the last message
//! came at once, the next one is looked for a while before the process sleeps. Who leaves time between messages, as whoever waits
//! for a model or a person does, costs nothing.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// How soon a message comes that comes at once, and how long is looked for the next one.
const AT_ONCE: Duration = Duration::from_micros(100);

/// How soon a client asks again.
pub(super) struct Near {
    /// When it could ask again.
    since: Instant,
    /// Whether it did so at once, the last time.
    was: bool,
    /// Whether it can ask while it is waited for: not where both have one processor.
    can: bool,
}

impl Near {
    pub(super) fn new() -> Near {
        let several = std::thread::available_parallelism().is_ok_and(|many| many > NonZeroUsize::MIN);
        Near { since: Instant::now(), was: false, can: several }
    }

    /// Everything that was asked has been looked at.
    pub(super) fn begin(&mut self) {
        self.since = Instant::now();
    }

    /// Whether to look for a message that is not there yet.
    pub(super) fn looks(&self) -> bool {
        self.was && self.can && self.since.elapsed() < AT_ONCE
    }

    /// The message is there.
    pub(super) fn end(&mut self) {
        self.was = self.since.elapsed() < AT_ONCE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_looked_for_where_the_last_one_came_at_once_and_not_for_long() {
        let ago = |time| Instant::now().checked_sub(time).unwrap();
        let mut near = Near { since: ago(AT_ONCE), was: false, can: true };
        near.end();
        assert!(!near.was, "it came late");
        near.begin();
        assert!(!near.looks(), "nothing is known of the client");
        // As if it came this moment: however long this test is held up.
        near.since = Instant::now() + AT_ONCE;
        near.end();
        assert!(near.was && near.looks());
        assert!(!Near { can: false, ..near }.looks(), "one processor");
        near = Near { since: ago(AT_ONCE), was: true, can: true };
        assert!(!near.looks(), "it was looked for long enough");
    }
}
