//! What a test has written down that will be done, and what was done instead.

use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::here;
use crate::error::{Effect, ToolError};

/// Things that a test expects, such as requests, each to be done once; equal ones are done in the order in which they were written
/// down. What is not expected is refused. Where something of either kind is left when this is dropped, the test fails.
pub struct Scripted<E: Display> {
    words: Words,
    expected: Mutex<Vec<E>>,
    unexpected: Mutex<Vec<String>>,
}

/// How these things are told of.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// What they are: `requests`.
    pub things: &'static str,
    /// What nobody did: `sent`.
    pub did: &'static str,
    /// What was done to them: `sent`.
    pub done: &'static str,
}

impl<E: Display> Scripted<E> {
    /// Nothing is expected.
    pub fn new(words: Words) -> Scripted<E> {
        Scripted { words, expected: Mutex::default(), unexpected: Mutex::default() }
    }

    /// Expects one more.
    pub fn expect(&self, one: E) {
        held(&self.expected).push(one);
    }

    /// Changes the one that was written down last.
    ///
    /// # Panics
    /// Where there is none.
    #[expect(clippy::panic, reason = "a test that answers what it does not expect fails")]
    pub fn last(&self, change: impl FnOnce(&mut E)) {
        match held(&self.expected).last_mut() {
            Some(one) => change(one),
            None => panic!("an answer comes after what it is for: no {} are expected yet", self.words.things),
        }
    }

    /// Expects the last one so many times in all.
    pub fn times(&self, count: usize)
    where
        E: Clone,
    {
        let mut expected = held(&self.expected);
        let again = expected.last().cloned();
        expected.extend(again.into_iter().cycle().take(count.saturating_sub(1)));
    }

    /// The first that is meant, which is then not expected any more. Where none is, the test is told `what` was done and the caller
    /// only its `kind`: what he is told goes further.
    ///
    /// # Errors
    /// `internal` / `not_scripted` where none is meant.
    pub fn take(&self, meant: impl Fn(&E) -> bool, what: &str, kind: &str) -> Result<E, ToolError> {
        let mut expected = held(&self.expected);
        if let Some(at) = expected.iter().position(meant) {
            return Ok(expected.remove(at));
        }
        drop(expected);
        let told = format!("{what} was {}{}, and is not expected", self.words.done, here::by());
        held(&self.unexpected).push(told);
        let error = ToolError::internal(format!("The test does not expect {kind}."));
        Err(error.code(here::NOT_SCRIPTED).effect(Effect::None))
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        held(&self.expected).len()
    }

    /// Everything that was not as written down; it is told once.
    pub fn wrong(&self) -> Vec<String> {
        let mut wrong = std::mem::take(&mut *held(&self.unexpected));
        let left = std::mem::take(&mut *held(&self.expected));
        wrong.extend(left.iter().map(|one| format!("nobody {} {one}", self.words.did)));
        wrong
    }
}

impl<E: Display> Drop for Scripted<E> {
    #[expect(clippy::panic, reason = "a test must fail where other things are done than those it expects")]
    fn drop(&mut self) {
        let wrong = self.wrong();
        if !wrong.is_empty() && !std::thread::panicking() {
            panic!("{} were not as scripted:\n{}", self.words.things, wrong.join("\n"));
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
