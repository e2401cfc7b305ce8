//! The contract of a tool set: what callers rely on, written down to be compared. (registry.md §10)
//!
//! An [`Entry`] is one tool, a [`Lock`] the file with all of them, [`compare`] says what changed between two and how bad that
//! is for callers, one [`Change`] per place and kind. [`check`](fn@check) says what is wrong with the tools as they are.

mod change;
mod check;
mod diff;
mod entry;
mod lock;
mod narrowing;
mod schemas;
mod unions;

pub use change::{Change, Class, worst};
pub use check::{
    Finding, Hit, LINTS, Level, Lint, Look, Options as CheckOptions, Place, Role, Subject, check,
};
#[cfg(feature = "test")]
pub(crate) use check::{Taken, default_invalid, example_invalid, take, told};
pub use diff::compare;
pub use entry::{Entry, ExampleEntry, ParamEntry, SecretEntry};
pub use lock::{FILE, Lock, MAX_LOCK_BYTES};
