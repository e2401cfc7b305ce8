//! The standard tools.

pub mod edit;
pub mod limits;

pub use limits::Limits;
