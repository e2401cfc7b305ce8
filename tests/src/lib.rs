//! What crosses crates.

pub mod captured;
#[cfg(test)]
mod demo;
pub mod fixture;
#[cfg(test)]
mod given;
pub mod loopback;
pub mod rounds;
pub mod spans;
#[cfg(test)]
mod vectors;
