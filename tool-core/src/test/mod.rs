//! For those who test tools: checks of a whole set, as macros. (feature `test`)

mod issues;
mod lock;

pub use issues::issues_of;
pub use lock::locked;

pub use crate::schema::{Random, Values, says_all_of};
