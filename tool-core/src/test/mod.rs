//! For those who test tools: checks of a whole set, as macros, the generators behind them, and scripted approvals.
//! (feature `test`)

mod assert_tools;
mod check;
mod damage;
mod issues;
mod lock;
mod mutate;
mod script;
mod snapshot;
mod update;
mod values;

pub use assert_tools::assert_sound;
pub use check::{CHECKS, Check, Checks, Fault, IntoRegistry, Look, Problem, Subject};
pub use damage::Damage;
pub use issues::issues_of;
pub use lock::locked;
pub use mutate::{Expected, Mutation, MutationKind, mutate};
pub use script::Script;
pub use snapshot::{FORMS, Form, Snapshots, assert_seen};
pub use update::Mode;
pub use values::{SchemaValues, values};

pub use crate::schema::{Random, Values, says_all_of};
