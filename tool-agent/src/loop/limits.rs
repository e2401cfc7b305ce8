//! Where a run ends that would not end by itself, and what a reply without a call means.

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopLimits {
    /// Turns; only `None` is unlimited.
    pub turns: Option<u32>,
    /// Calls of one turn; further ones are not run.
    pub calls_per_turn: u32,
    /// Turns in a row with the same calls and the same results.
    pub repeated_turns: u32,
}

impl Default for LoopLimits {
    fn default() -> Self {
        Self { turns: Some(50), calls_per_turn: 32, repeated_turns: 3 }
    }
}

/// What a reply without a call means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnText {
    /// The run is done, with that text.
    #[default]
    Finish,
    /// The model is told to go on, so many times; then the run is done.
    Nudge {
        /// How many times.
        times: u32,
        /// What it is told.
        message: String,
    },
    /// The run failed.
    Fail,
}
