//! Numbers for values that nobody thought of, the same in every run (xorshift64).

/// A sequence of numbers.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers(0x9e37_79b9_7f4a_7c15)
    }
}

impl Numbers {
    /// The next number.
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// The next number, below a limit.
    ///
    /// # Panics
    /// When nothing is below it.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.any() % limit as u64).unwrap_or_default()
    }
}
