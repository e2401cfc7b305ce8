//! What has come and is not written yet, in as many bytes as it has: elements wait as they are, however long the lines that show
//! them are.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Texts that may wait for a stream that takes its time; further ones are left out.
const TEXTS_MAX: usize = 64;

/// What waits.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// Text, as it is to be written.
    Text(String),
    /// Elements as JSON, one a line.
    Items(String),
}

/// The queue between those who run a tool and the one who writes.
#[derive(Default)]
pub(super) struct Backlog {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    texts: usize,
    /// Whether nothing more comes.
    is_over: bool,
    /// Whether nobody writes any more.
    is_lost: bool,
}

impl Queue {
    fn push_text(&mut self, text: String) {
        self.texts += 1;
        self.waiting.push_back(Waiting::Text(text));
    }
}

impl Backlog {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a text; says whether there was room for it.
    pub(super) fn add_text(&self, text: String) -> bool {
        let mut queue = self.queue();
        let has_room = queue.texts < TEXTS_MAX && !queue.is_lost;
        if has_room {
            queue.push_text(text);
            self.changed.notify_one();
        }
        has_room
    }

    /// Ends the line that the last text began, so that an element can follow.
    pub(super) fn end_line(&self) {
        self.queue().push_text("\n".to_owned());
    }

    /// Adds an element, for which there is always room: the list that it is part of is kept until the call ends, too.
    pub(super) fn add_item(&self, json: &str) {
        let mut queue = self.queue();
        if queue.is_lost {
            return;
        }
        if !matches!(queue.waiting.back(), Some(Waiting::Items(_))) {
            queue.waiting.push_back(Waiting::Items(String::new()));
        }
        if let Some(Waiting::Items(items)) = queue.waiting.back_mut() {
            items.push_str(json);
            items.push('\n');
        }
        self.changed.notify_one();
    }

    /// Waits for what comes next; `None` when all is written and nothing more comes.
    pub(super) fn next(&self) -> Option<Waiting> {
        let mut queue = self.queue();
        loop {
            if let Some(next) = queue.waiting.pop_front() {
                if matches!(next, Waiting::Text(_)) {
                    queue.texts -= 1;
                }
                return Some(next);
            }
            if queue.is_over {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more comes.
    pub(super) fn end(&self) {
        self.queue().is_over = true;
        self.changed.notify_one();
    }

    /// Nobody writes any more, so that nothing need wait.
    pub(super) fn lose(&self) {
        let mut queue = self.queue();
        queue.is_lost = true;
        queue.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_wait_take_their_bytes_and_keep_their_place() {
        let backlog = Backlog::default();
        backlog.add_item("1");
        backlog.add_item("[2]");
        assert!(backlog.add_text("text".to_owned()));
        backlog.add_item("3");
        backlog.end();
        let all: Vec<Waiting> = std::iter::from_fn(|| backlog.next()).collect();
        let items = |text: &str| Waiting::Items(text.to_owned());
        assert_eq!(all, [items("1\n[2]\n"), Waiting::Text("text".to_owned()), items("3\n")]);
    }

    #[test]
    fn texts_have_room_again_when_some_are_written() {
        let backlog = Backlog::default();
        (0..TEXTS_MAX).for_each(|_| assert!(backlog.add_text("x".to_owned())));
        assert!(!backlog.add_text("x".to_owned()));
        backlog.next();
        assert!(backlog.add_text("x".to_owned()));
    }

    #[test]
    fn nothing_waits_for_somebody_who_is_gone() {
        let backlog = Backlog::default();
        backlog.add_item("1");
        backlog.lose();
        backlog.add_item("2");
        assert!(!backlog.add_text("x".to_owned()));
        backlog.end();
        assert_eq!(backlog.next(), None);
    }
}
