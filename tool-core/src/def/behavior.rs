//! What a call of a tool changes. Hints, confirmation, overlap, retry, caching and replay follow from it.

use serde::{Deserialize, Serialize};

/// The effects of a tool, as its author states them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behavior {
    /// It changes something.
    pub side_effect: bool,
    /// A second identical call changes nothing more.
    pub idempotent: bool,
    /// It removes or overwrites.
    pub destructive: bool,
    /// It talks to systems outside the host.
    pub open_world: bool,
}

impl Behavior {
    /// A pure read, the meaning of a bare `#[tool]`.
    pub const READ: Behavior =
        Behavior { side_effect: false, idempotent: true, destructive: false, open_world: false };

    /// The worst case, assumed for a tool that does not state its effects.
    pub const UNKNOWN: Behavior =
        Behavior { side_effect: true, idempotent: false, destructive: true, open_world: true };

    /// The short words that lists show: `read`, `side effect` or `destructive`, then `open world`.
    pub fn words(self) -> String {
        let effect = match self {
            Behavior { destructive: true, .. } => "destructive",
            Behavior { side_effect: true, .. } => "side effect",
            _ => "read",
        };
        if self.open_world { format!("{effect}, open world") } else { effect.to_owned() }
    }
}
