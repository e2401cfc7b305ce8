//! For those who test tools: checks of a whole set, as macros, and scripted approvals. (feature `test`)

mod issues;
mod lock;
mod script;

pub use issues::issues_of;
pub use lock::locked;
pub use script::Script;

pub use crate::schema::{Random, Values, says_all_of};
