//! What crosses crates.

pub mod captured;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod given;
#[cfg(test)]
mod vectors;
