//! What crosses crates.

pub mod built;
pub mod captured;
pub mod demo;
pub mod fixture;
#[cfg(test)]
mod given;
pub mod loopback;
pub mod numbers;
pub mod rounds;
pub mod sources;
pub mod spans;
pub mod streams;
#[cfg(test)]
mod vectors;
