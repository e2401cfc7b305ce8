//! Numbers that look random and are the same for the same seed, for those who try many values.

/// A source of pseudo-random numbers (SplitMix64, Steele, Lea and Flood 2014). Not for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end.max(1) as u64).unwrap_or(0)
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A part of one: 0 is among them, 1 is not.
    pub fn share(&mut self) -> f64 {
        const PARTS: f64 = 4_294_967_296.0;
        f64::from(u32::try_from(self.number() >> 32).unwrap_or(0)) / PARTS
    }

    /// One of a list; nothing of an empty one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.below(from.len());
        from.get(at)
    }

    /// A number of a range, and its ends more often than any other.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        match self.below(4) {
            0 => least,
            1 => most.max(least),
            _ => {
                let span = i128::from(most.max(least)) - i128::from(least) + 1;
                i64::try_from(i128::from(least) + i128::from(self.number()) % span).unwrap_or(least)
            }
        }
    }
}
