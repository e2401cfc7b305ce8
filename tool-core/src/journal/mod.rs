//! What is recorded of calls, and what a recorded call means for the next one. (journal.md)
//!
//! The rules are pure functions over a [`Row`]: [`state`] (what an outcome is recorded as, what an equal call meets, what
//! recovery does), [`resume`], [`replay_gate`], [`revert`], [`chain`]. [`machine`] carries them out over any table;
//! [`MemoryJournal`] is the one in memory, durable ones are in the crate `tool-store`.

mod cassette;
mod class;
mod fault;
mod memory;
mod ordinal;
mod outcome;
mod places;
mod recorded_call;
mod row;
mod store;
mod words;

pub mod chain;
pub mod key;
pub mod machine;
pub mod replay_gate;
pub mod resume;
pub mod revert;
pub mod state;

pub use cassette::{Cassette, CassetteMode};
pub use class::{Class, EffectWithoutContext};
pub use fault::JournalError;
pub use memory::{MemoryJournal, now_ms};
pub use ordinal::{Equal, Ordinals};
pub use outcome::{error_of_json, error_to_json, output_of_json, output_to_json, recorded};
pub use recorded_call::{Answers, Handle, Now, Reconcile, Reconciled, RecordedCall, Revert, Soon};
pub use row::{Cell, CellKind, Column, Row};
pub use store::{
    Answer, Begin, Begun, CallKey, Journal, Lease, Outcome, Result, RowQuery, Task, Unprotected,
    VerifyOptions, VerifyReport, Waiter,
};
pub use words::{KeyForm, Resolution, ResolvedBy, RevertStatus, Status, Word};
