//! Randomness that is the same in each run of a test.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::here;
use crate::error::ToolError;
use crate::randomness::Randomness;
use crate::schema::Random;

/// Numbers that follow from a seed, or that a test has written down. Clones go on where another one has stopped.
///
/// ```
/// use tool_core::Randomness;
/// use tool_core::test::FakeRng;
///
/// let dice = FakeRng::scripted([5, 0]);
/// assert_eq!((dice.below(6).unwrap(), dice.below(6).unwrap()), (5, 0));
/// assert_eq!(dice.below(6).unwrap_err().code_str(), "not_scripted");
/// # dice.forgive();
/// assert_eq!(FakeRng::seeded(7).number().unwrap(), FakeRng::seeded(7).number().unwrap());
/// ```
#[derive(Clone)]
pub struct FakeRng(Arc<Mutex<Numbers>>);

struct Numbers {
    source: Source,
    /// Whether somebody has asked for any.
    drawn: bool,
    /// Numbers that nobody had written down.
    unexpected: Vec<String>,
}

enum Source {
    Seed(u64, Random),
    Script(VecDeque<u64>),
}

impl FakeRng {
    /// The numbers of a seed.
    pub fn seeded(seed: u64) -> FakeRng {
        FakeRng::of(Source::Seed(seed, Random::new(seed)))
    }

    /// These numbers, one for each eight bytes or less; with another one wanted, or one left, the test fails.
    pub fn scripted(numbers: impl IntoIterator<Item = u64>) -> FakeRng {
        FakeRng::of(Source::Script(numbers.into_iter().collect()))
    }

    fn of(source: Source) -> FakeRng {
        FakeRng(Arc::new(Mutex::new(Numbers { source, drawn: false, unexpected: Vec::new() })))
    }

    /// What a failed test needs to be run once more; nothing where no number was drawn, or all were written down.
    pub fn seed_drawn(&self) -> Option<u64> {
        let held = self.held();
        match held.source {
            Source::Seed(seed, _) if held.drawn => Some(seed),
            _ => None,
        }
    }

    /// Forgets what is left and what went wrong: the test has looked at it itself. Gives both as texts.
    pub fn forgive(&self) -> Vec<String> {
        self.held().wrong()
    }

    fn held(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Numbers {
    /// Everything that was not as written down; it is told once.
    fn wrong(&mut self) -> Vec<String> {
        let mut wrong = std::mem::take(&mut self.unexpected);
        if let Source::Script(numbers) = &mut self.source {
            wrong.extend(numbers.drain(..).map(|number| format!("nobody drew the number {number}")));
        }
        wrong
    }

    fn next(&mut self) -> Result<u64, ToolError> {
        self.drawn = true;
        let number = match &mut self.source {
            Source::Seed(_, random) => Some(random.number()),
            Source::Script(numbers) => numbers.pop_front(),
        };
        number.ok_or_else(|| {
            self.unexpected.push(format!("a number more than written down{}", here::by()));
            ToolError::internal("The test has no more numbers.").code(here::NOT_SCRIPTED)
        })
    }
}

impl Drop for Numbers {
    #[expect(clippy::panic, reason = "a test must fail whose numbers are not the expected ones")]
    fn drop(&mut self) {
        let wrong = self.wrong();
        if !wrong.is_empty() && !std::thread::panicking() {
            panic!("numbers were not drawn as scripted:\n{}", wrong.join("\n"));
        }
    }
}

impl Randomness for FakeRng {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), ToolError> {
        let mut held = self.held();
        for eight in bytes.chunks_mut(8) {
            let number = held.next()?.to_le_bytes();
            eight.iter_mut().zip(number).for_each(|(byte, drawn)| *byte = drawn);
        }
        Ok(())
    }
}

impl fmt::Debug for FakeRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.held().source {
            Source::Seed(seed, _) => write!(f, "FakeRng::seeded({seed})"),
            Source::Script(left) => write!(f, "FakeRng::scripted({left:?})"),
        }
    }
}
