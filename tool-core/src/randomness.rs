//! Randomness as a capability.

use std::sync::Arc;

use crate::context::{ContextBuilder, ToolContext};
use crate::error::ToolError;

/// What the uses of randomness are told under.
const CAPABILITY: &str = "randomness";

/// Random bytes, fit for secrets, for `#[ctx] randomness: &dyn Randomness`.
///
/// ```
/// use tool_core::prelude::*;
/// use tool_core::Randomness;
///
/// /// Rolls dice.
/// #[tool(register = false, idempotent = false, side_effect)]
/// fn roll(
///     /// How many.
///     #[arg(default = 1, range = 1..=10)]
///     dice: u32,
///     #[ctx] randomness: &dyn Randomness,
/// ) -> Result<Vec<u64>, ToolError> {
///     (0..dice).map(|_| Ok(randomness.below(6)? + 1)).collect()
/// }
/// ```
pub trait Randomness: Send + Sync {
    /// Fills all of it with random bytes.
    ///
    /// # Errors
    /// `unavailable` where the source has none.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), ToolError>;

    /// A number.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    fn number(&self) -> Result<u64, ToolError> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A number below `end`, each as likely as any other; 0 where there is none.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    fn below(&self, end: u64) -> Result<u64, ToolError> {
        let end = end.max(1);
        // Numbers of the last, incomplete round would make small ones more likely.
        let rounds = u64::MAX - u64::MAX % end;
        loop {
            let number = self.number()?;
            if number < rounds {
                return Ok(number % end);
            }
        }
    }
}

/// The randomness of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), ToolError> {
        getrandom::fill(bytes).map_err(|error| {
            let text = format!("The system gives no random numbers: {error}.");
            ToolError::unavailable(text).code("no_randomness")
        })
    }
}

impl<R: Randomness + ?Sized> Randomness for Arc<R> {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), ToolError> {
        (**self).fill(bytes)
    }
}

/// Randomness in the hands of one call.
struct CallRandomness {
    randomness: Arc<dyn Randomness>,
    call: ToolContext,
}

impl Randomness for CallRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), ToolError> {
        self.call.accesses(CAPABILITY, format_args!("{} bytes", bytes.len()));
        self.randomness.fill(bytes)
    }
}

impl ContextBuilder {
    /// Provides randomness, for `#[ctx] randomness: &dyn Randomness`.
    pub fn randomness(self, randomness: impl Randomness + 'static) -> Self {
        let randomness: Arc<dyn Randomness> = Arc::new(randomness);
        self.provide_with::<dyn Randomness>(move |call| {
            Arc::new(CallRandomness { randomness: Arc::clone(&randomness), call: call.clone() })
        })
    }
}
