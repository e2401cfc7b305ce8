//! Which suspended calls were decided for good: a state is answered once. (mcp.md §6)
//!
//! A sealed state says nothing of what has become of its call since. A call that somebody refused is not asked about again, and
//! one that changes something without a journal, which would know that it ran, is not run again. Known to this process alone, for
//! as long as a state lives.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::state::{STATE_LIFE, State};

/// The most decisions that are remembered; beyond, the oldest are forgotten.
const DECISIONS_MAX: usize = 100_000;

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Decision {
    /// The call was refused, in whichever round.
    Refused { call_id: String },
    /// The call goes on from this round.
    Taken { call_id: String, round: u32 },
}

/// What was decided about suspended calls.
#[derive(Debug, Default)]
pub(crate) struct Decided(Mutex<Book>);

#[derive(Debug, Default)]
struct Book {
    decisions: HashSet<Decision>,
    order: VecDeque<(Instant, Decision)>,
}

impl Decided {
    /// Whether a call was refused.
    pub(crate) fn is_refused(&self, state: &State) -> bool {
        self.book().decisions.contains(&Decision::Refused { call_id: state.call_id.clone() })
    }

    /// The call was refused.
    pub(crate) fn refuse(&self, call_id: &str) {
        self.book().add(Decision::Refused { call_id: call_id.to_owned() });
    }

    /// Lets a call go on from this round, which is done once; whether it was not before.
    pub(crate) fn take(&self, state: &State) -> bool {
        self.book().add(taken(state))
    }

    /// The call has only asked again: the round may be answered still.
    pub(crate) fn give_back(&self, state: &State) {
        self.book().decisions.remove(&taken(state));
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn taken(state: &State) -> Decision {
    Decision::Taken { call_id: state.call_id.clone(), round: state.round }
}

impl Book {
    /// Whether it is news.
    fn add(&mut self, decision: Decision) -> bool {
        let is_old = |(since, _): &(Instant, Decision)| since.elapsed() > STATE_LIFE;
        while self.order.front().is_some_and(is_old) || self.order.len() >= DECISIONS_MAX {
            let Some((_, oldest)) = self.order.pop_front() else { break };
            self.decisions.remove(&oldest);
        }
        let news = self.decisions.insert(decision.clone());
        if news {
            self.order.push_back((Instant::now(), decision));
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_taken_once_unless_it_is_given_back() {
        let (decided, state) = (Decided::default(), State::first(None));
        assert!(decided.take(&state));
        assert!(!decided.take(&state), "a second time");
        let mut next = state.clone();
        next.round += 1;
        assert!(decided.take(&next), "the next round");
        decided.give_back(&state);
        assert!(decided.take(&state));
        assert!(!decided.is_refused(&state));
        decided.refuse(&state.call_id);
        assert!(decided.is_refused(&next), "in whichever round");
        assert!(!decided.is_refused(&State::first(None)), "another call");
    }

    #[test]
    fn no_more_is_remembered_than_the_most() {
        let decided = Decided::default();
        let first = State::first(None);
        decided.refuse(&first.call_id);
        (0..DECISIONS_MAX).for_each(|i| decided.refuse(&i.to_string()));
        assert!(!decided.is_refused(&first), "the oldest is forgotten");
        let book = decided.book();
        assert_eq!((book.order.len(), book.decisions.len()), (DECISIONS_MAX, DECISIONS_MAX));
    }
}
