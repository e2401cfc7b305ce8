//! The standard tools.

pub mod limits;
pub mod sandbox;
pub mod shell;
