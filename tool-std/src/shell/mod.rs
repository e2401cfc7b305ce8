//! Tools that run programs.

pub mod guard;
pub mod words;
