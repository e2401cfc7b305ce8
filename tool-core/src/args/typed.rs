//! The type of a parameter behind a pointer. What decodes is compiled once: a type adds nothing to it but how it is read.

use serde::de::DeserializeSeed;

use super::lenient::{Lenient, Refusal};

/// A type that reads values, whichever it is.
pub(super) trait Typed {
    /// Reads a value and keeps what it became, in place of what was kept before.
    fn read(&mut self, source: Lenient<'_, '_>) -> Result<(), Refusal>;

    /// Reads a value for what the type says to it.
    fn ask(&self, source: Lenient<'_, '_>) -> Result<(), Refusal>;
}

/// The type that a seed stands for, with the value that was read last.
pub(super) struct Reading<S: DeserializeSeed<'static>> {
    seed: S,
    pub(super) value: Option<S::Value>,
}

impl<S: DeserializeSeed<'static>> Reading<S> {
    pub(super) fn of(seed: S) -> Reading<S> {
        Reading { seed, value: None }
    }
}

impl<S: DeserializeSeed<'static> + Clone> Typed for Reading<S> {
    fn read(&mut self, source: Lenient<'_, '_>) -> Result<(), Refusal> {
        self.value = Some(self.seed.clone().deserialize(source)?);
        Ok(())
    }

    fn ask(&self, source: Lenient<'_, '_>) -> Result<(), Refusal> {
        self.seed.clone().deserialize(source).map(drop)
    }
}
