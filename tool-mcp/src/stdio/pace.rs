//! Where the calls of a tool begin: on the line that was just read, or apart from it.
//!
//! A call whose first step is its last is cheapest where it was read. But a tool may compute for long before it first waits, and
//! then everything behind it would wait too: one that was seen to do so begins in tasks of its own, where another thread may take
//! it.

use std::collections::HashMap;
use std::time::Duration;

/// How long a first step may hold up the line. Twice in a row tells a tool that computes from a thread that had to wait for its
/// processor.
const FIRST_STEP: Duration = Duration::from_millis(2);

/// How many calls of a tool begin apart after one that held up the line, before one is tried there again.
const APART: u32 = 100;

/// How the calls of tools begin, by name.
#[derive(Debug, Default)]
pub(super) struct Paces(HashMap<String, Pace>);

#[derive(Debug)]
enum Pace {
    /// The first step was over at once.
    Quick,
    /// It took long, once.
    Suspect,
    /// It took long again: so many more calls begin apart.
    Slow { left: u32 },
}

/// Where a call begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    /// On the line, and its answer leaves together with others.
    Together,
    /// On the line, once all other answers have left: nobody knows yet how long it will take.
    Alone,
    /// In a task of its own.
    Apart,
}

impl Paces {
    /// Where the next call of a tool begins.
    pub(super) fn next(&mut self, tool: &str) -> Begins {
        match self.0.get_mut(tool) {
            Some(Pace::Quick) => Begins::Together,
            Some(Pace::Slow { left }) if *left > 0 => {
                *left -= 1;
                Begins::Apart
            }
            _ => Begins::Alone,
        }
    }

    /// Notes how long the first step of a call took on the line.
    pub(super) fn note(&mut self, tool: &str, began: Begins, took: Duration) {
        if took <= FIRST_STEP {
            if began != Begins::Together {
                self.0.insert(tool.to_owned(), Pace::Quick);
            }
            return;
        }
        let pace = match self.0.get(tool) {
            None | Some(Pace::Quick) => Pace::Suspect,
            Some(Pace::Suspect | Pace::Slow { .. }) => Pace::Slow { left: APART },
        };
        self.0.insert(tool.to_owned(), pace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_held_up_the_line_begins_apart_for_a_while() {
        let (mut paces, quick, slow) = (Paces::default(), Duration::from_micros(5), Duration::from_millis(5));
        assert_eq!(paces.next("read"), Begins::Alone);
        paces.note("read", Begins::Alone, quick);
        assert_eq!(paces.next("read"), Begins::Together);
        paces.note("read", Begins::Together, quick);
        assert_eq!(paces.next("read"), Begins::Together);
        paces.note("read", Begins::Together, slow);
        assert_eq!(paces.next("read"), Begins::Alone, "once is no habit");
        paces.note("read", Begins::Alone, quick);
        assert_eq!(paces.next("read"), Begins::Together);
        paces.note("read", Begins::Together, slow);
        paces.note("read", Begins::Alone, slow);
        for _ in 0..APART {
            assert_eq!(paces.next("read"), Begins::Apart);
        }
        assert_eq!(paces.next("read"), Begins::Alone);
        paces.note("read", Begins::Alone, slow);
        assert_eq!(paces.next("read"), Begins::Apart);
        assert_eq!(paces.next("write"), Begins::Alone, "each tool for itself");
    }
}
