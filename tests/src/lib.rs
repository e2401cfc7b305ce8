//! What crosses crates.

pub mod captured;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod given;
pub mod rounds;
#[cfg(test)]
mod vectors;
