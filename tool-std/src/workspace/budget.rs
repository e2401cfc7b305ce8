//! What one walk may spend: entries and time. A spent budget ends the walk and is no error (files.md §10).

use std::time::{Duration, Instant};

use super::Truncation;

/// What is left of a walk.
#[derive(Debug)]
pub(super) struct Budget {
    entries_left: u64,
    began: Instant,
    /// `None`: as long as it takes.
    time: Option<Duration>,
    spent: Option<Truncation>,
}

impl Budget {
    /// A walk that begins now.
    pub(super) fn new(entries: u64, time: Option<Duration>) -> Self {
        Self { entries_left: entries, began: Instant::now(), time, spent: None }
    }

    /// Takes one entry from it.
    pub(super) fn take_entry(&mut self) {
        match self.entries_left.checked_sub(1) {
            Some(left) => self.entries_left = left,
            None => _ = self.spent.get_or_insert(Truncation::Entries),
        }
    }

    /// Notes when the time is over.
    pub(super) fn look_at_clock(&mut self) {
        if self.time.is_some() {
            self.note_time(Instant::now());
        }
    }

    fn note_time(&mut self, now: Instant) {
        if self.time.is_some_and(|time| now.saturating_duration_since(self.began) > time) {
            self.spent = Some(Truncation::Time);
        }
    }

    /// What is spent, if anything.
    pub(super) fn spent(&self) -> Option<Truncation> {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_walk_is_over_one_second_behind_its_limit() {
        let spent = |limit: u64, elapsed: u64| {
            let mut budget = Budget::new(1, Some(Duration::from_secs(limit)));
            budget.note_time(budget.began + Duration::from_secs(elapsed));
            budget.spent()
        };
        assert_eq!(spent(10, 10), None);
        assert_eq!(spent(10, 11), Some(Truncation::Time));
        assert_eq!(spent(11, 11), None);
    }

    #[test]
    fn the_first_budget_that_is_spent_is_told_unless_the_time_is_over() {
        let mut budget = Budget::new(1, Some(Duration::from_secs(1)));
        budget.take_entry();
        assert_eq!(budget.spent(), None);
        budget.take_entry();
        assert_eq!(budget.spent(), Some(Truncation::Entries));
        budget.note_time(budget.began + Duration::from_secs(2));
        assert_eq!(budget.spent(), Some(Truncation::Time));
        let mut endless = Budget::new(0, None);
        endless.note_time(endless.began + Duration::from_secs(1_000));
        assert_eq!(endless.spent(), None);
    }

    #[test]
    fn a_walk_whose_time_is_over_ends_and_says_so() {
        use crate::workspace::{WalkOptions, Workspace, WorkspacePolicy};
        let root = tool_trials::directory();
        (0..5).for_each(|number| std::fs::write(root.path().join(format!("f{number}")), "").unwrap());
        let mut policy = WorkspacePolicy::default();
        policy.limits.walk_seconds = 100;
        let workspace = Workspace::open(root.path(), policy).unwrap();
        let start = workspace.resolve(".".as_ref()).unwrap();
        for (elapsed, entries, truncated) in [(0, 5, None), (200, 1, Some(Truncation::Time))] {
            let mut walk = workspace.walk(&start, WalkOptions::default()).unwrap();
            let mut seen = usize::from(walk.advance().unwrap().is_some());
            walk.budget().began -= Duration::from_secs(elapsed);
            while walk.advance().unwrap().is_some() {
                seen += 1;
            }
            assert_eq!((seen, walk.truncated()), (entries, truncated));
        }
    }
}
